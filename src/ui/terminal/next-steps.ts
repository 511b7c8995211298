import type { Ui } from "../ui.ts";

/** A step to take after a run that went well: why, and a command line that can be pasted. */
export interface NextStep {
  readonly why: string;
  readonly command: string;
}

/** Says what to do next. */
export function sayNext({ say, paint }: Pick<Ui, "say" | "paint">, steps: readonly NextStep[]): void {
  for (const { why, command } of steps) say(`${paint.dim(`${why}:`)} ${command}`);
}

/** A command line with its words quoted for a POSIX shell where that is needed. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
