import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";
import { TextScratch } from "../json/words.ts";
import { readOtherHash } from "../rules/hash-forms.ts";
import { HASH_WORDS, packBcrypt } from "./join/bcrypt.ts";

/** Decides whether a user can sign in with a hash. */
export type JudgedHash =
  | { readonly kind: "none" /** There was one, and it was dropped. */; readonly dropped?: BadHash }
  | { readonly kind: "good"; readonly text: string; readonly verifier: Verifier }
  | BadHash;

/** A hash with which no user could sign in. */
export interface BadHash {
  readonly kind: "bad";
  readonly rule: HashRule;
  /** The verifier that checks it, where the target has not enabled it ("not-enabled"). */
  readonly verifier?: Verifier;
}

/** The service accepts any hash unchecked, and a wrong one makes signing in impossible; so orgferry checks it (service behaviour 0.7, 2.6). */
export type JudgeHash = (hash: unknown, refused?: HashRule) => JudgedHash;

/** Which hashes are written. */
export interface HashPolicy {
  /** What the target can check. */
  readonly verifiers: ReadonlySet<Verifier>;
  /** The treatment of a user with any other hash. */
  readonly unverifiable: "reject" | "drop";
}

const NONE = { kind: "none" } as const;
const scratch = new Uint32Array(HASH_WORDS);
const text = new TextScratch();

/** Judges hashes; one of another system is given the form that the service reads, where that loses nothing. */
export function createHashJudge({ verifiers: enabled, unverifiable }: HashPolicy): JudgeHash {
  return (hash, refused) => {
    if (hash === undefined && refused === undefined) return NONE;
    const judged = refused === undefined ? judge(hash) : ({ kind: "bad", rule: refused } as const);
    const known = judged.kind === "good" && !enabled.has(judged.verifier) ? notEnabled(judged.verifier) : judged;
    return known.kind === "bad" && unverifiable === "drop" ? { kind: "none", dropped: known } : known;
  };
}

/** The verifier that the target would have to enable for a hash, of a judged one. */
export function missingVerifier(judged: JudgedHash): Verifier | undefined {
  if (judged.kind === "good") return undefined;
  return judged.kind === "bad" ? judged.verifier : judged.dropped?.verifier;
}

function notEnabled(verifier: Verifier): BadHash {
  return { kind: "bad", rule: "not-enabled", verifier };
}

function judge(hash: unknown): JudgedHash {
  if (typeof hash !== "string") return { kind: "bad", rule: "type" };
  const rule = hash.startsWith("$2") ? bcryptRule(hash) : "prefix";
  if (rule === undefined) return { kind: "good", text: hash, verifier: "bcrypt" };
  return (rule === "prefix" ? readOtherHash(hash) : undefined) ?? { kind: "bad", rule };
}

function bcryptRule(hash: string): HashRule | undefined {
  const length = text.put(hash);
  return packBcrypt(text.view, 0, length, scratch, 0);
}
