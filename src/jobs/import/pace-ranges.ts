import type { Way } from "../../core/rules/route.ts";
import { exactly, type PaceRanges } from "../../core/transfer/pace.ts";
import type { ImportSettings } from "./settings.ts";

/** The hosted service allows a call five minutes, about that many users (spec: Limits). */
export const MAX_BATCH_USERS = 5_000;
/** Users of the first call, when nobody says how many: it is answered within a second or two by a slow service, too. */
const FIRST_BATCH_USERS = 10;

type Flags = Pick<ImportSettings, "batchUsers" | "concurrency" | "maxConcurrency">;

/** Between what the pace of either way may move; the users API takes one user a call. */
export function paceRanges({ batchUsers, concurrency, maxConcurrency }: Flags): Readonly<Record<Way, PaceRanges>> {
  const calls = concurrency === "auto" ? { min: 1, max: maxConcurrency } : exactly(concurrency);
  const users = batchUsers === "auto" ? { min: FIRST_BATCH_USERS, max: MAX_BATCH_USERS } : exactly(batchUsers);
  return { import: { calls, users }, users: { calls, users: exactly(1) } };
}
