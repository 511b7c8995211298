import { count, firstOf, shown } from "../../problem/format.ts";
import { type AnyReport, type ReportFields, userCounts } from "../report.ts";

/** How many names a line has. */
const NAMES_PER_LINE = 10;

/** What some users have at the source and not in the body. */
export interface LeftBehind {
  readonly what: "not carried" | "not granted" | "not linked" | "not accepted" | "in --org";
  /** `nickname 12, picture 3`: users by name, the most first. */
  readonly users: string;
  /** The flag that carries it over, where one is known. */
  readonly flag?: string | undefined;
}

/** @param carriedBy of the source: the flags that carry fields over; "" is for all others. */
export function leftBehindOf(
  { fields, providers, roles = {}, orgs = {}, metadata = {} }: NonNullable<ReportFields["leftBehind"]>,
  carriedBy: Readonly<Record<string, string>> = {},
): readonly LeftBehind[] {
  const byFlag = new Map<string | undefined, [string, number][]>();
  for (const entry of Object.entries(fields)) {
    // The names are from outside.
    const flag = Object.hasOwn(carriedBy, entry[0]) ? carriedBy[entry[0]] : carriedBy[""];
    byFlag.set(flag, [...(byFlag.get(flag) ?? []), entry]);
  }
  const [org] = mostFirst(Object.entries(orgs));
  const [provider] = mostFirst(Object.entries(providers));
  // `okta (samlp)`: the connection, or its provider, is what --idp takes.
  const providerName = provider?.[0].replace(/ \([^()]*\)$/, "");
  const some = (what: LeftBehind["what"], counts: Readonly<Record<string, number>>, flag?: string): LeftBehind[] =>
    Object.keys(counts).length === 0 ? [] : [{ what, users: usersByName(Object.entries(counts)), flag }];
  return [
    ...[...byFlag].map(([flag, found]) => ({ what: "not carried" as const, users: usersByName(found), flag })),
    ...some("not granted", roles, "--grant <name>=<project id>:<role key>"),
    ...some("in --org", orgs, `--org-map ${shown(org?.[0] ?? "")}=<id on the target>`),
    ...some("not linked", providers, `--idp ${providerName}=<id on the target>`),
    ...some("not accepted", metadata),
  ];
}

/** The same for a terminal. */
export function leftBehindLines(...given: Parameters<typeof leftBehindOf>): readonly string[] {
  return leftBehindOf(...given).map(
    ({ what, users, flag }) => `${what.padEnd(14)} ${users}${flag === undefined ? "" : `: ${flag}`}`,
  );
}

/** The number of rows that a migration rejects or finds no user for. A row may have several reasons. */
export function rejectedRows({ users, passwords }: Pick<AnyReport, "users" | "passwords">): number {
  const { rejected = 0, unmatched = 0 } = passwords ?? {};
  return (userCounts({ users })?.["rejected"] ?? 0) + rejected + unmatched;
}

/** The rows that a migration keeps in the folder of rejects. */
export function keptRows(report: Pick<AnyReport, "users" | "passwords" | "leftOut">): string {
  if ((report.leftOut?.["linked"] ?? 0) === 0) return "rejected and unmatched rows";
  return rejectedRows(report) > 0 ? "rejected, unmatched and merged rows" : "merged rows";
}

/** `google-oauth2 32, github 8`: users by name, the most first. */
export function usersByName(counts: readonly (readonly [string, number])[]): string {
  const named = mostFirst(counts).map(([name, users]) => `${visible(name)} ${count(users)}`);
  return firstOf(named, NAMES_PER_LINE);
}

/** A name as it is shown, in quotes if there is nothing to see of it. */
function visible(name: string): string {
  return name.trim() === "" ? `"${shown(name)}"` : shown(name);
}

function mostFirst(counts: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return [...counts].sort(([, a], [, b]) => b - a);
}
