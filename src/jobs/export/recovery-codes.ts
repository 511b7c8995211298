import { listEvents } from "../../admin/events.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { capabilitiesOf } from "../../contract/versions.ts";
import { recoveryCodeEventTypes, remainingCodes } from "../../core/events/rebuild/user-fold.ts";
import { USER_REMOVED } from "../../core/events/user-life.ts";
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
  const { api, retry, signal } = askingOf(call);
  if (!withOtp || transport === "events") return [];
  if (!capabilitiesOf(await readInstanceVersion(api, signal)).recoveryCodes) return [];
  const eventTypes = [USER_REMOVED, ...recoveryCodeEventTypes];
  const find = async (): Promise<readonly string[]> => {
    const codes = new Map<string, readonly string[]>();
    for (const orgId of held.orgIds)
      for await (const { aggregate, type, payload } of listEvents(api, { eventTypes, orgId }, retry, signal)) {
        const left =
          type.type === USER_REMOVED ? [] : remainingCodes(codes.get(aggregate.id) ?? [], type.type, payload);
        if (left.length > 0) codes.set(aggregate.id, left);
        else codes.delete(aggregate.id);
      }
    return [...codes.keys()];
  };
  return (await ifOffered(find)) ?? [];
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
  const { api, retry, signal } = askingOf(call);
  const eventTypes = [USER_REMOVED, OTP_VERIFIED, OTP_REMOVED];
  const find = async (): Promise<readonly string[]> => {
    const users = new Set<string>();
    for (const orgId of held.orgIds)
      for await (const { aggregate, type } of listEvents(api, { eventTypes, orgId }, retry, signal))
        if (type.type === OTP_VERIFIED) users.add(aggregate.id);
        else users.delete(aggregate.id);
    return [...users];
  };
  return (await ifOffered(find)) ?? [];
}
