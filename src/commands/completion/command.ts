import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { exitCodes } from "../../problem.ts";
import type { Handler } from "../shared/command-entry.ts";
import { bashScript } from "./bash.ts";
import type { Shell } from "./declare.ts";
import { fishScript } from "./fish.ts";
import { manPage, pagePaths } from "./man-page.ts";
import { powershellScript } from "./powershell.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<Shell, (program: CommandUnknownOpts) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

/** `completion <shell>`: prints the script that completes the whole program in one shell. */
export const completion: Handler<[Shell], object> = async (shell, _, { program, context }) => {
  context.stdout.write(scripts[shell](program));
  return exitCodes.done;
};

/** `man-page [command …]`: prints the manual of the program or of a command; `man-page list`: the commands that have one. */
export const printManPage: Handler<[string[]], object> = async (words, _, { program, context }) => {
  const path = words.join(" ");
  const page = path === "list" ? `${pagePaths(program).join("\n")}\n` : manPage(program, path);
  if (page === undefined) program.error(`error: there is no manual page of '${path}'`);
  context.stdout.write(page);
  return exitCodes.done;
};
