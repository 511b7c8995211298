import { InvalidArgumentError } from "@commander-js/extra-typings";
import { ProblemError } from "../../problem.ts";

/** One of `of` processes that divide the files of a job. `index` starts at 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** `--shard`: `2/8`, or `auto`. Raises commander's InvalidArgumentError. */
export function parseShard(text: string): Shard | "auto" {
  if (text === "auto") return text;
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || of === undefined || index < 1 || index > of) {
    throw new InvalidArgumentError("It must be a shard such as 2/8 (the second of eight), or auto.");
  }
  return { index, of };
}

/**
 * Resolves `auto` in an Indexed Job of Kubernetes: JOB_COMPLETION_INDEX, which starts at 0, and JOB_COMPLETIONS, which the manifest
 * sets. Raises usage.no-shard.
 */
export function resolveShard(shard: Shard | "auto", env: Readonly<Record<string, string | undefined>>): Shard {
  if (shard !== "auto") return shard;
  const [index, of] = ["JOB_COMPLETION_INDEX", "JOB_COMPLETIONS"].map((name) => {
    const value = env[name] ?? "";
    if (!/^\d{1,6}$/.test(value)) throw new ProblemError({ code: "usage.no-shard", variable: name });
    return Number(value);
  }) as [number, number]; // two in, two out
  if (index >= of) throw new ProblemError({ code: "usage.no-shard", variable: "JOB_COMPLETION_INDEX" });
  return { index: index + 1, of };
}

/** The files of one shard: every `of`-th file in the order of their names. Each file belongs to exactly one shard. */
export function filesOfShard(files: readonly string[], { index, of }: Shard): readonly string[] {
  return [...files].sort().filter((_, at) => at % of === index - 1);
}
