import { createOrgReader } from "../../admin/org-lists.ts";
import { rolesMember } from "../../contract/import-request.ts";
import { ElementComparison } from "../../core/compare/element-comparison.ts";
import { fieldsOf, type NamedText } from "../../core/compare/element-fields.ts";
import { linksOf } from "../../core/document/items.ts";
import { messageLists, textLists } from "../../core/document/listed-org.ts";
import type { WalkedObject } from "../../core/document/object-walk.ts";
import { withMappedIdp, withMappedOrgs } from "../../core/document/org-map.ts";
import {
  comparedId,
  elementId,
  type GrantPlaces,
  grantPlaces,
  otherLists,
  ownedLists,
  rolesIn,
  stepOf,
} from "../../core/document/org-sections.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { inactiveKey } from "../../core/events/inactive-objects.ts";
import { fieldsOf as membersOf, textMember } from "../../core/json/members.ts";
import type { Document } from "../../io/input/document.ts";
import { describe } from "../../problem/describe.ts";
import { counted, exportName, LISTED } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import { readProjectGrants } from "../export/by-events/read-org.ts";
import { leftGrants } from "../export/left-parts.ts";
import type { ExportFlags } from "../export/request.ts";
import { toSpool } from "../export/sinks.ts";
import { exportWhole } from "../export/whole-export.ts";
import { askingOf } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import { scanInput, walkObjects } from "../shared/scan-input.ts";
import type { Comparison, GrantPlace } from "./by-events.ts";
import {
  type Differences,
  type Different,
  Firsts,
  keptFields,
  keptVerifications,
  type Missing,
  tellDifferences,
} from "./differences.ts";
import { findInactive } from "./inactive.ts";
import { openLacked } from "./lacked-values.ts";
import { readPasswords } from "./password-events.ts";

/** New objects of the target are not in its export at once. */
const SETTLE_MS = 60_000;

/**
 * Compares every object of an export, field by field, with a fresh export of the same organizations from the target. Hashes and OTP
 * secrets are compared when the file holds any. Partial when something is missing or different. What an import leaves out (see
 * `Named.isLeftOut`) is not missing.
 */
export async function verifyByExport(run: Comparison, scan: BodyScan, timeout: string): Promise<ExitCode> {
  const { api, input, context, ui, report } = run;
  const comparison = new ElementComparison();
  const granted = new GrantedProjects();
  await eachObject(input, scan, context.signal, (object) => {
    comparison.expect(object.key, object.fields);
    granted.add(object);
  });
  const { unexpected, ...target } = await readTarget(
    run,
    scan,
    { timeout, transport: "auto" },
    { comparison, granted },
  );
  const { leftOut, ...collected } = await collect(run, scan, comparison, target);
  report.set({ target: api.address.host });
  const expected = comparison.size - leftOut;
  const differences = { unit: " objects" as const, expected, unexpected, leftOut, ...collected };
  tellDifferences(differences, { ui, report, input });
  context.signal.throwIfAborted();
  return collected.missing.count + collected.different.count === 0 ? exitCodes.done : exitCodes.partial;
}

/** The objects of some sections, compared with the target. */
export interface ComparedObjects {
  /** Lists of the target had not read its whole event log: objects may only seem to be missing. */
  readonly isSlow: boolean;
  /** The projects of the target's export: it has no grants and members of other projects. */
  readonly projectIds: ReadonlySet<string>;
  /** By section and id (`comparedId`); the id of a setting of an organization is "". */
  isThere(orgId: string, section: string, id: string): boolean;
  /** How many objects the target lacks, by section, without those that an import leaves out. */
  readonly missing: ReadonlyMap<string, number>;
  /** Objects that exist and differ. */
  readonly different: Firsts<Different>;
  /** Grants, memberships and links of users of the input that only the target has, project grants of its projects, triggers and lists of texts. */
  readonly onlyOnTarget: Firsts<Pick<Named, "type" | "id" | "orgId" | "userId"> & Partial<GrantPlaces>>;
  /** How many role grants only the target has that the source may have, too: an export can lack them (see `GrantsOfExport`). */
  readonly unknownGrants: number;
  /** Service users that only the target has. */
  readonly otherMachines: Firsts<Pick<Named, "type" | "id" | "orgId"> & { readonly name?: string }>;
}

/**
 * Compares the objects of some sections, human users not among them, with a fresh export of the target, and prints nothing.
 *
 * @param wants "id": the objects are not compared, but what belongs to them is looked for on the target, and triggers that only the target has.
 * @param states "compared": an object that is deactivated on the target alone is different, and a deactivated grant there gives nothing.
 */
export async function compareObjects(
  run: Omit<Comparison, "report">,
  scan: BodyScan,
  timeout: string,
  wants: (section: string) => boolean | "id",
  { transport = "auto", states }: { transport?: ExportFlags["transport"]; states?: "compared" } = {},
): Promise<ComparedObjects> {
  const { input, context } = run;
  const inactive = states === undefined ? NOTHING_INACTIVE : await readInactive(run, scan);
  const comparison = new ElementComparison();
  const counts = { ...scan.counts, withHash: 0, withOtp: 0 };
  const triggers = new Set<string>();
  const grantedProjects = new GrantedProjects();
  const grantsOfExport = new GrantsOfExport(input, scan);
  let unknownGrants = 0;
  await eachObject(input, scan, context.signal, (object) => {
    const { key, type, id, fields, isRepeated } = object;
    grantsOfExport.take(object);
    if (type === TRIGGERS) triggers.add(key);
    if (wants(type) === true && !isRepeated) {
      comparison.expect(key, fields);
      grantedProjects.add(object);
    }
    if (OF_OWNERS.has(type) && wants("humanUsers") === "id") comparison.expect(ownerKey(id), []);
  });
  // Human users that an export lacks, perhaps permanently (service behaviour 0.41), are not compared here.
  const flags = { timeout, transport, awaited: "service-users" } as const;
  const onlyOnTarget: ComparedObjects["onlyOnTarget"] = new Firsts();
  const otherMachines: ComparedObjects["otherMachines"] = new Firsts();
  const onUnexpected = (object: Named): void => {
    const { key, type, id, orgId, userId, userName, granted } = object;
    if (type === "machineUsers" && wants(type) === true)
      otherMachines.add({ type, id, orgId, ...(userName === "" ? {} : { name: userName }) });
    const isOfUser = userId !== undefined && comparison.find(ownerKey(userId), []);
    // The organization that has the grant can give its roles. Other projects of the target are its own.
    const isOfProject = granted !== undefined && comparison.isThere(keyOf(orgId, "projects", granted.projectId));
    const isTrigger = type === TRIGGERS && wants(type) === "id" && !triggers.has(key);
    const isTexts = textLists.has(type) && wants(type) === true;
    if (!isTrigger && !isTexts && (wants(type) !== true || !(isOfUser || isOfProject))) return;
    if (inactive.has(keyOf(orgId, type, id))) return;
    const isAtSource = grantsOfExport.isAtSource(object);
    if (isAtSource === undefined) unknownGrants += 1;
    if (isAtSource !== false) return;
    onlyOnTarget.add({ type, id, orgId, ...(userId === undefined ? {} : { userId }), ...granted });
  };
  const { isSlow, projectIds } = await readTarget(
    run,
    { ...scan, counts },
    flags,
    { comparison, granted: grantedProjects },
    { onUnexpected, wholeLists: textLists },
  );
  const different = new Firsts<Different>();
  const missing = new Map<string, number>();
  await eachObject(
    input,
    scan,
    context.signal,
    ({ key, type, fields, id, orgId, userId, roleKeys, granted, line, isLeftOut }) => {
      const verdict = wants(type) === true ? comparison.takeVerdict(key, fields) : undefined;
      // No import sends them.
      if (verdict?.isThere === false && messageLists.has(type) && fields.length > 0)
        different.add({ type, id, orgId, line, fields: ["missing"] });
      if (verdict?.isThere === false && isLeftOut?.() !== true) missing.set(type, (missing.get(type) ?? 0) + 1);
      if (verdict === undefined || !verdict.isThere) return;
      const names = [...verdict.different, ...(inactive.get(key) === "on-target-only" ? ["state"] : [])];
      const hasMore = verdict.added.some((name) => name === rolesMember(type));
      const owner = userId === undefined ? {} : { userId, roleKeys, ...(hasMore ? { moreRoles: true as const } : {}) };
      const others = { ...owner, ...granted, ...inputStateOf(names, fields) };
      if (names.length > 0) different.add({ type, id, orgId, line, fields: names, ...others });
    },
  );
  const isThere = (orgId: string, section: string, id: string): boolean =>
    comparison.isThere(keyOf(orgId, section, id));
  return { isSlow, projectIds, isThere, missing, different, onlyOnTarget, unknownGrants, otherMachines };
}

/**
 * Looks for grants, memberships and links that only the target has, as an update does: in the lists that the input has. undefined without
 * such lists, and, with a warning, if the target cannot be exported.
 */
export async function findOnlyOnTarget(
  run: Comparison,
  scan: BodyScan,
  timeout: string,
): Promise<Differences["onlyOnTarget"]> {
  const lists = otherLists(scan.sections);
  if (![...lists.keys()].some((list) => Object.hasOwn(ownedLists, list))) return undefined;
  try {
    const wants = (section: string): boolean | "id" => (section === "humanUsers" ? "id" : lists.has(section));
    const compared = await compareObjects(run, scan, timeout, wants, { states: "compared" });
    tellUnknownGrants(compared, run);
    return compared.onlyOnTarget;
  } catch (error) {
    if (!(error instanceof ProblemError) || run.context.signal.aborted) throw error;
    const { message } = describe(error.problem);
    run.ui.warn(
      `which grants, memberships and links are on the target only is not known, since it cannot be exported: ${message}`,
    );
    return undefined;
  }
}

/** Says how many role grants of the target the export of the source may lack. */
export function tellUnknownGrants(
  { unknownGrants }: Pick<ComparedObjects, "unknownGrants">,
  { ui }: Pick<Comparison, "ui">,
): void {
  if (unknownGrants === 0) return;
  const cannot = `${counted(unknownGrants, "role grant")} on the target cannot be compared`;
  ui.say(`          ${cannot}: an export can lack role grants in projects of other organizations`);
}

/** The state in the input of a service user or an organization whose state differs. */
function inputStateOf(different: readonly string[], fields: readonly NamedText[]): Pick<Different, "inputState"> {
  const name = ["closed", "orgState"].find((one) => different.includes(one));
  if (name === undefined) return {};
  const [, text = ""] = fields.find((field) => field[0] === name) ?? [];
  return { inputState: text.includes("INACTIVE") ? "inactive" : text.includes("LOCKED") ? "locked" : "active" };
}

/** Keys of objects that are deactivated on the target. */
type InactiveOnTarget = ReadonlyMap<string, "on-both" | "on-target-only">;

const NOTHING_INACTIVE: InactiveOnTarget = new Map();

/** No export says what is deactivated (service behaviour 9.37). Empty if the target does not offer its events. Raises net.*, auth.refused. */
async function readInactive(run: Omit<Comparison, "report">, { orgs }: BodyScan): Promise<InactiveOnTarget> {
  const atSource = new Set(run.input.inactive?.map(inactiveKey));
  const found = (await findInactive(run, { orgIds: orgs.map(({ orgId }) => orgId) })) ?? [];
  return new Map(
    found.flatMap((object) => {
      const { type, id, orgId, userId = "", projectId = "" } = object;
      const where = atSource.has(inactiveKey(object)) ? "on-both" : "on-target-only";
      const ofType = {
        user_grant: [["userGrants", `${projectId}_${userId}`]],
        project: [["projects", id]],
        project_grant: [["projectGrants", id]],
        application: APPLICATIONS.map((section) => [section, id]),
        action: [["actions", id]],
        // They are compared as a list.
        identity_provider: [],
      } as const;
      return ofType[type].map(([section = "", one = ""]) => [keyOf(orgId, section, one), where] as const);
    }),
  );
}

const USER_GRANTS = "userGrants";

const TRIGGERS = "triggerActions";

const APPLICATIONS = ["oidcApps", "apiApps"] as const;

const PROJECT_GRANTS: ReadonlySet<string> = new Set(["projectGrants", "projectGrantMembers"]);

/**
 * The project grants of a body and their members, by their projects. An export lacks those of organizations that are not exported
 * (service behaviour 9.41), and an import of one leaves them out.
 */
class GrantedProjects {
  readonly #projects = new Map<string, { readonly orgId: string; readonly keys: string[] }>();

  add({ key, type, orgId, value, granted, isLeftOut }: Named): void {
    if (!PROJECT_GRANTS.has(type) || isLeftOut?.() === true) return;
    const projectId = granted?.projectId ?? textMember(membersOf(value), "projectId");
    const project = this.#projects.get(projectId) ?? { orgId, keys: [] };
    project.keys.push(key);
    this.#projects.set(projectId, project);
  }

  /** The projects that the target's export lacks one of, with their organizations. */
  lacking(comparison: ElementComparison): readonly (readonly [projectId: string, orgId: string])[] {
    return [...this.#projects].flatMap(([projectId, { orgId, keys }]) =>
      keys.every((key) => comparison.isThere(key)) ? [] : [[projectId, orgId] as const],
    );
  }
}

/**
 * The role grants that an export can have: none in a project of an organization that it lacks, and the service leaves out those in a project
 * of an organization that comes later (service behaviour 9.43). The source may have one that such an export lacks.
 */
class GrantsOfExport {
  readonly #isExport: boolean;
  /** Of a copy: what its source has, and the input lacks. */
  readonly #outside: ReadonlySet<string> | undefined;
  readonly #orgs: readonly { readonly orgId: string; readonly file: string | undefined }[];
  /** By project: its organization. */
  readonly #homes = new Map<string, string>();
  /** The projects with role grants, by the organizations that give them. */
  readonly #given = new Map<string, Set<string>>();

  constructor(input: Comparison["input"], { orgs, orgMap, carries }: BodyScan) {
    this.#isExport = carries === "export";
    const toKey = (grant: GrantPlace): string => grantKey({ ...grant, orgId: orgMap?.get(grant.orgId) ?? grant.orgId });
    this.#outside = input.grantsOutside && new Set(input.grantsOutside.map(toKey));
    this.#orgs = orgs.map(({ orgId, line }) => ({ orgId, file: input.place?.(line).file }));
  }

  /** Takes an object of the export. */
  take({ type, id, orgId, value }: Named): void {
    if (!this.#isExport || this.#outside !== undefined) return;
    if (type === "projects") this.#homes.set(id, orgId);
    if (type !== USER_GRANTS) return;
    const given = this.#given.get(orgId) ?? new Set();
    this.#given.set(orgId, given.add(textMember(membersOf(value), "projectId")));
  }

  /** True if the source has an object that the export lacks; undefined: unknown. */
  isAtSource({ type, orgId, userId = "", value }: Named): boolean | undefined {
    if (!this.#isExport || type !== USER_GRANTS) return false;
    const projectId = textMember(membersOf(value), "projectId");
    if (this.#outside !== undefined) return this.#outside.has(grantKey({ orgId, userId, projectId }));
    const home = this.#homes.get(projectId);
    if (home === undefined) return undefined;
    return this.#isKept(orgId, home) || this.#hasAll() ? false : undefined;
  }

  /** An export by events has also those that the service leaves out. */
  #hasAll(): boolean {
    const isOther = (orgId: string, projectId: string): boolean => {
      const home = this.#homes.get(projectId);
      return home !== undefined && !this.#isKept(orgId, home);
    };
    return [...this.#given].some(([orgId, projects]) => [...projects].some((projectId) => isOther(orgId, projectId)));
  }

  /** True if the service exports the role grants that one organization gives in the projects of another one. */
  #isKept(orgId: string, home: string): boolean {
    const [own, other] = [orgId, home].map((id) => this.#orgs.findIndex((org) => org.orgId === id)) as [number, number];
    return other <= own && this.#orgs[own]?.file === this.#orgs[other]?.file;
  }
}

function grantKey({ orgId, userId, projectId }: GrantPlace): string {
  return keyOf(orgId, USER_GRANTS, `${projectId}_${userId}`);
}

/** What was read of a target. */
interface ReadTarget extends Pick<ComparedObjects, "isSlow" | "projectIds"> {
  /** Role grants that its export leaves out, too; false if events cannot be read. */
  readonly hasAllGrants: boolean;
}

/**
 * Compares the objects of the target; returns the first thousand that are not expected.
 *
 * @param expected what the input has.
 * @param wholeLists lists of heads in which an element that only the target has is a difference.
 */
async function readTarget(
  { api, context, ui }: Omit<Comparison, "report">,
  { orgs, counts, carries }: BodyScan,
  given: Pick<ExportFlags, "timeout" | "transport" | "awaited">,
  { comparison, granted }: { readonly comparison: ElementComparison; readonly granted: GrantedProjects },
  {
    onUnexpected,
    wholeLists,
  }: { readonly onUnexpected?: (object: Named) => void; readonly wholeLists?: ReadonlySet<string> } = {},
): Promise<ReadTarget & { readonly unexpected: readonly string[] }> {
  const flags: ExportFlags = {
    ...given,
    orgId: orgs.map(({ orgId }) => orgId),
    excludeOrgId: [],
    withPasswords: counts.withHash > 0,
    withOtp: counts.withOtp > 0,
    settleMs: SETTLE_MS,
    mayBeAbsent: true,
  };
  const {
    sink,
    bytes,
    counts: found,
    slowLists,
    ...others
  } = await exportWhole({ api, ui, context }, flags, () => toSpool(context));
  const target = sink.finish(exportName(api.address.host));
  const unexpected: string[] = [];
  const note = (object: Named): void => {
    onUnexpected?.(object);
    if (unexpected.length < LISTED) unexpected.push(api.redactor.clean(`${object.type} ${object.id}`));
  };
  const projectIds = new Set<string>();
  /** Members of projects that were noted. */
  const members = new Set<string>();
  const isSlow = slowLists.length > 0;
  try {
    if (bytes === 0 || found.orgs === 0) return { unexpected, isSlow, projectIds, hasAllGrants: true };
    const { scan } = await scanInput(target, { onFault() {} }, ui, context.signal);
    const take = (object: Named): void => {
      const { key, fields, type, id } = object;
      if (type === "projects") projectIds.add(id);
      if (comparison.find(key, fields, isWhole(object) || wholeLists?.has(type) === true)) return;
      // A body of users has none of them.
      if (carries === "body" && (isSetting(type) || type === "domains")) return;
      // The service repeats the members of a project in every organization of an export.
      const isOfOther = ({ orgId }: (typeof orgs)[number]): boolean =>
        comparison.find(keyOf(orgId, type, id), fields, true);
      if (type === "projectMembers" && (members.has(id) || orgs.some(isOfOther))) return;
      if (type === "projectMembers") members.add(id);
      note(object);
    };
    await eachObject(target, scan, context.signal, take);
    const { retry, signal } = askingOf({ api, ui, context });
    const scope = { hasOrg: (id: string) => !flags.orgId.includes(id), hasUser: () => true };
    for (const [projectId, orgId] of granted.lacking(comparison)) {
      const add = (section: string, entry: object): void => take(namedOf(section, entry, { orgId, line: 0 }));
      const reader = createOrgReader(api, orgId, retry, signal);
      await ifOffered(() => readProjectGrants(reader, projectId, scope, { add }));
    }
    const grants = await leftGrants({ api, ui, context }, others);
    for (const { orgId, ...grant } of grants === undefined ? [] : [...grants.left, ...grants.outside]) {
      const id = elementId(USER_GRANTS, grant) ?? "";
      const fields = fieldsOf(USER_GRANTS, grant);
      const { userId, roleKeys } = grant;
      if (comparison.find(keyOf(orgId, USER_GRANTS, id), fields, true)) continue;
      note({ key: "", type: USER_GRANTS, id, orgId, line: 0, fields, value: grant, userName: "", userId, roleKeys });
    }
    return { unexpected, isSlow, projectIds, hasAllGrants: grants !== undefined };
  } finally {
    await target.close();
  }
}

/** Reads the file once more, and lists missing and different objects. */
async function collect(
  run: Comparison,
  scan: BodyScan,
  comparison: ElementComparison,
  { projectIds, hasAllGrants }: Pick<ReadTarget, "projectIds" | "hasAllGrants">,
): Promise<Omit<Differences, "unit" | "expected" | "unexpected" | "leftOut"> & { readonly leftOut: number }> {
  let [leftOut, unknownGrants] = [0, 0];
  const names = new Map<string, string>();
  const [missing, different, changedSince] = [new Firsts<Missing>(), new Firsts<Different>(), new Firsts<Different>()];
  const [keptVerified, notInFile] = [new Firsts<Different>(), new Firsts<Different>()];
  let identical = 0;
  const { comparePassword, values } = await readPasswords(run, scan);
  const lackedOf = await openLacked(run, scan, values, false);
  const inactive = await readInactive(run, scan);
  await eachObject(run.input, scan, run.context.signal, (object) => {
    const { key, type, id, orgId, line, userName, fields: own, value } = object;
    const verdict = comparison.takeVerdict(key, own);
    if (verdict === undefined) return;
    const isOfOther = type === USER_GRANTS && !projectIds.has(textMember(membersOf(value), "projectId"));
    const isUnknown = !verdict.isThere && isOfOther && !hasAllGrants;
    if (isUnknown) unknownGrants += 1;
    if (isUnknown || object.isRepeated || (!verdict.isThere && object.isLeftOut?.() === true)) {
      leftOut += 1;
      return;
    }
    const place = { type, id, orgId, line };
    const password =
      type === "humanUsers" && scan.counts.withHash > 0
        ? comparePassword(orgId, id, verdict.different.includes("hash"))
        : undefined;
    const others = verdict.different.filter((name) => password === undefined || name !== "hash");
    const found = [...others, ...(password?.different ?? [])];
    const verified = keptVerifications(found, Object.fromEntries(own));
    const lacking = verdict.isThere && type === "humanUsers" ? lackedOf(orgId, id, value) : [];
    const kept = [...verified, ...keptFields(found, lacking)];
    const fields = found.filter((name) => !kept.includes(name));
    // An import makes every object active.
    const later = [...(password?.changedSince ?? []), ...(inactive.get(key) === "on-target-only" ? ["state"] : [])];
    const known = [...fields, ...later, ...verified];
    const lacked = lacking.filter((name) => !known.includes(name));
    const isListed = !verdict.isThere || known.length + lacked.length > 0;
    if (isListed && userName !== "" && names.size < 2 * LISTED) names.set(id, userName);
    if (!verdict.isThere) {
      missing.add(place);
      return;
    }
    if (fields.length > 0) different.add({ ...place, fields });
    else if (later.length > 0) changedSince.add({ ...place, fields: later });
    else if (verified.length > 0) keptVerified.add({ ...place, fields: verified });
    if (lacked.length > 0) notInFile.add({ ...place, fields: lacked });
    else if (known.length === 0) identical += 1;
  });
  if (unknownGrants > 0)
    run.ui.warn(
      `${counted(unknownGrants, "role grant")} in projects of other organizations cannot be compared, since events cannot be read.`,
    );
  return { missing, different, changedSince, keptVerified, notInFile, identical, names, leftOut };
}

interface Named {
  readonly key: string;
  readonly type: string;
  readonly id: string;
  readonly orgId: string;
  readonly line: number;
  readonly fields: readonly NamedText[];
  /** The object itself; undefined for an organization. */
  readonly value?: unknown;
  /** Of a user; "" for anything else. */
  readonly userName: string;
  /** The user that the object belongs to. */
  readonly userId?: string | undefined;
  /** Of a role grant or a membership. */
  readonly roleKeys?: readonly string[] | undefined;
  /** Of a project grant. */
  readonly granted?: GrantPlaces | undefined;
  /**
   * True if an import leaves the object out: the target has its own (see `findBuiltIn`), or the object refers to something that the export
   * does not hold. undefined: no, or the references of the export were not read.
   */
  readonly isLeftOut?: (() => boolean) | undefined;
  /** The export has it in its own organization, too (see `References.isRepeated`). */
  readonly isRepeated?: boolean;
}

/**
 * Sections that no import carries to the target (spec: Not carried), and those of the first major version that a later one keeps within its
 * login policy (service behaviour 1.3).
 */
const notCompared = new Set(["appKeys", "secondFactors", "multiFactors", "idps"]);
/** Sections with another name in the first major version. */
const laterNames: Readonly<Record<string, string>> = { iamPolicy: "domainPolicy" };

/** Every organization, setting and object of a document that has an id, and the links within users. */
async function eachObject(
  input: Document,
  {
    orgs,
    orgMap,
    idpMap,
    references,
    carries,
  }: Pick<BodyScan, "orgs" | "orgMap" | "idpMap" | "references" | "carries">,
  signal: AbortSignal,
  onObject: (object: Named) => void,
): Promise<void> {
  const orgIds = new Set(orgs.map(({ orgId }) => orgId));
  for (const { orgId, line } of orgs)
    onObject({ key: orgId, type: "org", id: orgId, orgId, line, fields: [], userName: "" });
  const take = ({ section: name, org, value: found, line }: WalkedObject): void => {
    const inOrg = orgMap === undefined ? found : withMappedOrgs(found, orgMap);
    const value = idpMap !== undefined && namesIdps.has(name) ? withMappedIdp(inOrg, idpMap) : inOrg;
    const section = laterNames[name] ?? name;
    if (!isSetting(section) && elementId(section, value) === undefined) return;
    const orgId = orgs[org]?.orgId ?? "";
    const named = namedOf(section, value, { orgId, line });
    onObject({
      ...named,
      // Only an export says that a user has no password.
      fields: named.fields.filter(([name, text]) => !(carries === "body" && name === "hash" && text === "")),
      isLeftOut: references && (() => references.isLeftOut(section, org, value, orgIds)),
      isRepeated: references?.isRepeated(section, org, value) === true,
    });
    for (const link of section === "humanUsers" ? linksOf(value) : [])
      take({ section: "userLinks", org, value: link, line });
  };
  await walkObjects(input, { signal }, (section) => !notCompared.has(section), take);
}

/** A setting, or an element with an id. */
function namedOf(section: string, value: unknown, { orgId, line }: Pick<Named, "orgId" | "line">): Named {
  const id = isSetting(section) ? "" : (elementId(section, value) ?? "");
  const owner = ownedLists[section];
  const { user } = membersOf(OF_OWNERS.has(section) ? value : undefined);
  return {
    ...{ key: keyOf(orgId, section, comparedId(section, value) ?? id), type: section, id, orgId, line, value },
    userId: owner === undefined ? undefined : textMember(membersOf(value), owner),
    userName: textMember(membersOf(user), "userName"),
    roleKeys: rolesIn(section, value),
    granted: grantPlaces(section, value),
    fields: fieldsOf(section, value),
  };
}

/**
 * True if a field that only the target has is a difference: not of a person, who may have more, of metadata, which have one value, nor of the
 * lists of a head, whose elements are compared one by one.
 */
function isWhole({ type, fields }: Named): boolean {
  return type !== "humanUsers" && type !== "userMetadata" && !fields.some(([name]) => name === type);
}

/** Links are walked apart from their users. */
const namesIdps: ReadonlySet<string> = new Set(["userLinks", "loginPolicy"]);

/** Sections of users. */
const OF_OWNERS: ReadonlySet<string> = new Set(["humanUsers", "machineUsers"]);

/** Users have one id in all organizations. */
function ownerKey(id: string): string {
  return keyOf("", "owner", id);
}

function keyOf(orgId: string, section: string, id: string): string {
  const name = laterNames[section] ?? section;
  return `${orgId}\u0000${name}\u0000${id}`;
}

/** True for a setting, which stands once in an organization and is named by its key. */
function isSetting(section: string): boolean {
  return stepOf(section) === 0;
}
