import { parsedJson } from "../../core/json/members.ts";
import { ManifestEnd, ManifestHead, ManifestUser } from "../../core/transfer/manifest-entries.ts";
import type { Document } from "../../io/input/document.ts";
import { ProblemError } from "../../problem.ts";

/** A user to be removed, and where the manifest names it. */
export interface ListedUser extends ManifestUser {
  readonly line: number;
}

export interface Manifest {
  readonly head: ManifestHead;
  readonly users: readonly ListedUser[];
  readonly end: ManifestEnd;
}

/** Reads a whole manifest. Raises input.not-a-manifest, also for one that does not get to its end. */
export async function readManifest(input: Document): Promise<Manifest> {
  const wrong = (line: number): ProblemError =>
    new ProblemError({ code: "input.not-a-manifest", file: input.path, ...(line === 0 ? {} : { line }) });
  const users = new Map<string, ListedUser>();
  let head: ManifestHead | undefined;
  let end: ManifestEnd | undefined;
  let line = 0;
  let listed = 0;
  for await (const text of linesOf(input)) {
    line += 1;
    if (text === "") continue;
    const value = parsedJson(text);
    if (end !== undefined) throw wrong(line);
    if (head === undefined) {
      head = ManifestHead.safeParse(value).data;
      if (head === undefined) throw wrong(line);
      continue;
    }
    const user = ManifestUser.safeParse(value).data;
    if (user !== undefined) {
      listed += 1;
      users.set(user.id, { ...user, line });
    } else {
      end = ManifestEnd.safeParse(value).data;
      if (end === undefined) throw wrong(line);
    }
  }
  if (head === undefined || end === undefined || end.users !== listed) throw wrong(line);
  return { head, users: [...users.values()], end };
}

/** The lines, without what ends them. Not by node:readline, to which U+2028 is an end of line from Node 24 on. */
async function* linesOf(input: Document): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of input.read({ start: 0, end: input.bytes })) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield textOf([...begun, chunk.subarray(start, end)]);
      begun = [];
      start = end + 1;
    }
    begun.push(Buffer.from(chunk.subarray(start))); // the chunk holds until the next one is asked for
  }
  const rest = textOf(begun);
  if (rest !== "") yield rest;
}

const NEWLINE = 0x0a;

function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString().replace(/\r$/, "");
}
