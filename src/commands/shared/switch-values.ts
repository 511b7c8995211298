import type { Command } from "@commander-js/extra-typings";

const TRUE = /^(true|t|1)$/i;
const FALSE = /^(false|f|0)$/i;

/**
 * Rewrites switches with a value, as Go tools have them, for commander: `--email-verified=false` becomes `--no-email-verified`, and
 * `--multiline=false` is dropped. All other arguments stay unchanged. A switch with any other value is a usage error of its command.
 */
export function spellOutSwitches(argv: readonly string[], program: Command): readonly string[] {
  let command = program;
  const spelled: string[] = [];
  for (const [at, text] of argv.entries()) {
    if (text === "--") return [...spelled, ...argv.slice(at)];
    command = (command.commands.find((one) => one.name() === text) as Command | undefined) ?? command; // of the same kind
    spelled.push(...spellOut(text, command));
  }
  return spelled;
}

function spellOut(text: string, command: Command): readonly string[] {
  const [, flag = "", value = ""] = /^(--[a-z][\w-]*)=(.*)$/.exec(text) ?? [];
  const isSwitch = (long: string): boolean =>
    command.options.some((option) => option.long === long && !option.required && !option.optional);
  if (!isSwitch(flag)) return [text];
  if (TRUE.test(value)) return [flag];
  if (!FALSE.test(value)) return command.error(`error: ${flag} is a switch: give it alone, or with =true or =false`);
  const opposite = flag.startsWith("--no-") ? flag.replace("--no-", "--") : flag.replace("--", "--no-");
  return isSwitch(opposite) ? [opposite] : [];
}
