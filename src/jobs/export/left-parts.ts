import { listEvents } from "../../admin/events.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import type { ServiceEvent } from "../../contract/events.ts";
import { capabilitiesOf } from "../../contract/versions.ts";
import { GRANT_ADDED, grantChanges, grantRemovals } from "../../core/events/belonging-log.ts";
import { recoveryCodeEventTypes, remainingCodes } from "../../core/events/rebuild/user-fold.ts";
import { USER_REMOVED } from "../../core/events/user-life.ts";
import { fieldsOf, textMember, textsMember } from "../../core/json/members.ts";
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
  return usersHaving(call, held, recoveryCodeEventTypes, ({ aggregate: { id }, type: { type }, payload }) => {
    const left = type === USER_REMOVED ? [] : remainingCodes(codes.get(id) ?? [], type, payload);
    codes.set(id, left);
    return left.length > 0;
  });
}

const [OTP_VERIFIED, OTP_REMOVED] = ["user.human.mfa.otp.verified", "user.human.mfa.otp.removed"] as const;

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
  return usersHaving(call, held, [OTP_VERIFIED, OTP_REMOVED], ({ type: { type } }) => type === OTP_VERIFIED);
}

/** The users who have something after the last of their events. `isThere`: after this one. None if the instance does not offer its log. */
async function usersHaving(
  call: CallWorld,
  held: Held,
  types: readonly string[],
  isThere: (event: ServiceEvent) => boolean,
): Promise<readonly string[]> {
  const { api, retry, signal } = askingOf(call);
  const users = new Set<string>();
  const found = await ifOffered(async () => {
    for (const orgId of held.orgIds)
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
}

/**
 * Role grants in granted projects that the service leaves out of an export because it exports the organization of the user before the one of
 * the project (service behaviour 9.43), deactivated ones among them. Other grants that an export lacks are lost, or late, and not among these.
 * None if the instance does not offer its log. Raises net.*, auth.refused.
 */
export async function leftGrants(
  call: CallWorld,
  { held, transport }: { readonly held: Held; readonly transport: UsedTransport },
): Promise<readonly LeftGrant[]> {
  if (held.orgIds.length < 2 || transport === "events") return [];
  const { api, retry, signal } = askingOf(call);
  const left = new Map<string, LeftGrant>();
  const eventTypes = [GRANT_ADDED, ...grantChanges, ...grantRemovals, USER_REMOVED];
  await ifOffered(async () => {
    for (const [at, orgId] of held.orgIds.entries()) {
      const later = held.orgIds.slice(at + 1);
      const isLeftOut = ({ userId, projectId }: LeftGrant): boolean =>
        held.hasUser(orgId, userId) &&
        !held.hasElement(orgId, "userGrants", `${projectId}_${userId}`) &&
        later.some((id) => held.hasElement(id, "projects", projectId));
      for await (const event of listEvents(api, { eventTypes, orgId }, retry, signal))
        takeGrantEvent(left, event, isLeftOut);
    }
  });
  return [...left.values()];
}

function takeGrantEvent(
  left: Map<string, LeftGrant>,
  { aggregate: { id, resourceOwner: orgId }, type: { type }, payload }: ServiceEvent,
  isLeftOut: (grant: LeftGrant) => boolean,
): void {
  const fields = fieldsOf(payload);
  const text = (name: string): string => textMember(fields, name);
  const roleKeys = textsMember(fields, "roleKeys");
  const known = left.get(id);
  if (type === GRANT_ADDED) {
    const grant = { orgId, userId: text("userId"), projectId: text("projectId"), projectGrantId: text("grantId") };
    if (isLeftOut({ ...grant, roleKeys })) left.set(id, { ...grant, roleKeys });
  } else if (type === USER_REMOVED) {
    // A user who is created again has none of the former user's grants.
    for (const [grantId, { userId }] of left) if (userId === id) left.delete(grantId);
  } else if (grantRemovals.includes(type)) left.delete(id);
  else if (known !== undefined) left.set(id, { ...known, roleKeys });
}
