import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";
import { viewOf } from "../json/words.ts";
import { otherHashForms } from "../rules/hash-forms.ts";
import { HASH_WORDS, packBcrypt } from "./join/bcrypt.ts";

/** Whether a hash is one that somebody can sign in with. */
export type JudgedHash =
  | { readonly kind: "none" /** There was one, and it was dropped. */; readonly dropped?: BadHash }
  | { readonly kind: "good"; readonly text: string; readonly verifier: Verifier }
  | BadHash;

/** A hash that nobody could sign in with. */
export interface BadHash {
  readonly kind: "bad";
  readonly rule: HashRule;
  /** The verifier that checks it, where the target has not enabled it ("not-enabled"). */
  readonly verifier?: Verifier;
}

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
const scratch = new Uint32Array(HASH_WORDS);

/** Judges hashes; one of another system is given the form that the service reads, where that loses nothing. */
export function createHashJudge({ verifiers: enabled, unverifiable }: HashPolicy): JudgeHash {
  return (hash) => {
    if (hash === undefined) return NONE;
    const judged = judge(hash);
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
  return (rule === "prefix" ? judgeOther(hash) : undefined) ?? { kind: "bad", rule };
}

function bcryptRule(hash: string): HashRule | undefined {
  const view = viewOf(Buffer.from(hash));
  return packBcrypt(view, 0, view.byteLength, scratch, 0);
}

/** Judges a hash that is not bcrypt; undefined when it has no form that anybody knows. */
function judgeOther(hash: string): JudgedHash | undefined {
  for (const known of otherHashForms) {
    const match = known.form.exec(hash);
    if (match === null) continue;
    if ("rule" in known) return { kind: "bad", rule: known.rule };
    const text = known.convert === undefined ? hash : known.convert(match);
    return text === undefined
      ? { kind: "bad", rule: "not-convertible" }
      : { kind: "good", text, verifier: known.verifier };
  }
  return undefined;
}
