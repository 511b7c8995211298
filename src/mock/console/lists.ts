import type { LoggedEvent } from "../state/event-log.ts";
import type { Org, State } from "../state/state.ts";
import { timestampOf } from "../state/timestamp.ts";
import { type Mail, mailsOf } from "../users/mails.ts";
import { count, counted, type Html, html } from "./html.ts";
import { fits, hrefOf, type Looking } from "./looking.ts";
import { type Page, pager } from "./paging.ts";

/** A table with a heading for each column; the first cell of a row names it. */
function table(label: string, heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  return html`<div class="scroll" role="group" aria-label="${label}" tabindex="0"><table><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map(
  ([
    first = html``,
    ...rest
  ]) => html`<tr><th scope="row">${first}</th>${rest.map((cell, at) => html`<td data-head="${heads[at + 1]}">${cell}</td>`)}</tr>
`,
)}</tbody></table></div>`;
}

export function* findOrgs({ orgs }: State, { wanted }: Pick<Looking, "wanted">): Generator<Org> {
  for (const org of orgs.values()) if (fits([org.id, org.name], wanted)) yield org;
}

export function orgsTable(page: Page<Org>, looking: Looking, { instance }: State): Html {
  const rows = page.rows.map(({ id, name, lists }) => [
    html`<bdi>${name}</bdi>${id === instance?.defaultOrgId ? html` <span class="tag">default</span>` : undefined}<br><code class="faint">${id}</code>`,
    html`<a href="${hrefOf(looking, { view: "users", org: id, wanted: "" })}">${counted(lists.get("humanUsers")?.size ?? 0, "user")}</a>`,
    html`${count(lists.get("machineUsers")?.size ?? 0)}`,
    html`${count(lists.get("projects")?.size ?? 0)}`,
  ]);
  return html`${table("organizations", ["Organization", "People", "Machine users", "Projects"], rows)}
${pager(page, (to) => hrefOf(looking, { page: to }))}`;
}

/** Events that are looked for, the latest first. */
export function* findEvents({ events }: State, { wanted }: Pick<Looking, "wanted">): Generator<LoggedEvent> {
  for (const event of events.all.toReversed()) {
    if (fits([event.type, event.aggregateId, event.orgId], wanted)) yield event;
  }
}

export function eventsTable(page: Page<LoggedEvent>, looking: Looking): Html {
  const rows = page.rows.map(({ at, type, aggregateId, orgId, sequence }) => [
    html`<code>${type}</code>`,
    html`<a href="${hrefOf(looking, { wanted: aggregateId.toLowerCase() })}"><code>${aggregateId}</code></a>`,
    html`${sequence}`,
    html`<code>${orgId}</code>`,
    momentOf(timestampOf(at)),
  ]);
  return html`${table("events", ["Type", "Of", "Sequence", "Organization", "When"], rows)}
${pager(page, (to) => hrefOf(looking, { page: to }))}`;
}

/** Mails and text messages that are looked for, the oldest first. */
export function* findMails(state: State, { wanted }: Pick<Looking, "wanted">): Generator<Mail> {
  for (const mail of mailsOf(state)) if (fits([mail.to, mail.userId, mail.orgId, mail.reason], wanted)) yield mail;
}

export function mailsTable(page: Page<Mail>, looking: Looking): Html {
  const rows = page.rows.map(({ to, by, reason, userId, at }) => [
    html`<bdi>${to}</bdi>`,
    html`${by === "sms" ? "SMS" : "mail"}`,
    html`${reason.replaceAll("-", " ")}`,
    html`<a href="${hrefOf(looking, { view: "users", wanted: userId.toLowerCase() })}"><code>${userId}</code></a>`,
    momentOf(at),
  ]);
  return html`${table("mails", ["To", "By", "Why", "User", "When"], rows)}
${pager(page, (to) => hrefOf(looking, { page: to }))}`;
}

/** A moment; on a phone it breaks between date and time. */
function momentOf(timestamp: string): Html {
  const [date = "", time = ""] = timestamp.split("T");
  return html`<time>${date}T<wbr>${time}</time>`;
}
