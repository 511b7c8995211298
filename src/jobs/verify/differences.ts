import { profileFields, type UserView } from "../../core/compared-fields.ts";
import { withoutVerified } from "../../core/update/plan-user.ts";
import type { Document } from "../../io/input/document.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { count, counted, idWithName, LISTED, type Names, place, shown } from "../../problem/format.ts";
import type { RowProblem } from "../../problem.ts";
import { isAmong } from "../../ui/reasons.ts";
import type { Report, ReportFields } from "../../ui/report.ts";
import { NONE_IS_THERE } from "../../ui/summary/invite-summary.ts";
import { kindInWords, objectLines, onTarget } from "../../ui/summary/left-objects.ts";
import { NOT_REMOVED, VERIFIED_STAYS } from "../../ui/summary/user-lists.ts";
import type { Ui } from "../../ui/ui.ts";
import { placeOf } from "../shared/scan-input.ts";

/** The place of a compared object. */
interface ObjectPlace {
  readonly type: string;
  readonly id: string;
  readonly orgId?: string;
  readonly line?: number;
}

/** An object that the target lacks. */
export type Missing = ObjectPlace;

/** An object of the target whose fields differ. */
export interface Different extends ObjectPlace {
  /** The names of the fields; never their values. */
  readonly fields: readonly string[];
  /** Of the field "hash": another hash, or no password at all. */
  readonly hash?: "different" | "missing";
  /** The user that the object belongs to. */
  readonly userId?: string | undefined;
  /** Of a role grant or a membership: the roles of the input. */
  readonly roleKeys?: readonly string[] | undefined;
  /** Of these: the target has roles that the input lacks. */
  readonly moreRoles?: true;
  /** Of a project grant. */
  readonly projectId?: string;
  readonly grantedOrgId?: string;
  /** Of a user or an organization whose state differs; active: neither of the others. */
  readonly inputState?: "active" | "inactive" | "locked";
  /** Of a user whose state differs because the registration was never finished. */
  readonly targetState?: "initial";
}

/** The first thousand of some objects, and the number of all. */
export class Firsts<T> {
  readonly list: T[] = [];
  count = 0;

  add(one: T): void {
    this.count += 1;
    if (this.list.length < LISTED) this.list.push(one);
  }
}

/** The result of a comparison. */
export interface Differences {
  /** What is counted, with a blank before it; "": users. */
  readonly unit?: "" | " objects";
  readonly expected: number;
  readonly missing: Firsts<Missing>;
  readonly different: Firsts<Different>;
  /** Objects that were as expected and have been changed on the target since, and have no other difference. They are found, and no fault. */
  readonly changedSince: Firsts<Different>;
  /** Users whose address or number is verified, not so in the input, and who have no other difference: no update changes it. No fault. */
  readonly keptVerified: Firsts<Different>;
  /** Users with values that the input lacks, as an update keeps them, also users of the other lists. No fault. */
  readonly notInFile: Firsts<Different>;
  /** How many are in none of these lists. */
  readonly identical: number;
  /** Grants, memberships and links of users of the input that only the target has, as an update finds them; no fault. */
  readonly onlyOnTarget?: Firsts<NonNullable<ReportFields<"import">["onlyOnTarget"]>[number]> | undefined;
  /** The first thousand. */
  readonly unexpected: readonly string[];
  /** How many entries of metadata were compared; undefined if the comparison reports them as objects of their own. */
  readonly metadata?: number;
  /** Users that got an e-mail from the service; undefined if unknown. */
  readonly mailed?: number;
  /** E-mails of earlier runs are not counted. */
  readonly isMailOfRun?: boolean;
  /** Login names of the listed users, by id. */
  readonly names?: Names;
  /** Objects that the target lacks and an import leaves out; they are not expected. */
  readonly leftOut?: number;
  /** Users without an id: the service chose one, which is unknown. */
  readonly notCheckable?: number;
}

/** Of fields that differ: the verifications that no update takes away. */
export function keptVerifications<F extends string>(different: readonly F[], wanted: UserView): readonly F[] {
  const others = withoutVerified(
    different.map((field) => ({ field })),
    wanted,
  ).map(({ field }) => field);
  return different.filter((field) => !others.includes(field));
}

/**
 * Of fields that differ: names for which others stand in the body, and a password that must be changed, which the body does not mention. An
 * update keeps both. @param lacked what the body lacks.
 */
export function keptFields<F extends string>(different: readonly F[], lacked: readonly string[]): readonly F[] {
  const isKept = (field: string): boolean => profileFields.has(field) || field === "passwordChangeRequired";
  return different.filter((field) => isKept(field) && lacked.includes(field));
}

const SHOWN = 20;

/** The log says that the service has an e-mail to send, and not whether it can. */
function mailedLine(users: number, isOfRun: boolean): string {
  const when = isOfRun ? "in this run, the service has" : "the service has";
  return users === 0
    ? `${when} sent none of them an e-mail with a code`
    : `${when} sent ${count(users)} of them an e-mail with a code, or will, if it has an active e-mail provider`;
}

/** What a comparison of users leaves out, by its list. */
export function notComparedLine(lists: ReadonlyMap<string, number>): string {
  const all = [...lists].map(([list, elements]) => `${count(elements)} ${list}`);
  return `          users and their metadata only; not compared: ${all.join(", ")}. --by export compares all.`;
}

/** Prints missing and different objects, and puts them into the report (design: The report, `verify`). */
export function tellDifferences(
  differences: Differences,
  {
    ui,
    report,
    input,
  }: { readonly ui: Ui; readonly report: Report; readonly input: Pick<Document, "path" | "place" | "isSelection"> },
): void {
  const { expected, unexpected, notCheckable = 0, mailed, metadata = 0, unit = "", names = new Map() } = differences;
  const { leftOut = 0 } = differences;
  const { list: missing, count: missed } = differences.missing;
  const { list: different, count: differentCount } = differences.different;
  const { list: changedSince, count: changedSinceCount } = differences.changedSince;
  const { list: keptVerified, count: keptVerifiedCount } = differences.keptVerified;
  const { list: notInFile, count: notInFileCount } = differences.notInFile;
  const { list: onlyOnTarget = [], count: onlyOnTargetCount = 0 } = differences.onlyOnTarget ?? {};
  const found = expected - missed;
  const placed = <P extends ObjectPlace>(places: readonly P[]): readonly P[] =>
    input.place === undefined
      ? places
      : places.map((thing) => ({ ...thing, ...(thing.line === undefined ? {} : placeOf(input, thing.line)) }));
  const lost = report.lostIds();
  const lists = { missing: placed(missing), different: placed(different), changedSince: placed(changedSince) };
  const { identical } = differences;
  report.set({ expected, found, identical, ...lists, differentCount, changedSinceCount, unexpected });
  report.set({ ...(notCheckable === 0 ? {} : { notCheckable }), ...(mailed === undefined ? {} : { mailed }) });
  if (metadata > 0) report.set({ metadataCompared: metadata });
  if (leftOut > 0) report.set({ notExpected: leftOut });
  if (keptVerifiedCount > 0) report.set({ keptVerified: placed(keptVerified), keptVerifiedCount });
  if (notInFileCount > 0) report.set({ notInFile: placed(notInFile), notInFileCount });
  if (onlyOnTargetCount > 0) report.set({ onlyOnTarget, onlyOnTargetCount });
  if (names.size > 0) report.set({ loginNames: Object.fromEntries(names) });
  ui.say(`verified: ${count(found)} of ${count(expected)}${unit} found, ${count(identical)} identical`);
  if (metadata > 0) ui.say(`          ${counted(metadata, "entry", "entries")} of their metadata compared too`);
  if (mailed !== undefined) ui.say(`          ${mailedLine(mailed, differences.isMailOfRun === true)}`);
  if (leftOut > 0) ui.say(leftOutLine(leftOut));
  if (notCheckable > 0) ui.warn(`${counted(notCheckable, "user")} without userId cannot be compared.`);
  const where = (thing: ObjectPlace): string => describeThing(thing, names, input);
  const saidBefore = missing.filter((thing) => isAmong(thing, lost)).length;
  if (saidBefore > 0)
    ui.say(`          of the missing ones, ${counted(saidBefore, "is", "are")} reported above, with the reason`);
  for (const thing of missing.filter((thing) => !isAmong(thing, lost)).slice(0, SHOWN))
    ui.warn(`missing: ${where(thing)}`);
  sayMore(missed - saidBefore, ui);
  if (found === 0 && missed > saidBefore && unit === "") ui.warn(NONE_IS_THERE);
  if (missed + differentCount > 0)
    report.why(
      `of ${count(expected)} expected, ${counted(missed, "is", "are")} missing and ${count(differentCount)} different.`,
    );
  for (const thing of different.slice(0, SHOWN)) ui.warn(`different: ${where(thing)}: ${fieldsOf(thing)}`);
  sayMore(differentCount, ui);
  if (changedSinceCount > 0)
    ui.say(
      `          ${count(changedSinceCount)} changed on the target since the users were created: ${changedText(differences.changedSince, names)}`,
    );
  for (const thing of changedSince.slice(0, SHOWN)) ui.detail(`changed since: ${where(thing)}: ${fieldsOf(thing)}`);
  if (keptVerifiedCount > 0)
    ui.say(
      `          ${counted(keptVerifiedCount, "has", "have")} a verified address or number that is not verified in the input: ${changedText(differences.keptVerified, names)}. ${VERIFIED_STAYS}`,
    );
  if (notInFileCount > 0)
    ui.say(
      `          ${counted(notInFileCount, "user has", "users have")} values on the target that the file lacks: ${changedText(differences.notInFile, names)}. ${NOT_REMOVED}`,
    );
  const left = { onlyOnTarget, onlyOnTargetCount, loginNames: Object.fromEntries(names) };
  for (const one of onTarget(left)) ui.warn(one.words, ...objectLines(one));
  if (unexpected.length === 0) return;
  const nameOf = (one: string): string => (unit === "" ? idWithName(one, names.get(one)) : objectInWords(one));
  ui.say(
    `          the target has ${othersText(unexpected, unit === "" ? "user" : "object", input.isSelection === true, nameOf)}`,
  );
}

function leftOutLine(leftOut: number): string {
  const others = counted(leftOut, "other object is", "other objects are");
  return `          ${others} not expected: the target has its own, they refer to what the file does not have, or the export repeats them in another organization`;
}

/** Prints and reports the users whose ids the input has before: the target has the first ones. */
export function tellRepeated(
  { list, count: all }: Firsts<RowProblem>,
  { ui, report }: { readonly ui: Ui; readonly report: Report },
): void {
  for (const fault of list) report.add(fault);
  for (const fault of list.slice(0, SHOWN)) ui.warn(sentences(describe(fault)));
  sayMore(all, ui);
  if (all > 0) report.why(`${counted(all, "user has", "users have")} an id that the input has before.`);
}

function sayMore(all: number, ui: Ui): void {
  if (all > SHOWN) ui.warn(`… and ${counted(all - SHOWN, "more", "more")}; --report lists them.`);
}

function describeThing(
  { type, id, orgId, line }: ObjectPlace,
  names: Names,
  input: Pick<Document, "path" | "place">,
): string {
  const where = line === undefined ? "" : ` (${place(placeOf(input, line))})`;
  // A setting has no id.
  const name = id === "" ? type : `${type} ${idWithName(id, names.get(id))}`;
  return `${name}${orgId === undefined || orgId === id ? "" : ` of organization ${shown(orgId)}`}${where}`;
}

/** `at least 1,000 users that the file lacks: u2 (ann@example.com), u3 and at least 998 more (--report)`. */
function othersText(
  ids: readonly string[],
  noun: string,
  isSelection: boolean,
  nameOf: (id: string) => string,
): string {
  const isAll = ids.length < LISTED;
  const why = isSelection ? "that the file lacks or that are not selected" : "that the file lacks";
  const named = ids.slice(0, NAMED).map(nameOf);
  const rest = ids.length > NAMED ? ` and ${isAll ? "" : "at least "}${count(ids.length - NAMED)} more (--report)` : "";
  return `${isAll ? "" : "at least "}${counted(ids.length, noun)} ${why}: ${named.join(", ")}${rest}`;
}

/** `humanUsers u1` as `user u1`. */
function objectInWords(object: string): string {
  // A setting has no id.
  const end = object.includes(" ") ? object.indexOf(" ") : object.length;
  return [kindInWords(object.slice(0, end)), shown(object.slice(end + 1))].filter((part) => part !== "").join(" ");
}

const NAMED = 10;

/** `u2 (ann@example.com): state; u3: hash`. */
export function changedText({ list, count: all }: Pick<Firsts<Different>, "count" | "list">, names: Names): string {
  const texts = list.slice(0, NAMED).map((thing) => `${idWithName(thing.id, names.get(thing.id))}: ${fieldsOf(thing)}`);
  return texts.join("; ") + (all > texts.length ? `; ${count(all - texts.length)} more (--report)` : "");
}

export function fieldsOf({ fields, hash, inputState, targetState }: Different): string {
  const words = (field: string): string => {
    if (field === "hash" && hash === "missing") return "hash (missing)";
    if (field === "state" && targetState === "initial") return "state (never finished registration)";
    return field === "state" && inputState !== undefined ? `state (${inputState} in the input)` : shown(field);
  };
  return fields.map(words).join(", ");
}
