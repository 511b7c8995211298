import type { Context } from "../../context.ts";
import { type ExitCode, exitCodes } from "../../problem.ts";
import type { CommandNode } from "../shared/command-tree.ts";
import { bashScript } from "./bash.ts";
import type { Shell } from "./declare.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<Shell, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints the completions of the whole program for one shell. */
export async function completion(
  shell: Shell,
  program: CommandNode,
  { stdout }: Pick<Context, "stdout">,
): Promise<ExitCode> {
  stdout.write(scripts[shell](program));
  return exitCodes.done;
}
