import type { Context } from "../../context.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { CommandNode } from "../shared/command-tree.ts";
import { bashScript } from "./bash.ts";
import type { Printed } from "./declare.ts";
import { fishScript } from "./fish.ts";
import { manPage } from "./man-page.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<Printed, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  "man-page": manPage,
};

/** Prints the completions of the whole program for one shell, or its manual. */
export async function completion(
  what: Printed,
  program: CommandNode,
  { stdout }: Pick<Context, "stdout">,
): Promise<ExitCode> {
  stdout.write(scripts[what](program));
  return exitCodes.done;
}
