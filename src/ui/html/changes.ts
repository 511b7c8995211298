import { count, shown } from "../../problem/format.ts";
import type { AnyReport } from "../report.ts";
import { html, type Markup } from "./markup.ts";

/** Of each list. */
const LISTED = 1_000;

/** A user, and the fields that were changed or not. */
interface Change {
  readonly id: string;
  readonly fields?: readonly string[];
}

type Update = NonNullable<AnyReport["update"]>;

/** What an update was to change, each list closed. Its outcome is in the numbers, and what failed is among the findings. */
export function changesSection({ update, dryRun, loginNames = {} }: AnyReport): Markup | undefined {
  if (update === undefined) return undefined;
  const found = listsOf(update).filter(({ users }) => users.length > 0);
  if (found.length === 0) return undefined;
  return html`<section><h2>${dryRun === true ? "What the run would change" : "Changes, except what failed"}</h2>${found.map(
    ({ title, users }) => {
      const what = html`${title} <span class="count">${count(users.length)}</span>`;
      const named = users.filter(({ id }) => id !== "");
      // An anonymous page has the numbers only.
      if (named.length === 0) return html`<p>${what}</p>`;
      const rest = users.length - LISTED;
      return html`<details><summary>${what}</summary><ul class="users">${named.slice(0, LISTED).map(
        ({
          id,
          fields = [],
        }) => html`<li>${whoIs(id, loginNames)}${fields.length === 0 ? undefined : html`: ${fields.join(", ")}`}</li>
`,
      )}</ul>${rest <= 0 ? undefined : html`<p class="faint">${count(rest)} more are in the report that --report writes.</p>`}</details>`;
    },
  )}</section>`;
}

function listsOf(update: Update): readonly { readonly title: string; readonly users: readonly Change[] }[] {
  const ids = (list: readonly string[] | undefined): readonly Change[] => (list ?? []).map((id) => ({ id }));
  const changed = (list: Update["update"]): readonly Change[] =>
    (list ?? []).map(({ userId, fields }) => ({ id: userId, fields }));
  return [
    { title: "create", users: ids(update.create) },
    { title: "update", users: changed(update.update) },
    { title: "recreate", users: ids(update.remake) },
    { title: "delete", users: ids(update.delete) },
    { title: "deactivate", users: ids(update.deactivate) },
    { title: "deleted at the source, and kept", users: ids(update.removedAtSource) },
    { title: "with values that the input lacks, and not changed", users: changed(update.notInFile) },
    { title: "protected, and never changed", users: ids(update.protected) },
  ];
}

function whoIs(id: string, names: Readonly<Record<string, string>>): Markup {
  const name = Object.hasOwn(names, id) ? names[id] : undefined;
  return html`<code><bdi>${shown(id)}</bdi></code>${name === undefined || name === id ? undefined : html` <bdi>${shown(name)}</bdi>`}`;
}
