import { type CliWorld, runCli } from "./run-cli.ts";

/** The parts of a report that tests look at. */
export interface ImportReport {
  readonly exitCode: number;
  readonly variant: string;
  readonly users: Readonly<Record<string, number>>;
  readonly unknown: readonly string[];
  readonly calls: number;
  readonly failures: readonly Readonly<Record<string, unknown>>[];
  readonly otherObjects: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly problems: readonly Readonly<Record<string, unknown>>[];
  readonly resume?: string;
  readonly pace?: { readonly concurrency: number; readonly batchUsers: number };
  /** With `--verify`. */
  readonly expected?: number;
  readonly via?: Readonly<Record<"import" | "users", number>>;
}

/** Runs `import --json` and reads its report; checks the promise that the numbers add up. */
export async function importJson(
  args: readonly string[],
  world: CliWorld,
): Promise<{ report: ImportReport; stderr: string; exitCode: number }> {
  const { stdout, stderr, exitCode } = await runCli(["import", ...args, "--json"], world);
  const report = JSON.parse(stdout) as ImportReport;
  if (report.exitCode !== exitCode) throw new Error(`exit code ${exitCode}, report says ${report.exitCode}`);
  if (report.users !== undefined) checkSums(report.users);
  return { report, stderr, exitCode };
}

function checkSums({
  read,
  sent,
  notSent,
  skipped,
  created,
  alreadyThere,
  failed,
  unknown,
  updated,
  unchanged,
  conflict,
}: ImportReport["users"]): void {
  const sum = (...numbers: (number | undefined)[]): number =>
    numbers.reduce<number>((total, next) => total + (next ?? 0), 0);
  if (read !== sum(sent, unchanged, conflict, notSent, skipped))
    throw new Error("read ≠ sent + unchanged + conflict + not sent + skipped");
  if (sent !== sum(created, updated, alreadyThere, failed, unknown))
    throw new Error("sent ≠ created + updated + already there + failed + unknown");
}
