import { createInterface } from "node:readline";
import { Readable } from "node:stream";
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
    new ProblemError({ code: "input.not-a-manifest", file: input.path, line });
  const users = new Map<string, ListedUser>();
  let head: ManifestHead | undefined;
  let end: ManifestEnd | undefined;
  let line = 0;
  const lines = createInterface({
    input: Readable.from(input.read({ start: 0, end: input.bytes })),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  for await (const text of lines) {
    line += 1;
    if (text === "") continue;
    const value = parsed(text);
    if (end !== undefined) throw wrong(line);
    if (head === undefined) {
      head = ManifestHead.safeParse(value).data;
      if (head === undefined) throw wrong(line);
      continue;
    }
    const user = ManifestUser.safeParse(value).data;
    if (user !== undefined) users.set(user.id, { ...user, line });
    else {
      end = ManifestEnd.safeParse(value).data;
      if (end === undefined) throw wrong(line);
    }
  }
  if (head === undefined || end === undefined || end.users !== users.size) throw wrong(line);
  return { head, users: [...users.values()], end };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
