import type { OfDeed } from "./facts.ts";

/** A problem in words: what is wrong and where, then what to do about it. */
export interface Description {
  readonly message: string;
  readonly hint?: string;
}

/** A description of one or two sentences. */
export function say(message: string, hint?: string): Description {
  return hint === undefined ? { message } : { message, hint };
}

/** Both sentences in one line. */
export function sentences({ message, hint }: Description): string {
  return hint === undefined ? message : `${message} ${hint}`;
}

/** A table of problems: for each code, a function that takes the facts and returns the words. */
export type ProblemTable = Readonly<Record<string, (facts: never) => Description>>;

/** The problems of a table as a union: each code with the facts that its words take. */
export type ProblemsOf<Table extends ProblemTable> = {
  [Code in keyof Table & string]: Table[Code] extends (...facts: infer Facts) => Description
    ? Facts extends readonly [infer Fact]
      ? { readonly code: Code } & Fact
      : { readonly code: Code }
    : never;
}[keyof Table & string];

/** What a run that ended early has not done, as an ending of a sentence. */
export function untouched({ deed }: OfDeed): string {
  return deed === "delete" ? "no user was deleted" : deed === "send" ? "nothing was sent" : "nothing was written";
}

/** Words that the service sent, as an ending of a sentence; nothing where it sent none. */
export function quoted(message: string): string {
  return message === "" ? "" : `: "${message}"`;
}
