import { capabilitiesOf, isKnownVersion } from "../../contract/versions.ts";
import type { Description } from "../../problem/description.ts";
import { count, counted, firstOf, linesIf, shown } from "../../problem/format.ts";

const SHOWN = 5;

/** Users who exist and cannot sign in. */
export interface CannotSignIn {
  readonly ids: readonly string[];
  /** How many of them are in no list of the service. */
  readonly unlisted: number;
  /** The file with the ids of those that the job created, for undo. */
  readonly file: string | undefined;
  /** The version of the target. */
  readonly version: string | undefined;
}

/** Why users who exist cannot sign in, and what to do. */
export function cannotSignInReason(where: Pick<CannotSignIn, "file" | "version">): Required<Description> {
  return {
    message: "the user exists, and the service finds no login name for the user",
    hint: recreateLine(where),
  };
}

/** Versions differ in what they do with the id of a deleted user (service behaviour 9.9). */
function recreateLine({ file, version }: Pick<CannotSignIn, "file" | "version">): string {
  const removal = file === undefined ? "delete them" : `orgferry undo ${file}`;
  const line = `To recreate them: ${removal}, then run the same import with sequential writes (--concurrency 1).`;
  if (capabilitiesOf(version).deletedIds !== "refused") return line;
  if (version !== undefined && isKnownVersion(version))
    return `Version ${version} refuses the id of a deleted user. To recreate them: ${removal}, then import them with other ids.`;
  return `orgferry does not know whether this version of the service accepts the id of a deleted user, and recreated none. Try it with one user. ${line}`;
}

/** Which users cannot sign in, why, and what to do; the first line is enough by itself. */
export function cannotSignInLines({ ids, unlisted, file, version }: CannotSignIn): string[] {
  return [
    `${counted(ids.length, "user")} cannot sign in: they exist, and the service finds no login name for them.`,
    "  Concurrent writes can leave users without a login name.",
    `  ${firstOf(ids.map(shown), SHOWN)}${file === undefined ? "" : ` (those of this job: ${file})`}`,
    ...linesIf(
      unlisted > 0,
      `  ${count(unlisted)} of them ${unlisted === 1 ? "is" : "are"} in no list of the service, or not listed yet.`,
    ),
    `  ${recreateLine({ file, version })}`,
  ];
}

/** Users without a login name who are not recreated. */
export function usedLine(ids: readonly string[]): string {
  return `${counted(ids.length, "user")} without a login name ${ids.length === 1 ? "is" : "are"} not recreated, because of changes or sign-ins since the import: ${firstOf(ids.map(shown), SHOWN)}`;
}

/** Users of this job without a login name were deleted and recreated. */
export function healedLine(users: number): string {
  return `${counted(users, "user")} without a login name ${users === 1 ? "was" : "were"} deleted and recreated: they can sign in now.`;
}

/** Entries of this run that the service's lists had lost were set again. */
export function setAgainLine(metadata: number, belongings: number): string {
  const what = [
    ...linesIf(metadata > 0, `${counted(metadata, "entry", "entries")} of metadata`),
    ...linesIf(belongings > 0, counted(belongings, "grant, membership or link", "grants, memberships and links")),
  ];
  return `${what.join(" and ")}, lost by the service's lists to concurrent writes, ${metadata + belongings === 1 ? "was" : "were"} set again.`;
}

/** Entries that the service answered as created, and did not write. */
export function staleLine(entries: number): string {
  return `setting ${counted(entries, "entry", "entries")} of metadata one by one: the service creates users who were deleted before without their metadata.`;
}

/** What was lost could not be looked for. @param why a sentence. */
export function lostPartsLine(why: string): string {
  return `it is unknown whether the service has lost metadata, grants, memberships or links to concurrent writes: ${why} orgferry verify --by export finds lost entries.`;
}

/** Users who were deleted to be recreated, when a run without a journal ended. */
export function healingOpenLine(ids: readonly string[]): string {
  const are = ids.length === 1 ? "was" : "were";
  return `${counted(ids.length, "user")} without a login name ${are} deleted, and may not be recreated yet: ${ids.map(shown).join(", ")}. Run the same command again: it creates users who do not exist.`;
}

/** Without an answer, no user is deleted. */
export function healingUnknownLine(why: string): string {
  return `users who cannot sign in are not recreated: ${why}`;
}

/** Too many users to be lost one by one. */
export function notHealedLine(users: number): string {
  return `${counted(users, "created user")} cannot be found by a login name. These are too many to be lost by concurrent writes: none is recreated.`;
}

/** The check of the sign-ins was not possible. */
export function signInsUnknownLine(why: string): string {
  return `unknown whether all created users can sign in: ${why}`;
}
