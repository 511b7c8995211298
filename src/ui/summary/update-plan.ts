import { count, counted, shown } from "../../problem/format.ts";

/** What bringing users up to date comes to, as far as it is shown. */
interface Updates {
  readonly create: readonly string[];
  readonly update: readonly Changed[];
  readonly delete: readonly string[];
  readonly deactivate: readonly string[];
  readonly conflict: readonly Changed[];
  readonly unchanged: number;
  readonly tooMany: readonly string[];
  readonly notOurs: readonly string[];
  readonly incomplete: readonly string[];
}

interface Changed {
  readonly userId: string;
  readonly fields: readonly string[];
  readonly reason?: "never-finished";
}

const FIRST = 5;

/** The plan, or what came of it: a line for each kind, with the first of each; never a value. */
export function updateLines(updates: Updates, isDone: boolean): string[] {
  const { create, update, conflict, unchanged, tooMany, notOurs, incomplete } = updates;
  const ids = (list: readonly string[]): string => first(list, shown);
  const changed = (list: readonly Changed[]): string =>
    first(list, ({ userId, fields }) => `${shown(userId)} (${fields.map(shown).join(", ")})`);
  const line = (mark: string, what: string, number: number, list: string): string[] =>
    number === 0 ? [] : [`${mark} ${`${what}:`.padEnd(12)} ${count(number).padStart(7)}  ${list}`];
  const past = (present: string, done: string): string => (isDone ? done : present);
  const lines = [
    ...line("+", past("create", "created"), create.length, ids(create)),
    ...line("~", past("update", "updated"), update.length, changed(update)),
    ...line("-", past("delete", "deleted"), updates.delete.length, ids(updates.delete)),
    ...line("-", past("deactivate", "deactivated"), updates.deactivate.length, ids(updates.deactivate)),
    ...line("!", "conflict", conflict.length, changed(conflict)),
    `  ${"unchanged:".padEnd(12)} ${count(unchanged).padStart(7)}`,
  ];
  const unfinished = conflict.filter(({ reason }) => reason === "never-finished");
  if (conflict.length > unfinished.length)
    lines.push("  conflict: changed on the target by somebody else since, and left; --prefer source or target decides");
  if (unfinished.length > 0)
    lines.push(
      `  conflict (hash): ${counted(unfinished.length, "user")} never finished registration on the target, and the service takes no password before that: ${first(unfinished, ({ userId }) => shown(userId))}`,
      "          To carry the password over, lock and unlock the user on the target, then run again.",
    );
  if (tooMany.length > 0)
    lines.push(
      `  ${counted(tooMany.length, "user was", "users were")} removed in the source, more than may go at once: nobody ${past("will be", "was")} removed; --max-deletes allows more: ${ids(tooMany)}`,
    );
  if (incomplete.length > 0)
    lines.push(
      `  ${counted(incomplete.length, "user")} removed in the source ${incomplete.length === 1 ? "stays" : "stay"}: no user is removed in an organization of which the export lacks users or may lack some, or of which users were skipped: ${ids(incomplete)}`,
    );
  if (notOurs.length > 0)
    lines.push(
      `  ${counted(notOurs.length, "user")} removed in the source ${notOurs.length === 1 ? "stays" : "stay"}, made on the target by somebody else: ${ids(notOurs)}`,
    );
  return lines;
}

const SHOWN_OTHERS = 20;

/** What differs besides users, by type and id. */
export function otherDifferencesLines(
  different: readonly {
    readonly type: string;
    readonly id: string;
    readonly orgId?: string;
    readonly fields: readonly string[];
  }[],
  all: number,
): string[] {
  if (all === 0) return [];
  const where = (orgId: string | undefined): string => (orgId === undefined ? "" : ` of organization ${shown(orgId)}`);
  return [
    `others:   ${counted(all, "other object is", "other objects are")} different on the target, and left as they are there: only users are changed`,
    ...different
      .slice(0, SHOWN_OTHERS)
      .map(
        ({ type, id, orgId, fields }) =>
          `          ${shown(type)} ${shown(id)}${where(orgId)}: ${fields.map(shown).join(", ")}`,
      ),
    ...(all > SHOWN_OTHERS ? [`          … and ${count(all - SHOWN_OTHERS)} more; the report lists them`] : []),
  ];
}

/** How many people the service will write to because of an update. */
export function updateMessagesLine({ mails, sms }: { readonly mails: number; readonly sms: number }): string {
  return `messages: ${counted(mails, "mail")} and ${count(sms)} SMS will go out from the service because of this, for new addresses and changed passwords, if it can send any`;
}

function first<T>(list: readonly T[], text: (one: T) => string): string {
  const rest = list.length - FIRST;
  return `${list.slice(0, FIRST).map(text).join(", ")}${rest > 0 ? `, … ${count(rest)} more` : ""}`;
}

/** What became of a state file: used, or why everything is compared. */
export type StateUse =
  | "used"
  | "none"
  | "broken"
  | "other-version"
  | "other-instance"
  | "other-job"
  | "target-reset"
  | "source-reset";

const whyAll: Readonly<Record<Exclude<StateUse, "used">, string>> = {
  none: "there is none yet",
  broken: "it is not what was written",
  "other-version": "another version of orgferry wrote it",
  "other-instance": "it is of other instances",
  "other-job": "it is of other organizations, or of another service user",
  "target-reset": "the target does not have the events that it had: it was reset, or set back",
  "source-reset": "the source does not have the events that it had: it was reset, or set back",
};

/** Whether the state is used; `since` is when it was read. */
export function stateLine(use: StateUse, since: string): string {
  return use === "used"
    ? `state:    reading what is new since ${since}`
    : `state:    ${whyAll[use]}; comparing everything`;
}
