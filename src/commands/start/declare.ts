import type { Command } from "@commander-js/extra-typings";
import { type Example, helpText } from "../shared/help-text.ts";

/** Declares `start`. */
export function declareStart(program: Command) {
  const examples: Example[] = [["answer questions, from a file to imported and verified users", "orgferry start"]];
  return program
    .command("start")
    .description("move users step by step: asks on the terminal, and shows each command before it runs")
    .addHelpText("after", helpText(examples, ["target"]));
}
