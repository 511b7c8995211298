import type { Context } from "../../context.ts";
import { isSameFile } from "../../io/terminal.ts";
import { type ExitCode, exitCodeOf, exitCodes, ProblemError, type Side } from "../../problem.ts";
import { flagLines } from "../../ui/summary/probe-summary.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { flagsOf } from "../shared/connect.ts";
import { runCommand } from "../shared/run-command.ts";
import type { Check } from "./check.ts";
import { type Checked, checkInstance } from "./check-instance.ts";
import { checkMachine } from "./check-machine.ts";
import type { DoctorOptions } from "./declare.ts";

/** `doctor`: checks what commands need, and changes nothing. The exit code is that of the first failed check. */
export async function doctor(options: DoctorOptions, { context }: CommandWorld): Promise<ExitCode> {
  return runCommand({ name: "doctor", context, options }, async (ui, report) => {
    const checks: Check[] = [];
    const idps: Checked["idps"][number][] = [];
    const { stdout, stderr } = context;
    const isApart = !options.json && stdout.isTTY !== true && !isSameFile(stdout, stderr);
    const take = (found: readonly Check[]): void => {
      for (const check of found) sayCheck(check, ui, isApart);
      checks.push(...found);
      report.set({ checks: checks.map(({ problem: _, ...check }) => check) });
    };
    take(checkMachine(context));
    const sides = (["source", "target"] as const).filter((side) => isNamed(side, options, context));
    if (sides.length === 0)
      ui.say("no instance named: use --source, --target or the environment variables (orgferry help doctor).");
    if (options.probe && !sides.includes("target"))
      throw new ProblemError({ code: "usage.no-address", side: "target" });
    for (const side of sides) {
      const instance = { side, flags: flagsOf(side, options), probe: options.probe && side === "target" };
      const { checks: found, idps: listed, probe } = await checkInstance(instance, context, ui);
      take(found);
      idps.push(...listed);
      report.set({ identityProviders: idps });
      if (probe === undefined) continue;
      report.set({ probe });
      for (const line of flagLines(probe.flags)) ui.result(line);
    }
    const [first] = checks.filter(({ status }) => status === "fail");
    for (const { problem } of checks) if (problem !== undefined) report.add(problem);
    return first?.problem === undefined ? exitCodes.done : exitCodeOf(first.problem);
  });
}

function isNamed(side: Side, options: DoctorOptions, { env }: Pick<Context, "env">): boolean {
  const variable = side === "source" ? "ZITADEL_EXPORT_DOMAIN" : "ZITADEL_IMPORT_DOMAIN";
  return options[side] !== undefined || (env[variable] ?? "") !== "";
}

/**
 * A failed check goes to stderr, and is shown with --quiet too.
 * @param isApart stdout is a file or a pipe of its own, which gets all checks
 */
function sayCheck({ name, status, detail }: Check, ui: Ui, isApart: boolean): void {
  const { paint } = ui;
  const line = `${name.padEnd(17)} ${detail}`;
  if (status === "ok") ui.result(`${paint.green("ok   ")} ${line}`);
  else if (status === "warn") ui.result(`${paint.yellow("warn ")} ${line}`);
  else {
    ui.fail(line);
    if (isApart) ui.result(`fail  ${line}`);
  }
}
