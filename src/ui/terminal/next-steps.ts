import { shellWord } from "../../problem/format.ts";
import type { Ui } from "../ui.ts";

/** A step after a successful run: its purpose, and a command line that can be pasted. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
}

/** The purpose of `orgferry invite` after an import. */
export const INVITE_WHY = "Preview the e-mails to users without a password";

/** Prints the next steps. */
export function sayNext({ say, paint }: Pick<Ui, "say" | "paint">, steps: readonly NextStep[]): void {
  for (const { why, command } of steps) say(`${paint.dim(`${why}:`)} ${command}`);
}

/** A command line with its words quoted for a POSIX shell where that is needed. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
