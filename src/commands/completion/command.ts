import { exitCodes } from "../../problem.ts";
import type { Handler } from "../shared/command-entry.ts";
import { type CommandNode, treeOf } from "../shared/command-tree.ts";
import { bashScript } from "./bash.ts";
import type { Shell } from "./declare.ts";
import { fishScript } from "./fish.ts";
import { manPage } from "./man-page.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<Shell, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `completion <shell>`: prints the script that completes the whole program in one shell. */
export const completion: Handler<[Shell], object> = async (shell, _, { program, context }) => {
  context.stdout.write(scripts[shell](treeOf(program)));
  return exitCodes.done;
};

/** `man-page`: prints the manual of the whole program. */
export const printManPage: Handler<[], object> = async (_, { program, context }) => {
  context.stdout.write(manPage(treeOf(program)));
  return exitCodes.done;
};
