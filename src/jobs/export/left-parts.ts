import { listEvents, newestEvent } from "../../admin/events.ts";
import { listsGrant } from "../../admin/org-lists.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { withRetry } from "../../admin/with-retry.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { capabilitiesOf } from "../../contract/versions.ts";
import type { OrgMap } from "../../core/document/org-map.ts";
import { GRANT_ADDED, grantChanges, grantRemovals } from "../../core/events/belonging-log.ts";
import { recoveryCodeEventTypes, remainingCodes } from "../../core/events/rebuild/user-fold.ts";
import { OTP_REMOVED, OTP_VERIFIED } from "../../core/events/user-change.ts";
import { USER_REMOVED } from "../../core/events/user-life.ts";
import { fieldsOf, textMember, textsMember } from "../../core/json/members.ts";
import { isLater } from "../../core/rules/moment.ts";
import { askingOf, type CallWorld } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import type { Held } from "./receive.ts";
import type { UsedTransport } from "./request.ts";

/**
 * The ids of users of an export with recovery codes that it lacks: only an export by events has them (service behaviour 9.26). None if OTP
 * secrets were not requested either, or if the instance has no such codes or does not offer its log. Raises net.*, auth.refused.
 */
export async function usersWithLeftCodes(
  call: CallWorld,
  { held, transport }: { readonly held: Held; readonly transport: UsedTransport },
  withOtp: boolean,
): Promise<readonly string[]> {
  const { api, signal } = askingOf(call);
  if (!withOtp || transport === "events") return [];
  if (!capabilitiesOf(await readInstanceVersion(api, signal)).recoveryCodes) return [];
  const codes = new Map<string, readonly string[]>();
  return usersHaving(call, held.orgIds, recoveryCodeEventTypes, ({ aggregate: { id }, type: { type }, payload }) => {
    const left = type === USER_REMOVED ? [] : remainingCodes(codes.get(id) ?? [], type, payload);
    codes.set(id, left);
    return left.length > 0;
  });
}

const PROJECT_ADDED = "project.added";

/**
 * The ids of users of an export who sign in with one-time codes, if OTP secrets were not requested. None if the instance does not offer its
 * log. Raises net.*, auth.refused.
 */
export async function usersWithLeftOtp(
  call: CallWorld,
  { held }: { readonly held: Held },
  withOtp: boolean,
): Promise<readonly string[]> {
  if (withOtp) return [];
  return usersHaving(call, held.orgIds, [OTP_VERIFIED, OTP_REMOVED], ({ type: { type } }) => type === OTP_VERIFIED);
}

/** Second factors by the events that add and remove them; a security key by its id. */
const FACTORS: Readonly<Record<string, readonly [factor: string, isThere: boolean]>> = {
  "user.human.mfa.otp.sms.added": ["sms", true],
  "user.human.mfa.otp.sms.removed": ["sms", false],
  "user.human.mfa.otp.email.added": ["email", true],
  "user.human.mfa.otp.email.removed": ["email", false],
  "user.human.mfa.u2f.token.verified": ["u2f", true],
  "user.human.mfa.u2f.token.removed": ["u2f", false],
};
const CODES_OF_APPS: typeof FACTORS = { [OTP_VERIFIED]: ["otp", true], [OTP_REMOVED]: ["otp", false] };

/**
 * The ids of users of an export with a second factor that no export has: codes by SMS or e-mail, and security keys (service behaviour 9.46).
 * Of a copy, without those who have a second factor on the target. None if the instance does not offer its log. Raises net.*, auth.refused.
 */
export async function usersWithLeftFactors(
  call: CallWorld,
  { orgIds }: Pick<Held, "orgIds">,
  copy: { readonly api: CallWorld["api"]; readonly orgMap: OrgMap } | undefined,
): Promise<readonly string[]> {
  const found = await usersWithFactors(call, orgIds, FACTORS);
  if (found.size === 0 || copy === undefined) return [...found];
  const target = { ...call, api: copy.api };
  const there = orgIds.map((id) => copy.orgMap.get(id) ?? id);
  const safe = await usersWithFactors(target, there, { ...FACTORS, ...CODES_OF_APPS });
  return [...found].filter((id) => !safe.has(id));
}

async function usersWithFactors(
  call: CallWorld,
  orgIds: readonly string[],
  factors: typeof FACTORS,
): Promise<ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  const having = await usersHaving(
    call,
    orgIds,
    Object.keys(factors),
    ({ aggregate: { id }, type: { type }, payload }) => {
      const known = factors[type];
      const held = known === undefined ? new Set<string>() : (users.get(id) ?? new Set<string>());
      users.set(id, held);
      if (known === undefined) return false; // the user was deleted
      const [factor, isThere] = known;
      const name = `${factor} ${textMember(fieldsOf(payload), "webAuthNTokenId")}`;
      if (isThere) held.add(name);
      else held.delete(name);
      return held.size > 0;
    },
  );
  return new Set(having);
}

/** The users who have something after the last of their events. `isThere`: after this one. None if the instance does not offer its log. */
async function usersHaving(
  call: CallWorld,
  orgIds: readonly string[],
  types: readonly string[],
  isThere: (event: ServiceEvent) => boolean,
): Promise<readonly string[]> {
  const { api, retry, signal } = askingOf(call);
  const users = new Set<string>();
  const found = await ifOffered(async () => {
    for (const orgId of orgIds)
      for await (const event of listEvents(api, { eventTypes: [USER_REMOVED, ...types], orgId }, retry, signal))
        if (isThere(event)) users.add(event.aggregate.id);
        else users.delete(event.aggregate.id);
    return [...users];
  });
  return found ?? [];
}

/** A role grant that an export lacks. */
export interface LeftGrant {
  readonly orgId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
  /** The organizations of the user and of the project that the export does not have, as far as they are known. */
  readonly notExported?: readonly string[];
}

/** Role grants that an export lacks. */
export interface LeftGrants {
  /**
   * In granted projects: the service leaves them out of an export because it exports their organization before the one of the project
   * (service behaviour 9.43).
   */
  readonly left: readonly LeftGrant[];
  /** Of users, or in projects, of organizations that the export does not have. */
  readonly outside: readonly LeftGrant[];
}

export const NO_GRANTS: LeftGrants = { left: [], outside: [] };

/**
 * Role grants of an export's organizations that it lacks although they are in the event log, deactivated ones among them. Other grants that
 * an export lacks are lost, or late, and not among these. undefined if the instance does not offer its log. Raises net.*, auth.refused.
 */
export async function leftGrants(
  call: CallWorld,
  { held, transport }: { readonly held: Held; readonly transport: UsedTransport },
): Promise<LeftGrants | undefined> {
  const { api, retry, signal } = askingOf(call);
  const grants = new GrantsOutOf(held);
  const eventTypes = [GRANT_ADDED, ...grantChanges, ...grantRemovals, USER_REMOVED];
  const found = await ifOffered(async () => {
    for (const orgId of held.orgIds)
      for await (const event of listEvents(api, { eventTypes, orgId }, retry, signal)) grants.take(event);
    return grants.found();
  });
  if (found === undefined) return undefined;
  // The deletion of an organization leaves the grants of its users in the log.
  const foreign = new Set(found.outside.map(({ userId }) => userId).filter((id) => !grants.isHeld(id)));
  const users = await orgsOfUsers(call, [...foreign]);
  const outside = await ofListedProjects(
    call,
    found.outside.filter(({ userId }) => users === undefined || !foreign.has(userId) || users.has(userId)),
  );
  return { left: transport === "events" ? [] : found.left, outside };
}

/**
 * Without the grants in projects of deleted organizations, which stay in the log (service behaviour 9.44): the service lists none of them. All
 * if the instance does not list grants. Raises run.aborted.
 */
async function ofListedProjects(call: CallWorld, grants: readonly LeftGrant[]): Promise<readonly LeftGrant[]> {
  const { api, retry, signal } = askingOf(call);
  const isListed = new Map<string, boolean>();
  const placeOf = ({ orgId, projectId }: LeftGrant): string => `${orgId} ${projectId}`;
  for (const grant of grants) {
    const { orgId, projectId } = grant;
    if (isListed.has(placeOf(grant))) continue;
    const isThere = await ifOffered(() => listsGrant(api, { orgId, projectId }, retry, signal));
    isListed.set(placeOf(grant), isThere !== false);
  }
  return grants.filter((grant) => isListed.get(placeOf(grant)));
}

/** As many users are looked up at once. */
const LOOKED_UP = 100;

/** The organizations of users who exist, by their ids. undefined if the instance does not list users. Raises run.aborted. */
async function orgsOfUsers(call: CallWorld, ids: readonly string[]): Promise<ReadonlyMap<string, string> | undefined> {
  const { api, retry, signal } = askingOf(call);
  const homes = new Map<string, string>();
  return ifOffered(async () => {
    for (let at = 0; at < ids.length; at += LOOKED_UP) {
      const userIds = ids.slice(at, at + LOOKED_UP);
      const search = { query: { offset: "0", limit: LOOKED_UP }, queries: [{ inUserIdsQuery: { userIds } }] };
      const { result } = await withRetry(() => api.searchUsers(search, signal), retry, signal);
      for (const { userId, details } of result) homes.set(userId, details.resourceOwner);
    }
    return homes;
  });
}

/** The organization of a project; "" if it is unknown. Raises run.aborted. */
async function orgOfProject(call: CallWorld, projectId: string): Promise<string> {
  const { api, retry, signal } = askingOf(call);
  const request = { aggregate_id: projectId, event_types: [PROJECT_ADDED] };
  const added = await ifOffered(() => withRetry(() => newestEvent(api, signal, request), retry, signal));
  return added?.aggregate.resourceOwner ?? "";
}

/** The grants with the organizations that the export lacks, of their users and projects. Raises run.aborted. */
export async function withHomes(
  call: CallWorld,
  { held: { orgIds, hasUser } }: { readonly held: Held },
  grants: readonly LeftGrant[],
): Promise<readonly LeftGrant[]> {
  const foreign = grants.map(({ userId }) => userId).filter((id) => !orgIds.some((orgId) => hasUser(orgId, id)));
  const ofUsers = foreign.length === 0 ? undefined : await orgsOfUsers(call, [...new Set(foreign)]);
  const ofProjects = new Map<string, string>();
  for (const { projectId } of grants)
    if (!ofProjects.has(projectId)) ofProjects.set(projectId, await orgOfProject(call, projectId));
  return grants.map((grant) => {
    const homes = new Set([ofUsers?.get(grant.userId), ofProjects.get(grant.projectId)]);
    const notExported = [...homes].flatMap((id = "") => (id === "" || orgIds.includes(id) ? [] : [id]));
    return notExported.length === 0 ? grant : { ...grant, notExported };
  });
}

interface Added {
  readonly grant: LeftGrant;
  readonly at: string;
  readonly kind: keyof LeftGrants;
}

/** The role grants of an event log that an export lacks; the events of each organization come in order. */
class GrantsOutOf {
  readonly #held: Held;
  readonly #grants = new Map<string, Added>();
  readonly #removedAt = new Map<string, string>();

  constructor(held: Held) {
    this.#held = held;
  }

  take({ aggregate: { id, resourceOwner: orgId }, type: { type }, payload, creationDate: at }: ServiceEvent): void {
    const fields = fieldsOf(payload);
    const text = (name: string): string => textMember(fields, name);
    const roleKeys = textsMember(fields, "roleKeys");
    const known = this.#grants.get(id);
    if (type === GRANT_ADDED) {
      const [userId, projectId, projectGrantId] = [text("userId"), text("projectId"), text("grantId")];
      const kind = this.#kindOf(orgId, userId, projectId);
      if (kind !== undefined)
        this.#grants.set(id, { grant: { orgId, userId, projectId, projectGrantId, roleKeys }, at, kind });
    } else if (type === USER_REMOVED) {
      const before = this.#removedAt.get(id);
      if (before === undefined || isLater(at, before)) this.#removedAt.set(id, at);
    } else if (grantRemovals.includes(type)) this.#grants.delete(id);
    else if (known !== undefined) this.#grants.set(id, { ...known, grant: { ...known.grant, roleKeys } });
  }

  /** A user who was created again has none of the former user's grants. */
  found(): LeftGrants {
    const all = [...this.#grants.values()].filter(({ grant: { userId }, at }) => {
      const removedAt = this.#removedAt.get(userId);
      return removedAt === undefined || isLater(at, removedAt);
    });
    const of = (wanted: keyof LeftGrants): readonly LeftGrant[] =>
      all.flatMap(({ grant, kind }) => (kind === wanted ? [grant] : []));
    return { left: of("left"), outside: of("outside") };
  }

  isHeld(userId: string): boolean {
    const { orgIds, hasUser } = this.#held;
    return orgIds.some((id) => hasUser(id, userId));
  }

  #kindOf(orgId: string, userId: string, projectId: string): keyof LeftGrants | undefined {
    const { orgIds, hasElement } = this.#held;
    if (hasElement(orgId, "userGrants", `${projectId}_${userId}`)) return undefined;
    if (!this.isHeld(userId)) return "outside";
    const home = orgIds.findIndex((id) => hasElement(id, "projects", projectId));
    if (home === -1) return "outside";
    return home > orgIds.indexOf(orgId) ? "left" : undefined;
  }
}
