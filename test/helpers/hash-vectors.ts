import { readFileSync } from "node:fs";
import { verifiers } from "../../src/contract/verifiers.ts";
import { createHashJudge, type JudgedHash } from "../../src/core/merge/hashes.ts";
import { hashOfKind } from "../../src/core/rules/hash-kinds.ts";

/** A hash that another system's own library made of a password (fixtures/hashes, with the programs that made them). */
export interface HashVector {
  readonly name: string;
  readonly madeBy: string;
  readonly password: string;
  readonly hash: string;
  /** Fields that the system keeps beside the hash. */
  readonly kind?: string;
  readonly salt?: string;
  readonly iterations?: string;
}

const FILES = ["python", "node", "kratos"].map((name) => `fixtures/hashes/hashes.${name}.json`);

export const hashVectors: readonly HashVector[] = FILES.flatMap(
  (path) => JSON.parse(readFileSync(path, "utf8")) as HashVector[], // as the programs write them
);

const judge = createHashJudge({ verifiers: new Set(verifiers), unverifiable: "reject" });

/** The outcome of a vector on a target that checks all kinds. */
export function judgeVector({ hash, kind, salt, iterations }: HashVector): JudgedHash {
  const composed = kind === undefined ? { hash } : hashOfKind(kind, { hash, salt, iterations });
  return "refused" in composed ? judge(undefined, composed.refused) : judge(composed.hash);
}
