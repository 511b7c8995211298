import { listEvents } from "../../admin/events.ts";
import { readInstanceVersion } from "../../admin/version.ts";
import { capabilitiesOf } from "../../contract/versions.ts";
import { recoveryCodeEventTypes, remainingCodes } from "../../core/events/rebuild/user-fold.ts";
import { USER_REMOVED } from "../../core/events/user-life.ts";
import { createRetry } from "../shared/asking.ts";
import { ifOffered } from "../shared/not-offered.ts";
import type { ExportCall, Held } from "./receive.ts";
import type { UsedTransport } from "./request.ts";

/**
 * How many users of an export have recovery codes that it lacks: only an export by events has them (service behaviour 9.26). 0 if OTP
 * secrets were not requested either, or if the instance has no such codes or does not offer its log. Raises net.*, auth.refused.
 */
export async function countLeftCodes(
  { api, ui, context }: ExportCall,
  { held, transport }: { readonly held: Held; readonly transport: UsedTransport },
  withOtp: boolean,
): Promise<number> {
  const { signal } = context;
  if (!withOtp || transport === "events") return 0;
  if (!capabilitiesOf(await readInstanceVersion(api, signal)).recoveryCodes) return 0;
  const eventTypes = [USER_REMOVED, ...recoveryCodeEventTypes];
  const retry = createRetry(ui, context);
  const count = async (): Promise<number> => {
    const codes = new Map<string, readonly string[]>();
    for (const orgId of held.orgIds)
      for await (const { aggregate, type, payload } of listEvents(api, { eventTypes, orgId }, retry, signal)) {
        const left =
          type.type === USER_REMOVED ? [] : remainingCodes(codes.get(aggregate.id) ?? [], type.type, payload);
        if (left.length > 0) codes.set(aggregate.id, left);
        else codes.delete(aggregate.id);
      }
    return codes.size;
  };
  return (await ifOffered(count)) ?? 0;
}
