import { count, counted, shown } from "../../problem/format.ts";

const SHOWN = 5;

/** Users who exist and cannot sign in. */
export interface CannotSignIn {
  readonly ids: readonly string[];
  /** How many of them are in no list of the service. */
  readonly unlisted: number;
  /** The file with all ids, for undo. */
  readonly file: string | undefined;
}

/** Why users who exist cannot sign in, and what to do. */
export function cannotSignInReason(file: string | undefined): { readonly message: string; readonly hint: string } {
  return {
    message: "the user exists, and the service finds no login name for the user",
    hint: recreateLine(file),
  };
}

function recreateLine(file: string | undefined): string {
  const removal = file === undefined ? "delete them" : `orgferry undo ${file}`;
  return `To recreate them: ${removal}, then run the same import with sequential writes (--concurrency 1).`;
}

/** Which users cannot sign in, why, and what to do; the first line is enough by itself. */
export function cannotSignInLines({ ids, unlisted, file }: CannotSignIn): string[] {
  const rest = ids.length > SHOWN ? ` and ${count(ids.length - SHOWN)} more` : "";
  const lines = [
    `${counted(ids.length, "user")} cannot sign in: they exist, and the service finds no login name for them.`,
    "  Concurrent writes can leave users without a login name.",
    `  ${ids.slice(0, SHOWN).map(shown).join(", ")}${rest}${file === undefined ? "" : ` (all ids: ${file})`}`,
  ];
  if (unlisted > 0)
    lines.push(
      `  ${count(unlisted)} of them ${unlisted === 1 ? "is" : "are"} in no list of the service, or not listed yet.`,
    );
  lines.push(`  ${recreateLine(file)}`);
  return lines;
}

/** The check of the sign-ins was not possible. */
export function signInsUnknownLine(why: string): string {
  return `unknown whether all created users can sign in: ${why}`;
}
