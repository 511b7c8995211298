import type * as z from "zod";
import type { Problem } from "../problem.ts";
import type { ReportSchema } from "./machine/report-schema.ts";

/** The report of a command (design: The report), discriminated by `command`. */
export type ReportValue = DeepReadonly<z.infer<typeof ReportSchema>>;

/** The name of a command, as its report has it. */
export type CommandName = ReportValue["command"];

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** Every key that a report of these may have, for readers of any of them. */
type Flat<Value> = {
  readonly [Key in Value extends unknown ? keyof Value : never]?: Value extends unknown
    ? Key extends keyof Value
      ? Value[Key]
      : never
    : never;
};

/** The keys of every report. */
type BaseKey =
  | "schemaVersion"
  | "command"
  | "version"
  | "exitCode"
  | "startedAt"
  | "durationMs"
  | "problems"
  | "warnings";

/** The keys that a command sets itself. */
export type ReportFields<Name extends CommandName = CommandName> = CommandName extends Name
  ? Omit<Flat<ReportValue>, BaseKey>
  : Omit<Flat<Extract<ReportValue, { command: Name }>>, BaseKey>;

/** A report of any command, with every key that one may have: what readers take. */
export type AnyReport = ReportFields &
  Required<Pick<Flat<ReportValue>, Exclude<BaseKey, "warnings">>> &
  Pick<Flat<ReportValue>, "warnings">;
/** A rejected row, or what ended the run, as the report lists it. */
export type ListedProblem = AnyReport["problems"][number];

/** A user or object that a comparison names. */
export type ComparedThing = NonNullable<ReportFields<"verify">["missing"]>[number];
/** A user or object that differs, and the names of its fields that do. */
export type DifferentThing = NonNullable<ReportFields<"verify">["different"]>[number];

/** The numbers of users of a report, where there are several. */
export function userCounts({
  users,
}: Pick<ReportFields, "users">): Readonly<Record<string, number | undefined>> | undefined {
  return typeof users === "object" ? users : undefined;
}

/** False for a run that has ended and created and changed no user: the service sends no message because of it. */
export function maySendMessages(report: Pick<AnyReport, "users" | "dryRun" | "failures">): boolean {
  const { created, ...others } = userCounts(report) ?? {};
  if (created === undefined || report.dryRun === true) return true;
  const { alreadyThere = 0, updated = 0, unknown = 0, notSent = 0 } = others;
  const isChanged = report.failures?.some(({ changed = [] }) => changed.length > 0) === true;
  return isChanged || created + alreadyThere + updated + unknown + notSent > 0;
}

/** The flags of reports that could not be written. */
export type Untold = readonly ("--report" | "--html" | "--json")[];

/** What a command reports while it runs, so that a run that fails half-way still reports what it knows. */
export interface Report<Fields = ReportFields> {
  /** Merges keys into the report. */
  set(fields: Fields): void;
  /** Notes how much is done, so that the report shows the rate over time; cheap to call often. */
  mark(done: number): void;
  /** Lists a problem in the report; the command decides whether to print it as well. */
  add(problem: Problem): void;
  /** Sets the line that --quiet prints when the exit code is 1: how many items failed; and the lines that follow, if not the reasons do. */
  why(line: string, reasons?: readonly string[]): void;
  /** The ids that the report names so far: whose login names people want to see. */
  namedIds(): ReadonlySet<string>;
  /** Of these, the ids of what failed, was skipped, is unknown or is a conflict. */
  lostIds(): ReadonlySet<string>;
  /** Login names of users that only the target has, by id, as a run finds them. */
  readonly targetNames?: Map<string, string>;
  /** Names of objects besides users, by id, as a run finds them. */
  readonly objectNames?: Map<string, string>;
  /**
   * Keeps an act for the end, after the report is written; the last one kept runs first. If `untold` has a flag, the act must not remove
   * what the report would have named.
   */
  lastly(act: (untold: Untold) => void): void;
}

/** The number of warnings that a report lists. */
export const LISTED_WARNINGS = 100;

/** The most organizations that a report names. */
const NAMED_ORGS = 20;

/** The organizations of an input as the report names them. @param nameOf the name on the target, by the id: it comes before that of the input. */
export function organizationsOf(
  orgs: readonly { readonly orgId: string; readonly name?: string }[],
  nameOf: (orgId: string) => string | undefined = () => undefined,
): NonNullable<ReportFields["organizations"]> {
  const once = new Map<string, (typeof orgs)[number]>(); // of several files, each may have the organization
  for (const org of orgs) if (!once.has(org.orgId)) once.set(org.orgId, org);
  return [...once.values()].slice(0, NAMED_ORGS).map(({ orgId, name: inInput }) => {
    const name = nameOf(orgId) || inInput;
    return name === undefined ? { orgId } : { orgId, name };
  });
}
