import type { HashRules } from "../../core/probe/find-hash-rules.ts";
import { count } from "../../problem/format.ts";

/** Printed before the first call of a probe. */
export function probePlanLine(host: string, mostCalls: number): string {
  return `probe: 15 to 90 sequential calls to ${host}, for unusual limits at most ${mostCalls}. They create, change and delete nothing: each names a user id that no user has.`;
}

/** The accepted costs, one line for each. */
export function limitLines({ checksCosts, limits, notFound, verifiers }: HashRules): readonly string[] {
  if (verifiers.length === 0) return ["unknown, since no verifier is known"];
  if (!checksCosts) return ["none: the service checks only how a hash begins"];
  const lines = Object.entries(limits).map(
    ([cost, { min = 0, max }]) =>
      `${cost} ${max === undefined ? `from ${count(min)}` : `${count(min)} to ${count(max)}`}`,
  );
  const unknown = notFound.map((cost) => `${cost} not found: the target refuses every usual cost`);
  return lines.length + unknown.length === 0 ? ["none: no enabled verifier has costs"] : [...lines, ...unknown];
}

/** The flags on a line that can be copied. */
export function flagLines(flags: string | undefined): readonly string[] {
  return flags === undefined ? [] : ["flags for migrate, for this target:", `  ${flags}`];
}
