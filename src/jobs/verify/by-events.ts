import { expectedView, viewOfEntry } from "../../core/compare/user-view.ts";
import { elementId, otherLists } from "../../core/document/org-sections.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import type { InactiveObject } from "../../core/events/inactive-objects.ts";
import { applyEvent, CODE_ADDED, type InstanceLog, metadataEventTypes, NEVER } from "../../core/events/instance-log.ts";
import type { MetadataComparison } from "../../core/events/metadata-comparison.ts";
import { changeOf, comparedEventTypes } from "../../core/events/user-change.ts";
import { UserComparison } from "../../core/events/user-comparison.ts";
import { ORG_REMOVED, userKey } from "../../core/events/user-life.ts";
import { memberAt } from "../../core/json/members.ts";
import { isUnfinishedState } from "../../core/rules/human-user.ts";
import { isLater } from "../../core/rules/moment.ts";
import type { Document } from "../../io/input/document.ts";
import { LISTED } from "../../problem/format.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { Report } from "../../ui/report.ts";
import { unknownEventsLine } from "../../ui/summary/export-summary.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { readLog } from "../shared/read-log.ts";
import { walkObjects } from "../shared/scan-input.ts";
import { findUnknownEvents } from "../shared/unknown-events.ts";
import { readOrgRemovals, readSelf } from "../shared/user-life.ts";
import {
  type Differences,
  type Different,
  Firsts,
  keptFields,
  keptVerifications,
  type Missing,
  notComparedLine,
  tellDifferences,
} from "./differences.ts";
import { createTargetLog, openLacked } from "./lacked-values.ts";
import { differentLinks, LinkLog, linkEventTypes } from "./links.ts";
import { differentMetadata, expectMetadata } from "./metadata.ts";

/** The document that is compared. */
export interface ComparedInput extends Document {
  /** Of an export: what is deactivated at the source; a file does not say it. */
  readonly inactive?: readonly InactiveObject[] | undefined;
  /** Of a copy: the role grants of the source that the input cannot have, by the source's ids; undefined: unknown, as of a file. */
  readonly grantsOutside?: readonly GrantPlace[] | undefined;
}

/** A role grant, and the organization that gives it. */
export interface GrantPlace {
  readonly orgId: string;
  readonly userId: string;
  readonly projectId: string;
}

/** The inputs of a comparison. */
export interface Comparison extends CallWorld {
  readonly input: ComparedInput;
  readonly report: Report;
  /** Only e-mails after this time of the target count; undefined: all. RFC 3339. */
  readonly mailedSince?: string | undefined;
}

/** One human user of the input. */
interface InputUser {
  readonly orgId: string;
  readonly userId: string;
  readonly entry: unknown;
  readonly line: number;
}

/**
 * Compares the human users of a body with the target's events: each must exist, with the address, the names, the hash, the metadata and
 * the links of the body (service behaviour 0.19a). Partial when one is missing or different. `isThere`: whether a user of the body exists.
 *
 * @param onlyOnTarget what users have on the target only, if the run has looked for that and has not told it.
 */
export async function verifyByEvents(
  run: Comparison,
  scan: Pick<BodyScan, "orgs" | "counts" | "sections" | "repeatedIds" | "references" | "idpMap" | "carries">,
  onlyOnTarget?: Differences["onlyOnTarget"],
): Promise<{ readonly exitCode: ExitCode; readonly isThere: (orgId: string, userId: string) => boolean }> {
  const { isThere, ...differences } = await compareByEvents(run, scan, undefined, createTargetLog());
  const unknownEventTypes = await findUnknownEvents(
    askingOf(run),
    scan.orgs.map(({ orgId }) => orgId),
  );
  if (unknownEventTypes.length > 0) {
    run.ui.warn(unknownEventsLine(unknownEventTypes));
    run.report.set({ unknownEventTypes });
  }
  const owners = new Set(onlyOnTarget?.list.flatMap(({ userId = [] }) => userId));
  const names = new Map(differences.names);
  if (owners.size > 0)
    await eachUser(run, scan, ({ userId, entry }) => {
      const { userName = "" } = owners.has(userId) ? viewOfEntry(entry) : {};
      if (userName !== "") names.set(userId, userName);
    });
  tellDifferences({ ...differences, onlyOnTarget, names }, { ui: run.ui, report: run.report, input: run.input });
  const others = new Map([...otherLists(scan.sections)].filter(([list]) => list !== "userLinks"));
  if (others.size > 0) run.ui.say(notComparedLine(others));
  const isRight = differences.missing.count + differences.different.count === 0;
  return { exitCode: isRight ? exitCodes.done : exitCodes.partial, isThere };
}

/**
 * The comparison itself. Texts are kept as digests; the body is read a second time to name what is missing or different. `isCompared`: of
 * the users of the body, by their ids; default: all. `values`: takes what the target has, to find what the body lacks. Raises what reading
 * events raises.
 */
export async function compareByEvents(
  run: Omit<Comparison, "report">,
  scan: Pick<BodyScan, "orgs" | "counts" | "sections" | "repeatedIds" | "references" | "idpMap" | "carries">,
  isCompared: (userId: string) => boolean = () => true,
  values?: InstanceLog,
): Promise<Differences & { readonly isThere: (orgId: string, userId: string) => boolean }> {
  const comparison = new UserComparison(scan.counts.users);
  let notCheckable = 0;
  await eachUser(run, scan, ({ orgId, userId, entry }) => {
    if (userId === "") notCheckable += 1;
    else if (isCompared(userId))
      comparison.expect(orgId, userId, expectedView(entry, scan.carries), scan.carries !== "body");
  });
  const metadata = await expectMetadata(run, scan);
  const links = scan.sections.some(({ key }) => key === "userLinks") ? new LinkLog() : undefined;
  const expectation = { users: comparison, metadata, links, values };
  const added = await applyEvents(run, scan, expectation);
  const { others, names, ...found } = await collect(run, scan, expectation);
  // The file may have a user in another organization.
  await eachUser(run, scan, ({ userId }) => void added.delete(userId));
  for (const [id, name] of added) if (name !== "") names.set(id, name);
  const unexpected = [...added.keys()];
  const { mailed } = comparison;
  const expected = comparison.size + others;
  const isThere = (orgId: string, userId: string): boolean => comparison.isThere(orgId, userId);
  const isMailOfRun = run.mailedSince !== undefined;
  return { isThere, expected, ...found, names, unexpected, mailed, isMailOfRun, notCheckable };
}

/** What is expected; `metadata` and `links` are undefined if the body has none. */
interface Expected {
  readonly users: UserComparison;
  readonly metadata: MetadataComparison | undefined;
  readonly links: LinkLog | undefined;
  /** What the expected users have on the target; undefined if it is not asked for. */
  readonly values: InstanceLog | undefined;
}

/** Applies the log to what is expected; returns the first thousand users that are not expected: their user names by id. */
async function applyEvents(
  run: Omit<Comparison, "report">,
  { orgs }: Pick<BodyScan, "orgs">,
  { users: comparison, metadata, links, values }: Expected,
): Promise<Map<string, string>> {
  const unexpected = new Map<string, string>();
  const { redactor } = run.api;
  const { mailedSince } = run;
  const isMailOfRun = (date: string): boolean => mailedSince === undefined || isLater(date, mailedSince);
  const isOfMetadata = metadata !== undefined || values !== undefined;
  const eventTypes = new Set([...comparedEventTypes, ...(isOfMetadata ? metadataEventTypes : [])]);
  eventTypes.delete(ORG_REMOVED);
  const orgIds = orgs.map(({ orgId }) => orgId);
  const self = await readSelf(askingOf(run));
  const removals = await readOrgRemovals(orgIds, askingOf(run));
  // A search takes 30 types (service behaviour 0.19), and not these too.
  if (links !== undefined)
    await readLog("reading events", { eventTypes: linkEventTypes, orgIds }, askingOf(run), (event) => {
      if (removals.after(event) === undefined) links.apply(event, self !== undefined && event.editor?.userId === self);
    });
  await readLog("reading events", { eventTypes: [...eventTypes], orgIds }, askingOf(run), (event) => {
    if (removals.after(event) !== undefined) return;
    const {
      aggregate,
      creationDate,
      type: { type },
      payload,
    } = event;
    const isOwn = self !== undefined && event.editor?.userId === self;
    metadata?.apply(event, isOwn);
    const { id, resourceOwner: orgId } = aggregate;
    if (values !== undefined && comparison.isExpected(orgId, id))
      applyEvent(values, event, { self: self ?? "", since: NEVER });
    const change = changeOf(type, payload);
    if (type === CODE_ADDED) comparison.apply(orgId, id, "initial");
    if (change === undefined || (change.kind === "mailed" && !isMailOfRun(creationDate))) return;
    if (comparison.isExpected(orgId, id))
      comparison.apply(orgId, id, change, { isOwn, by: event.editor?.userId ?? "" });
    else if (change.kind === "removed") unexpected.delete(redactor.clean(id));
    else if (change.kind === "added" && unexpected.size < LISTED)
      unexpected.set(redactor.clean(id), redactor.clean(change.view.userName ?? ""));
  });
  return unexpected;
}

type Collected = Omit<Differences, "expected" | "unexpected" | "names"> & {
  /** Differing users that the body has metadata or links of, and nothing else. */
  readonly others: number;
  readonly names: Map<string, string>;
};

/** Reads the body once more, and lists missing and different users. */
async function collect(
  run: Omit<Comparison, "report">,
  scan: Pick<BodyScan, "orgs" | "sections" | "references" | "idpMap" | "carries">,
  { users: comparison, metadata, links, values }: Expected,
): Promise<Collected> {
  const lackedOf = await openLacked(run, scan, values);
  const isMissing = (orgId: string, id: string): boolean =>
    comparison.isExpected(orgId, id) && !comparison.isThere(orgId, id);
  const compared = metadata && (await differentMetadata(run, scan, metadata, isMissing));
  const inMetadata = compared?.users;
  const inLinks = links && (await differentLinks(run, scan, links));
  const names = new Map<string, string>();
  const [missing, different, changedSince] = [new Firsts<Missing>(), new Firsts<Different>(), new Firsts<Different>()];
  const [keptVerified, notInFile] = [new Firsts<Different>(), new Firsts<Different>()];
  let [identical, others] = [0, 0];
  await eachUser(run, scan, ({ orgId, userId: id, line, entry }) => {
    const verdict = comparison.takeVerdict(orgId, id);
    const name = userKey(orgId, id);
    const entries = verdict?.isThere === true ? [inMetadata, inLinks].flatMap((found) => found?.get(name) ?? []) : [];
    inMetadata?.delete(name);
    inLinks?.delete(name);
    if (verdict === undefined) return;
    const place = { type: "human_user", id, orgId, line };
    if (!verdict.isThere) missing.add(place);
    const verified = keptVerifications(verdict.different, viewOfEntry(entry));
    // A body cannot ask for the state of an unfinished registration; where the input has it, it is no difference.
    const isUnfinished =
      verdict.isUnfinished && !verdict.different.includes("state") && !isUnfinishedState(memberAt(entry, ["state"]));
    const stateIn = (fields: readonly string[]): Pick<Different, "inputState"> => {
      const state = viewOfEntry(entry).state as Different["inputState"]; // a view has no other
      return fields.includes("state") && state !== undefined ? { inputState: state } : {};
    };
    const lacking = verdict.isThere ? lackedOf(orgId, id, entry) : [];
    const kept = [...verified, ...keptFields(verdict.different, lacking)];
    const own = [
      ...verdict.different.filter((field) => !kept.includes(field)),
      ...(isUnfinished ? (["state"] as const) : []),
    ];
    const differentFields = [...own, ...entries.flatMap((found) => found.different)];
    if (differentFields.length > 0) {
      const hash = !verdict.different.includes("hash")
        ? {}
        : ({ hash: verdict.lacksHash ? "missing" : "different" } as const);
      const targetState = isUnfinished ? ({ targetState: "initial" } as const) : {};
      different.add({ ...place, fields: differentFields, ...hash, ...stateIn(own), ...targetState });
    }
    const changedFields = [...verdict.changedSince, ...entries.flatMap((found) => found.changedSince)];
    if (differentFields.length === 0 && changedFields.length > 0)
      changedSince.add({ ...place, fields: changedFields, ...stateIn(changedFields) });
    else if (differentFields.length === 0 && verified.length > 0) keptVerified.add({ ...place, fields: verified });
    const known = [...differentFields, ...changedFields, ...verified];
    const lacked = lacking.filter((field) => !known.some((one) => one === field));
    if (lacked.length > 0) notInFile.add({ ...place, fields: lacked });
    else if (verdict.isThere && known.length === 0) identical += 1;
    const lists = [missing, different, changedSince, keptVerified, notInFile];
    const isListed = lists.some(({ list }) => list.at(-1)?.id === id);
    const { userName = "" } = isListed ? viewOfEntry(entry) : {};
    if (userName !== "") names.set(id, userName);
  });
  // Of machine users, and of users that other files hold.
  for (const [type, users] of [
    ["user_metadata", inMetadata],
    ["user_link", inLinks],
  ] as const)
    for (const [name, { line, different: fields }] of users ?? []) {
      if (fields.length === 0) continue;
      const [orgId = "", id = ""] = name.split("\u0000");
      others += 1;
      different.add({ type, id, orgId, line, fields });
    }
  const found = { missing, different, changedSince, keptVerified, notInFile, identical };
  return { ...found, names, metadata: compared?.entries ?? 0, others };
}

/** Every human user of a body, but for those that the target has its own of (see `forgetBuiltIn`). */
export async function eachUser(
  { input, context, ui }: Omit<Comparison, "report">,
  { orgs, references }: Pick<BodyScan, "orgs" | "references">,
  onUser: (user: InputUser) => void,
): Promise<void> {
  await walkObjects(
    input,
    { signal: context.signal, ui },
    (section) => section === "humanUsers",
    ({ section, org, value, line }) => {
      if (references?.isForgotten(section, value) === true) return;
      onUser({ orgId: orgs[org]?.orgId ?? "", userId: elementId(section, value) ?? "", entry: value, line });
    },
  );
}
