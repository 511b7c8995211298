import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { closest, distance } from "fastest-levenshtein";

const MOST_DIFFERENCES = 2;

/** A line with the command whose name is nearest to the first unknown word; "" if none is near. */
export function suggestCommand(program: CommandUnknownOpts, words: readonly string[]): string {
  let parent = program;
  for (const [at, word] of words.entries()) {
    const next = parent.commands.find((command) => command.name() === word);
    if (next !== undefined) {
      parent = next;
      continue;
    }
    const names = parent.commands.map((command) => command.name());
    const nearest = names.length === 0 ? undefined : closest(word, names);
    if (nearest === undefined || distance(word, nearest) > MOST_DIFFERENCES) return "";
    return `\n(Did you mean ${[...words.slice(0, at), nearest].join(" ")}?)`;
  }
  return "";
}
