import { count, LISTED, shown } from "../../problem/format.ts";
import { type AnyReport, maySendMessages } from "../report.ts";
import { INITIAL_WORDS, messageCause, NO_MAIL_PROVIDER } from "../summary/import-plan.ts";
import { type LeftObjects, leftObjectsOf } from "../summary/left-objects.ts";
import { asObjects, changedUsers, leftUsers } from "../summary/user-lists.ts";
import { html, type Markup } from "./markup.ts";

/** A user, and the fields that were changed or not. */
interface Change {
  readonly id: string;
  readonly fields?: readonly string[];
}

interface UserList {
  readonly title: string;
  readonly users: readonly Change[];
}

/** What an update was to change, each list closed. Its outcome is in the numbers, and what failed is among the findings. */
export function changesSection({ command, update = {}, dryRun, loginNames = {} }: AnyReport): Markup | undefined {
  const isDone = dryRun !== true;
  const names = new Map(Object.entries(loginNames));
  const changed = changedUsers(update, isDone).filter(({ users }) => users.length > 0);
  const left = leftUsers(update, isDone, command === "copy").filter(({ as }) => as !== "reason");
  if (changed.length + left.length === 0) return undefined;
  const lists = [
    ...changed.map(({ words: title, users }) =>
      userList({ title, users: users.map(({ userId: id, fields }) => ({ id, fields })) }, loginNames),
    ),
    ...left.map((one) => objectList(asObjects(one, names))),
  ];
  return html`<section><h2>${isDone ? "Changes, except what failed" : "What the run would change"}</h2>${lists}</section>`;
}

/** What an update leaves as it is besides users; of an anonymous page, the numbers only. */
export function otherObjectsSection(report: AnyReport): Markup | undefined {
  const found = leftObjectsOf(report);
  if (found.length === 0) return undefined;
  return html`<section><h2>Other objects that stay different</h2>${found.map(objectList)}</section>`;
}

function objectList({ words, objects, all }: LeftObjects): Markup {
  const what = html`<span>${words}</span>`;
  if (objects.length === 0) return html`<p>${what}</p>`;
  const items = objects.slice(0, LISTED).map(
    ({ name }) => html`<li><bdi>${name}</bdi></li>
`,
  );
  return html`<details><summary>${what}</summary><ul class="users">${items}</ul>${moreLine(all - LISTED)}</details>`;
}

function moreLine(rest: number): Markup | undefined {
  return rest <= 0 ? undefined : html`<p class="faint">${count(rest)} more are in the report that --report writes.</p>`;
}

/** Who gets a message from the service, each reason closed. */
export function recipientsSection(report: AnyReport): Markup | undefined {
  const { noMailProvider, stateInitialUsers = [], dryRun, loginNames = {} } = report;
  const { recipients = [] } = maySendMessages(report) ? report : {};
  const reasons = [...new Set(recipients.map(({ reason }) => reason))];
  const initial = { title: `with a password, ${INITIAL_WORDS}`, users: stateInitialUsers.map((id) => ({ id })) };
  const lists = [
    ...reasons.map((reason) => ({
      title: messageCause(reason),
      users: recipients.filter((one) => one.reason === reason),
    })),
    ...(initial.users.length === 0 ? [] : [initial]),
  ];
  if (lists.length === 0) return undefined;
  const isFull = lists.some(({ users }) => users.length === LISTED);
  return html`<section><h2>${dryRun === true ? "Who would get a message" : "Who gets a message"}, at most</h2>${noMailProvider === true ? html`<p>${NO_MAIL_PROVIDER}</p>` : undefined}${lists.map((list) => userList(list, loginNames))}${isFull ? html`<p class="faint">The first ${count(LISTED)} of each reason are listed.</p>` : undefined}</section>`;
}

/** A closed list of users; of an anonymous page, their number only. */
function userList({ title, users }: UserList, names: Readonly<Record<string, string>>): Markup {
  const what = html`${title} <span class="count">${count(users.length)}</span>`;
  const named = users.filter(({ id }) => id !== "");
  if (named.length === 0) return html`<p>${what}</p>`;
  return html`<details><summary>${what}</summary><ul class="users">${named.slice(0, LISTED).map(
    ({
      id,
      fields = [],
    }) => html`<li>${whoIs(id, names)}${fields.length === 0 ? undefined : html`: ${fields.join(", ")}`}</li>
`,
  )}</ul>${moreLine(users.length - LISTED)}</details>`;
}

function whoIs(id: string, names: Readonly<Record<string, string>>): Markup {
  const name = Object.hasOwn(names, id) ? names[id] : undefined;
  return html`<code><bdi>${shown(id)}</bdi></code>${name === undefined || name === id ? undefined : html` <bdi>${shown(name)}</bdi>`}`;
}
