import type { HashLimits } from "../../contract/hash-limits.ts";
import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";
import { TextScratch } from "../json/words.ts";
import { breachesOf, type CostBreach } from "../rules/hash-costs.ts";
import { readOtherHash } from "../rules/hash-forms.ts";
import { HASH_WORDS, packBcrypt } from "./join/bcrypt.ts";
import type { Metadata } from "./source-user.ts";

/** Decides whether a user can sign in with a hash. */
export type JudgedHash =
  | { readonly kind: "none" /** There was one, and it was dropped. */; readonly dropped?: BadHash }
  | {
      readonly kind: "good";
      readonly text: string;
      readonly verifier: Verifier;
      /** Costs that are out of the limits, of a hash that is written in spite of them. */
      readonly breaches?: readonly CostBreach[];
    }
  | BadHash;

/** A hash with which no user could sign in. */
export interface BadHash {
  readonly kind: "bad";
  readonly rule: HashRule;
  /** The verifier that checks it, where the target has not enabled it ("not-enabled"). */
  readonly verifier?: Verifier;
  /** The costs that are out of the limits of the target ("out-of-limits"). */
  readonly breaches?: readonly CostBreach[];
}

/** The service accepts any hash unchecked, and a wrong one makes signing in impossible; so orgferry checks it (service behaviour 0.7, 2.6). */
export type JudgeHash = (hash: unknown, refused?: HashRule) => JudgedHash;

/** Which hashes are written. */
export interface HashPolicy {
  /** What the target can check. */
  readonly verifiers: ReadonlySet<Verifier>;
  /** The costs that the target accepts; absent: all. */
  readonly limits?: HashLimits | undefined;
  /** true: the limits are those of the target, and a hash out of them is bad; false: it is written and counted. */
  readonly enforcesLimits?: boolean;
  /** The treatment of a user with any other hash; `later`: without the hash, and marked (`LATER`). */
  readonly unverifiable: "reject" | "drop" | "later";
}

/** Marks a user whose hash was not written and who sets a password later. */
export const LATER: Metadata = { key: "orgferry_password", value: "later" };

const NONE = { kind: "none" } as const;
const scratch = new Uint32Array(HASH_WORDS);
const text = new TextScratch();

/** Judges hashes; one of another system is given the form that the service reads, where that loses nothing. */
export function createHashJudge(policy: HashPolicy): JudgeHash {
  const { verifiers: enabled, unverifiable } = policy;
  return (hash, refused) => {
    if (hash === undefined && refused === undefined) return NONE;
    const judged = refused === undefined ? judge(hash) : ({ kind: "bad", rule: refused } as const);
    const isMissing = judged.kind === "good" && !enabled.has(judged.verifier);
    const known = isMissing ? notEnabled(judged.verifier) : withinLimits(judged, policy);
    return known.kind === "bad" && unverifiable !== "reject" ? { kind: "none", dropped: known } : known;
  };
}

/** The verifier that the target would have to enable for a hash, of a judged one. */
export function missingVerifier(judged: JudgedHash): Verifier | undefined {
  if (judged.kind === "good") return undefined;
  return judged.kind === "bad" ? judged.verifier : judged.dropped?.verifier;
}

/** The costs of a judged hash that are out of the limits. */
export function breachesOfJudged(judged: JudgedHash): readonly CostBreach[] {
  return (judged.kind === "none" ? judged.dropped?.breaches : judged.breaches) ?? [];
}

/** The judged hash with its breaches; a bad one where the limits are certain. */
function withinLimits(judged: JudgedHash, { limits, enforcesLimits = false }: HashPolicy): JudgedHash {
  if (judged.kind !== "good" || limits === undefined) return judged;
  const breaches = breachesOf(judged.text, limits);
  if (breaches.length === 0) return judged;
  return enforcesLimits ? { kind: "bad", rule: "out-of-limits", breaches } : { ...judged, breaches };
}

function notEnabled(verifier: Verifier): BadHash {
  return { kind: "bad", rule: "not-enabled", verifier };
}

function judge(hash: unknown): JudgedHash {
  if (typeof hash !== "string") return { kind: "bad", rule: "type" };
  if (hash === "") return { kind: "bad", rule: "empty" };
  const rule = hash.startsWith("$2") ? bcryptRule(hash) : "prefix";
  if (rule === undefined) return { kind: "good", text: hash, verifier: "bcrypt" };
  return (rule === "prefix" ? readOtherHash(hash) : undefined) ?? { kind: "bad", rule };
}

function bcryptRule(hash: string): HashRule | undefined {
  const length = text.put(hash);
  return packBcrypt(text.view, 0, length, scratch, 0);
}
