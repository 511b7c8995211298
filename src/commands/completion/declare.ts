import { Argument, type Command } from "@commander-js/extra-typings";

/** The shells with a completion script. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

const HOW = `
bash   orgferry completion bash \\
         > ~/.local/share/bash-completion/completions/orgferry
zsh    orgferry completion zsh > "\${fpath[1]}/_orgferry"
fish   orgferry completion fish > ~/.config/fish/completions/orgferry.fish
powershell   orgferry completion powershell | Out-String | Invoke-Expression
             (in $PROFILE)`;

/** Declares `man-page`, which the build runs. */
export function declareManPage(program: Command) {
  return program
    .command("man-page", { hidden: true })
    .description("print a manual page")
    .argument("[command...]", "name of the command; list: all names");
}

/** Declares `completion <shell>`. */
export function declareCompletion(program: Command) {
  return program
    .command("completion")
    .description("print a shell completion script")
    .addArgument(new Argument("<shell>", "name of the shell").choices(shells))
    .addHelpText("after", HOW);
}
