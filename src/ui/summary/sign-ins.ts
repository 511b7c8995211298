import { count, counted, shown } from "../../problem/format.ts";

const SHOWN = 5;

/** Users who exist and cannot sign in. */
export interface CannotSignIn {
  /** Users that are listed without a login name. */
  readonly ids: readonly string[];
  /** The number of further users, in no list of the service. */
  readonly unlisted: number;
  /** The file with all ids, for undo. */
  readonly file: string | undefined;
}

/** Which users cannot sign in, why, and what to do; the first line is enough by itself. */
export function cannotSignInLines({ ids, unlisted, file }: CannotSignIn): string[] {
  const rest = ids.length > SHOWN ? ` and ${count(ids.length - SHOWN)} more` : "";
  const lines = [
    `${counted(ids.length + unlisted, "user")} cannot sign in: they exist, and the service finds no login name for them.`,
    "  Concurrent writes can leave users without a login name.",
  ];
  if (ids.length > 0)
    lines.push(
      `  ${ids.slice(0, SHOWN).map(shown).join(", ")}${rest}${file === undefined ? "" : ` (all ids: ${file})`}`,
    );
  if (unlisted > 0) {
    const them = ids.length === 0 ? "" : " more";
    lines.push(
      `  ${count(unlisted)}${them} ${unlisted === 1 ? "is" : "are"} missing from the lists of the service, or not listed yet; orgferry verify --by export names them.`,
    );
  }
  const removal = file === undefined ? "delete them" : `orgferry undo ${file}`;
  lines.push(`  To recreate them: ${removal}, then run the same import with sequential writes (--concurrency 1).`);
  return lines;
}

/** The check of the sign-ins was not possible. */
export function signInsUnknownLine(why: string): string {
  return `unknown whether all created users can sign in: ${why}`;
}
