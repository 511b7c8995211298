import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";
import { viewOf } from "../json/words.ts";
import { otherHashForms } from "../rules/hash-forms.ts";
import { HASH_WORDS, packBcrypt } from "./join/bcrypt.ts";

/** Whether a hash is one that somebody can sign in with. */
export type JudgedHash =
  | { readonly kind: "none" /** There was one, and it was dropped. */; readonly wasDropped?: boolean }
  | { readonly kind: "good"; readonly text: string; readonly verifier: Verifier }
  | { readonly kind: "bad"; readonly rule: HashRule };

/** The service takes any hash unchecked and then nobody can sign in with it, so the check is ours (service behaviour 0.7, 2.6). */
export type JudgeHash = (hash: unknown) => JudgedHash;

/** Which hashes are written. */
export interface HashPolicy {
  /** What the target can check. */
  readonly verifiers: ReadonlySet<Verifier>;
  /** What becomes of a user with any other hash. */
  readonly unverifiable: "reject" | "drop";
}

const NONE = { kind: "none" } as const;
const DROPPED = { kind: "none", wasDropped: true } as const;
const scratch = new Uint32Array(HASH_WORDS);

/** Judges hashes; one of another system is given the form that the service reads, where that loses nothing. */
export function createHashJudge({ verifiers: enabled, unverifiable }: HashPolicy): JudgeHash {
  return (hash) => {
    if (hash === undefined) return NONE;
    const judged = judge(hash);
    const known = judged.kind === "good" && !enabled.has(judged.verifier) ? NOT_ENABLED : judged;
    return known.kind === "bad" && unverifiable === "drop" ? DROPPED : known;
  };
}

const NOT_ENABLED = { kind: "bad", rule: "not-enabled" } as const;

function judge(hash: unknown): JudgedHash {
  if (typeof hash !== "string") return { kind: "bad", rule: "type" };
  const view = viewOf(Buffer.from(hash));
  const rule = packBcrypt(view, 0, view.byteLength, scratch, 0);
  if (rule === undefined) return { kind: "good", text: hash, verifier: "bcrypt" };
  for (const { form, verifier, convert } of rule === "prefix" ? otherHashForms : []) {
    const match = form.exec(hash);
    if (match === null) continue;
    const text = convert === undefined ? hash : convert(match);
    return text === undefined ? { kind: "bad", rule: "not-convertible" } : { kind: "good", text, verifier };
  }
  return { kind: "bad", rule };
}
