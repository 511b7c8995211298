import { listInstanceMembers } from "../../../admin/org-lists.ts";
import { ProblemError } from "../../../problem.ts";
import { askingOf } from "../../shared/asking.ts";
import { notOffered } from "../../shared/not-offered.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import type { UpdateWay } from "./open-update.ts";

/**
 * The users who are never updated or deleted: those with a role on the target's instance, and the service users of this job on both
 * instances. Raises api.cannot-update if the target does not list its members.
 */
export async function readProtected(
  run: Pick<ImportRun, "api" | "source" | "ui" | "context">,
  { self }: Pick<UpdateWay, "self">,
): Promise<ReadonlySet<string>> {
  const { api, source, ui, context } = run;
  const { retry, signal } = askingOf(run);
  const sourceSelf = source === undefined ? undefined : await readSelf(askingOf({ api: source, ui, context }));
  try {
    const members = await listInstanceMembers(api, retry, signal);
    return new Set([self, ...(sourceSelf === undefined ? [] : [sourceSelf]), ...members]);
  } catch (error) {
    if (notOffered(error) === undefined) throw error;
    throw new ProblemError({ code: "api.cannot-update", host: api.address.host, lacks: "members" }, { cause: error });
  }
}
