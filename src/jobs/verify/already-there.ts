import type { BodyScan } from "../../core/document/scan-types.ts";
import { describe } from "../../problem/describe.ts";
import { counted, idWithName, LISTED, linesIf, type Names } from "../../problem/format.ts";
import { ProblemError } from "../../problem.ts";
import { differentHint } from "../../ui/summary/update-plan.ts";
import { type Comparison, compareByEvents } from "./by-events.ts";
import { changedText, type Different, fieldsOf } from "./differences.ts";

/** Existing users who were not created by an import and differ from its body: they may have another password, or none. */
export interface AlreadyThereDifferent {
  /** The first thousand. */
  readonly users: readonly { readonly userId: string; readonly fields: readonly string[] }[];
  readonly count: number;
}

const SHOWN = 10;
const isClosed = ({ inputState = "active" }: Different): boolean => inputState !== "active";
const NO_NAMES: Names = new Map();

/**
 * Compares the users of a body who exist and were not created by this import with the body, and prints the differences. Undefined, with a warning, if events cannot be read. Raises the signal's reason.
 */
export async function compareAlreadyThere(
  run: Omit<Comparison, "report">,
  scan: Pick<BodyScan, "orgs" | "counts" | "sections" | "repeatedIds" | "carries">,
  isExisting: (userId: string) => boolean,
  isUpdate: boolean,
): Promise<AlreadyThereDifferent | undefined> {
  const { ui } = run;
  try {
    const { different, changedSince, names = NO_NAMES } = await compareByEvents(run, scan, isExisting);
    // Who can sign in, and must not by the input, is no detail that an account of the target may have changed.
    const opened = changedSince.list.filter((one) => isClosed(one));
    const list = [...opened, ...different.list].slice(0, LISTED);
    const count = different.count + opened.length;
    const users = list.map(({ id, fields }) => ({ userId: id, fields }));
    if (count > 0) {
      const closed = list.filter((one) => isClosed(one)).length;
      const named = list
        .toSorted((a, b) => Number(isClosed(b)) - Number(isClosed(a)))
        .slice(0, SHOWN)
        .map((one) => `          ${idWithName(one.id, names.get(one.id))}: ${fieldsOf(one)}`);
      ui.warn(
        `${counted(count, "existing user differs", "existing users differ")} from the input, and ${count === 1 ? "was" : "were"} not changed:`,
        ...linesIf(
          closed > 0,
          `          ${counted(closed, "is", "are")} inactive or locked in the input, and not so on the target: they may be able to sign in (a killed run may have left them open)`,
        ),
        ...named,
        ...linesIf(count > SHOWN, `          … and ${counted(count - SHOWN, "more", "more")}; --report lists them`),
        `          ${differentHint(users, `To change them to what the input says, ${isUpdate ? "run again" : "use --update"}.`)}`,
      );
    }
    const others = {
      list: changedSince.list.filter((one) => !isClosed(one)),
      count: changedSince.count - opened.length,
    };
    if (others.count > 0)
      ui.say(
        `          ${counted(others.count, "existing user was", "existing users were")} changed on the target since they were created: ${changedText(others, names)}`,
      );
    return { users, count };
  } catch (error) {
    // Everything was sent: this extra comparison ends the run only for an interrupt or a bug.
    if (!(error instanceof ProblemError) || error.problem.code === "run.aborted") throw error;
    const { problem } = error;
    ui.warn(`existing users could not be compared with the input: ${describe(problem).message}`);
    return undefined;
  }
}
