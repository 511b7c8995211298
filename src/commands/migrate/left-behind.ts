import type { MergeResult } from "../../core/merge/counts.ts";
import { count, shown } from "../../problem/format.ts";
import type { Source } from "../../sources/source.ts";

/** How many names a line has. */
const NAMES_PER_LINE = 10;

/** What users have at the source and not in the body, by the flag that carries it over, and the providers that they sign in with. */
export function leftBehindLines(
  { fields, providers, roles, orgs }: MergeResult["leftBehind"],
  carriedBy: Source["carriedBy"] = {},
): readonly string[] {
  const byFlag = new Map<string, [string, number][]>();
  for (const entry of Object.entries(fields)) {
    const flag = carriedBy[entry[0]] ?? carriedBy[""] ?? "";
    byFlag.set(flag, [...(byFlag.get(flag) ?? []), entry]);
  }
  const lines = [...byFlag].map(([flag, found]) => `not carried    ${usersByName(found)}: ${flag}`);
  const left = Object.entries(roles);
  if (left.length > 0) lines.push(`not granted    ${usersByName(left)}: --grant <name>=<project id>:<role key>`);
  const [org] = mostFirst(Object.entries(orgs));
  if (org !== undefined) {
    lines.push(`in --org       ${usersByName(Object.entries(orgs))}: --org-map ${shown(org[0])}=<id on the target>`);
  }
  const [first] = mostFirst(Object.entries(providers));
  if (first === undefined) return lines;
  // `okta (samlp)`: the connection, or its provider, is what --idp takes.
  const name = first[0].replace(/ \([^()]*\)$/, "");
  return [...lines, `not linked     ${usersByName(Object.entries(providers))}: --idp ${name}=<id on the target>`];
}

/** `google-oauth2 32, github 8`: users by name, the most first. */
function usersByName(counts: readonly (readonly [string, number])[]): string {
  const named = mostFirst(counts).map(([name, users]) => `${shown(name)} ${count(users)}`);
  const more = named.length - NAMES_PER_LINE;
  return named.slice(0, NAMES_PER_LINE).join(", ") + (more > 0 ? ` and ${count(more)} more` : "");
}

function mostFirst(counts: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
