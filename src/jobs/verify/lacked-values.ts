import { randomBytes } from "node:crypto";
import { viewOfEntry } from "../../core/compare/user-view.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { createInstanceLog, type InstanceLog } from "../../core/events/instance-log.ts";
import { emptiedByExport, lackedByBody, lackedByExport } from "../../core/update/lacked-values.ts";
import { eachEntry } from "./metadata.ts";

/** Names of the fields that a user has on the target and the entry lacks, as an update names those that it keeps. */
export type AskLacked = (orgId: string, userId: string, entry: unknown) => readonly string[];

/** An empty log, which is not saved. */
export function createTargetLog(): InstanceLog {
  return createInstanceLog(randomBytes(16).toString("hex"));
}

/** Answers from the whole log of the target; nothing without one. @param withMetadata false: they are compared as objects of their own. */
export async function openLacked(
  run: Parameters<typeof eachEntry>[0],
  scan: Pick<BodyScan, "orgs" | "sections" | "carries">,
  log: InstanceLog | undefined,
  withMetadata = true,
): Promise<AskLacked> {
  if (log === undefined) return () => [];
  const { users, metadata } = log;
  const isWhole = scan.carries === "export";
  // A body without metadata does not mention them.
  const hasMetadata = scan.sections.some(({ key, count }) => key === "userMetadata" && count > 0);
  const keysOf = new Map<number, readonly string[]>();
  if (withMetadata && (isWhole || hasMetadata)) {
    await eachEntry(run, scan, ({ orgId, userId, key, value }) => {
      const user = users.find(orgId, userId);
      if (user !== undefined) metadata.compare(user.number, key, value);
    });
    for (const { user, key } of metadata.unwanted()) keysOf.set(user, [...(keysOf.get(user) ?? []), key]);
  }
  return (orgId, userId, entry) => {
    const user = users.find(orgId, userId);
    if (user?.isThere !== true) return [];
    const given = viewOfEntry(entry);
    const keys = keysOf.get(user.number) ?? [];
    return isWhole ? lackedByExport(emptiedByExport(given, user, users), keys) : lackedByBody(given, user, users, keys);
  };
}
