import type { Notes } from "../checks/findings.ts";
import type { RunResult } from "../checks/import-checks.ts";
import type { ImportReport } from "../checks/import-report.ts";
import { text } from "../instance/json.ts";
import { isBelonging } from "./belongings.ts";
import type { Expected, Wish } from "./model.ts";
import type { SeenEvent } from "./seen.ts";

/** Exit codes of the contract; 70 is none, and -1 is a hang. */
const CODES = new Set([0, 1, 3, 4, 5, 6, 130, 137, 143]);

/** What holds after every run, however it ended: the sums, and that no other user was changed. */
export function checkAnyRun(
  { exitCode, report, stderr }: RunResult,
  done: readonly SeenEvent[],
  expected: Expected,
  wish: Wish,
  notes: Notes,
): void {
  notes.expect(CODES.has(exitCode), `exit ${exitCode}: ${stderr.slice(-800)}`);
  checkSums(report, notes);
  for (const event of done) {
    if (event.bySelf && !isBelonging(event))
      notes.expect(isMeant(event, expected, wish), `${event.type} of ${event.id}, which nothing asks for`);
  }
}

function checkSums(report: ImportReport | undefined, notes: Notes): void {
  const users = report?.users;
  if (users === undefined) return;
  const { read, sent, notSent, skipped, unchanged = 0, conflict = 0, updated = 0 } = users;
  const sums = `sums: ${JSON.stringify(users)}`;
  notes.expect(read === sent + notSent + skipped + unchanged + conflict, sums);
  notes.expect(sent === users.created + updated + users.alreadyThere + users.failed + users.unknown, sums);
}

/** Which fields an event changes, by the beginning of its type. */
const touched: readonly (readonly [start: string, fields: readonly string[]])[] = [
  ["user.username.", ["userName"]],
  ["user.human.profile.", ["firstName", "lastName", "nickName", "displayName", "preferredLanguage", "gender"]],
  ["user.human.email.", ["email", "isEmailVerified"]],
  ["user.human.phone.", ["phone", "isPhoneVerified"]],
  ["user.human.password.", ["hash"]],
  // A user who never finished gets the password by a lock and an unlock.
  ["user.locked", ["state", "hash"]],
  ["user.unlocked", ["state", "hash"]],
  ["user.deactivated", ["state"]],
  ["user.reactivated", ["state"]],
];

function isMeant({ id, type, payload }: SeenEvent, expected: Expected, { removals }: Wish): boolean {
  const { create, update, gone } = expected;
  // What a deleted user had goes with the user.
  if (type.endsWith(".cascade.removed")) return gone.has(id) && removals === "delete";
  if (create.has(id)) return type !== "user.removed";
  if (gone.has(id)) return type === (removals === "delete" ? "user.removed" : "user.deactivated");
  const fields = update.get(id) ?? new Set();
  if (type.startsWith("user.metadata.")) return fields.has(`metadata.${text(payload, "key")}`);
  const [, names = []] = touched.find(([start]) => type.startsWith(start)) ?? [];
  return names.some((name) => fields.has(name));
}

/** What the runs of a job have reported as kept, by user. */
export type Left = Map<string, Set<string>>;

/** A later run writes nothing that an earlier one reported as kept, as long as no other account changed either side. */
export function checkLeft(done: readonly SeenEvent[], left: Left, notes: Notes): void {
  for (const event of done.filter(({ bySelf }) => bySelf)) {
    const fields = left.get(event.id);
    for (const field of fieldsWrittenBy(event))
      notes.expect(fields?.has(field) !== true, `${field} of ${event.id}, told to be left and written after that`);
  }
}

export function noteLeft({ update }: ImportReport, left: Left): void {
  for (const { userId, fields } of update?.conflict ?? [])
    left.set(userId, new Set([...(left.get(userId) ?? []), ...fields]));
}

const writes: Readonly<Record<string, string>> = {
  "user.username.changed": "userName",
  "user.human.email.changed": "email",
  "user.human.email.verified": "isEmailVerified",
  "user.human.phone.changed": "phone",
  "user.human.phone.removed": "phone",
  "user.human.phone.verified": "isPhoneVerified",
  "user.human.password.changed": "hash",
  "user.locked": "state",
  "user.unlocked": "state",
  "user.deactivated": "state",
  "user.reactivated": "state",
};
const PROFILE_CHANGED = "user.human.profile.changed";

function fieldsWrittenBy({ type, payload }: SeenEvent): readonly string[] {
  if (type.startsWith("user.metadata.")) return [`metadata.${text(payload, "key")}`];
  if (type === PROFILE_CHANGED) return Object.keys(payload ?? {});
  const field = writes[type];
  return field === undefined ? [] : [field];
}

/** What a run says that was done or left, against what was to be. `isExact`: nothing went wrong on its way. */
export function checkTold(report: ImportReport, expected: Expected, isExact: boolean, notes: Notes): void {
  const { update } = report;
  if (update === undefined) {
    notes.what.push("an update without a word of what it came to");
    return;
  }
  const { refused } = expected;
  const created = without(expected.create, refused);
  const changed = withoutKeys(expected.update, refused);
  const ids = (all: readonly { userId: string }[]): string[] => all.map(({ userId }) => userId);
  // A user with a conflict is named there, with the fields that were changed.
  const alsoUpdated = update.conflict.filter(({ updated }) => updated !== undefined);
  same("created", update.create, created, isExact, notes);
  notes.expect(update.remake.length === 0, `deleted to be recreated: ${update.remake.join(" ")}`);
  same("updated", [...ids(update.update), ...ids(alsoUpdated)], new Set(changed.keys()), isExact, notes);
  same("conflict", ids(update.conflict), new Set(withoutKeys(expected.conflict, refused).keys()), isExact, notes);
  same("gone", [...update.delete, ...update.deactivate], without(expected.gone, refused), isExact, notes);
  same("too many", update.tooMany, expected.tooMany, isExact, notes);
  same("not ours", update.notOurs, expected.notOurs, isExact, notes);
  for (const { userId, fields } of update.update)
    same(`fields of ${userId}`, fields, meantFields(expected.update.get(userId), isExact), isExact, notes);
  for (const { userId, fields, updated = [] } of update.conflict) {
    same(`conflicts of ${userId}`, fields, expected.conflict.get(userId) ?? new Set(), isExact, notes);
    same(`updated of ${userId}`, updated, meantFields(expected.update.get(userId), isExact), isExact, notes);
  }
  if (isExact) checkCounts(report, { created: created.size, refused: refused.size }, notes);
}

const PROFILE = ["firstName", "lastName", "nickName", "displayName", "preferredLanguage", "gender"];

/**
 * What a call that was lost has written besides, which a run that continues finds in the log: what is new takes the verification of the old
 * away, and with any change of a profile both names are given, whose outer spaces the users API had taken away when it made the user. A user
 * who never finished is locked while the password is set. An event of a password says whether it must be changed.
 */
function meantFields(fields: ReadonlySet<string> = new Set(), isExact: boolean): ReadonlySet<string> {
  if (isExact) return fields;
  const taken = [
    ...(fields.has("email") ? ["isEmailVerified"] : []),
    ...(fields.has("phone") ? ["isPhoneVerified"] : []),
    ...(fields.has("hash") ? ["state", "passwordChangeRequired"] : []),
    ...(PROFILE.some((name) => fields.has(name)) ? ["firstName", "lastName"] : []),
  ];
  return new Set([...fields, ...taken]);
}

function checkCounts(
  { users, update, failures = [] }: ImportReport,
  { created, refused }: { readonly created: number; readonly refused: number },
  notes: Notes,
): void {
  if (users === undefined || update === undefined) return;
  const told = JSON.stringify(users);
  notes.expect(users.created === created, `created, and not ${created}: ${told}`);
  notes.expect(users.updated === update.update.length && users.conflict === update.conflict.length, `lists: ${told}`);
  notes.expect(users.unknown === 0 && users.notSent === 0, `open after the end: ${told}`);
  const ofUsers = failures.filter(({ type }) => type === "human_user");
  const failed = new Set(ofUsers.map(({ id }) => id)).size;
  notes.expect(failed === refused, `${failed} failed, and ${refused} are refused by the service`);
}

function same(
  what: string,
  told: readonly string[],
  expected: ReadonlySet<string>,
  isExact: boolean,
  notes: Notes,
): void {
  const missing = [...expected].filter((id) => !told.includes(id));
  const strange = told.filter((id) => !expected.has(id));
  notes.expect(new Set(told).size === told.length, `${what}: twice: ${told.join(" ")}`);
  notes.expect(strange.length === 0, `${what}: told, and not to be: ${strange.join(" ")}`);
  if (isExact) notes.expect(missing.length === 0, `${what}: to be, and not told: ${missing.join(" ")}`);
}

/** After the end, nothing is left to do. `left` is what a new look at both sides asks for. */
export function checkNothingIsLeft(left: Expected, notes: Notes): void {
  const { create, update, gone, refused } = left;
  const open = [...create, ...gone].filter((id) => !refused.has(id));
  notes.expect(open.length === 0, `not made, or not gone: ${open.join(" ")}`);
  for (const [id, fields] of update) {
    if (!refused.has(id)) notes.what.push(`${id} is not as the source says: ${[...fields].join(" ")}`);
  }
}

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...ids].filter((id) => !others.has(id)));
}

function withoutKeys<T>(all: ReadonlyMap<string, T>, others: ReadonlySet<string>): Map<string, T> {
  return new Map([...all].filter(([id]) => !others.has(id)));
}
