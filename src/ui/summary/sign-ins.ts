import { count, counted, shown } from "../../problem/format.ts";

const SHOWN = 5;

/** Users who exist and cannot sign in. */
export interface CannotSignIn {
  /** Who is listed without a login name. */
  readonly ids: readonly string[];
  /** How many more are not listed at all. */
  readonly unlisted: number;
  /** Where all ids are, for undo. */
  readonly file: string | undefined;
}

/** Who cannot sign in, why, and what to do, as lines; the first says it all. */
export function cannotSignInLines({ ids, unlisted, file }: CannotSignIn): string[] {
  const rest = ids.length > SHOWN ? ` and ${count(ids.length - SHOWN)} more` : "";
  const lines = [
    `${counted(ids.length + unlisted, "user")} cannot sign in: the service has recorded them, and finds them by no login name.`,
    "  It forgets somebody now and then while several calls write at the same time.",
  ];
  if (ids.length > 0)
    lines.push(
      `  ${ids.slice(0, SHOWN).map(shown).join(", ")}${rest}${file === undefined ? "" : `: all of them in ${file}`}`,
    );
  if (unlisted > 0) {
    const them = ids.length === 0 ? "" : " more";
    lines.push(
      `  ${count(unlisted)}${them} ${unlisted === 1 ? "is" : "are"} in no list of the service, or will be later; orgferry verify --by export names them.`,
    );
  }
  const removal = file === undefined ? "remove them" : `orgferry undo ${file}`;
  lines.push(`  To make them anew: ${removal}, then the same import again, one call at a time (--concurrency 1).`);
  return lines;
}

/** Nobody knows whether everybody can sign in. */
export function signInsUnknownLine(why: string): string {
  return `whether everybody who was created can sign in is not known: ${why}`;
}
