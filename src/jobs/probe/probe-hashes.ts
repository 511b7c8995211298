import { findHashRules, type HashRules } from "../../core/probe/find-hash-rules.ts";
import { openHashAsking } from "../shared/ask-hash.ts";
import type { Asking } from "../shared/asking.ts";

export interface ProbeRun extends Asking {
  /** Called after each call with the number of calls so far. */
  readonly onCall: (calls: number) => void;
}

/** Finds out what an instance accepts as a password hash, and changes nothing. Raises what `openHashAsking` raises. */
export async function probeHashes({ onCall, ...asking }: ProbeRun): Promise<HashRules & { calls: number }> {
  let calls = 0;
  const ask = await openHashAsking(asking, (made) => {
    calls = made;
    onCall(made);
  });
  return { ...(await findHashRules(ask)), calls };
}
