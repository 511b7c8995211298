import type { Answer } from "../http/answer.ts";
import { parseStored, textAt, valueAt } from "../protojson/json-value.ts";
import { matchingEvents } from "../routes/admin-api/event-search.ts";
import type { Call, Instance } from "../state/instance.ts";
import type { Org, State } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";

const SHOWN = 100;

interface ShownUser {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly email: string;
  readonly org: string;
}

/**
 * `GET /ui/console`: organizations, their users and the latest events, read-only, with `?q=` as a search over what is shown. It
 * needs no token, holds no hash, no secret and no script, and shows the first 100 of each.
 */
export async function showConsole(call: Call, { store }: Instance): Promise<Answer> {
  const wanted = (call.query.get("q") ?? "").trim().toLowerCase();
  const body = page(wanted, store.state);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    "cache-control": "no-store",
  };
  return { status: 200, headers, body };
}

function page(wanted: string, state: State): string {
  const orgs = [...state.orgs.values()];
  const shownOrgs = orgs.filter((org) => fits([org.id, org.name], wanted)).slice(0, SHOWN);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>orgferry mock</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; margin-bottom: 2rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
caption { text-align: left; font-weight: 600; font-size: 1.1rem; padding: .3rem 0; }
</style>
</head>
<body>
<h1>orgferry mock</h1>
<form method="get" role="search">
<label>Search <input type="search" name="q" value="${escapeHtml(wanted)}"></label> <button>Search</button>
</form>
${table(
  "organizations",
  ["Id", "Name", "Users"],
  shownOrgs.map((org) => [org.id, org.name, userCount(org)]),
)}
${table(
  "users",
  ["Id", "User name", "Name", "E-mail", "Organization"],
  foundUsers(orgs, wanted).map((user) => [user.id, user.userName, user.name, user.email, user.org]),
)}
${table("events", ["When", "Type", "Of", "Organization"], foundEvents(state, wanted))}
</body>
</html>
`;
}

function userCount({ lists }: Org): string {
  return String((lists.get("humanUsers")?.size ?? 0) + (lists.get("machineUsers")?.size ?? 0));
}

function table(id: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, texts: readonly string[]): string =>
    texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join("");
  const caption = `${id.charAt(0).toUpperCase()}${id.slice(1)}${rows.length === SHOWN ? ` (the first ${SHOWN})` : ""}`;
  return `<table id="${id}"><caption>${caption}</caption><thead><tr>${cells("th", heads)}</tr></thead><tbody>
${rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n")}
</tbody></table>`;
}

function foundUsers(orgs: readonly Org[], wanted: string): readonly ShownUser[] {
  const found: ShownUser[] = [];
  for (const org of orgs) {
    for (const field of ["humanUsers", "machineUsers"]) {
      for (const [id, entry] of org.lists.get(field) ?? []) {
        // The text is looked at before it is parsed: a million users are searched in a moment.
        if (wanted !== "" && !mayFit(entry, wanted)) continue;
        const user = toShown(id, entry, org);
        if (fits(Object.values(user), wanted)) found.push(user);
        if (found.length === SHOWN) return found;
      }
    }
  }
  return found;
}

function mayFit(entry: string, wanted: string): boolean {
  return /["\\]/.test(wanted) || entry.toLowerCase().includes(wanted) || wanted.includes(" ");
}

function toShown(id: string, entry: string, org: Org): ShownUser {
  const user = valueAt(parseStored(entry), "user");
  const [first, last] = [textAt(user, "profile", "firstName"), textAt(user, "profile", "lastName")];
  return {
    id,
    userName: textAt(user, "userName"),
    name: `${first} ${last}`.trim() || textAt(user, "name"),
    email: textAt(user, "email", "email"),
    org: org.id,
  };
}

function foundEvents(state: State, wanted: string): readonly (readonly string[])[] {
  const events = matchingEvents({}, state).map(({ at, type, aggregateId, orgId }) => [
    timestampOf(at),
    type,
    aggregateId,
    orgId,
  ]);
  return events.filter((event) => fits(event, wanted)).slice(0, SHOWN);
}

function fits(texts: readonly string[], wanted: string): boolean {
  return wanted === "" || texts.some((text) => text.toLowerCase().includes(wanted));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
