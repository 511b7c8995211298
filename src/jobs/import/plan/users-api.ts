import { type Absence, createUsersApi } from "../../../admin/users-api.ts";
import { withRetry } from "../../../admin/with-retry.ts";
import { indexMetadata } from "../../../core/document/user-metadata.ts";
import { ProblemError } from "../../../problem.ts";
import { usersApiAbsenceLine } from "../../../ui/summary/import-plan.ts";
import { createRetry } from "../../shared/create-retry.ts";
import type { ImportRun, ImportWorld } from "../import-run.ts";
import type { UsersWay } from "../ways/way.ts";
import type { Plan } from "./plan.ts";

/**
 * Asks the target whether it makes single users, if there are any to be made that way; undefined when there is nobody. Everything
 * beyond the specification is optional: where the target does not know it, that is said, and the import endpoint makes everybody.
 * Raises api.no-mail-impossible where that would send an e-mail or an SMS against `noMail`.
 */
export async function findUsersApi(
  { api, ui, context, settings }: Pick<ImportRun, "settings" | keyof ImportWorld>,
  { scan: { routes } }: Plan,
): Promise<"there" | Absence | undefined> {
  if (routes.users === 0) return undefined;
  const { signal } = context;
  const found = await withRetry(() => createUsersApi(api).probe(signal), createRetry(ui, context), signal);
  if (found !== "there" && settings.plan.noMail && routes.mailsOtherwise + routes.smsOtherwise > 0)
    throw new ProblemError({ code: "api.no-mail-impossible", host: api.address.host, why: found });
  if (found !== "there") ui.warn(usersApiAbsenceLine(found));
  return found;
}

/** Everything that the way through the users API needs. Reads the lists of metadata once. */
export async function openUsersWay(
  { api, input }: Pick<ImportRun, "api" | "input">,
  { parts, scan }: Plan,
  noMail: boolean,
): Promise<UsersWay> {
  return {
    api: createUsersApi(api),
    metadata: await indexMetadata(parts, scan, (extent) => input.read(extent)),
    noMail,
  };
}
