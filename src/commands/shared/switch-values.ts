import { existsSync } from "node:fs";
import type { Command, CommandUnknownOpts } from "@commander-js/extra-typings";

const TRUE = /^(true|t|1)$/i;
const FALSE = /^(false|f|0)$/i;

/**
 * Rewrites other names of flags, and switches with a value, as Go tools have them, for commander: `--email-verified=false` becomes `--no-email-verified`, and
 * `--multiline=false` is dropped. All other arguments stay unchanged. A switch with any other value is a usage error of its command.
 * @param whole the program with all commands
 */
export function spellOutSwitches(argv: readonly string[], program: Command, whole: () => Command): readonly string[] {
  const asksForHelp = argv.includes("--help") || argv.includes("-h");
  let command = program;
  const spelled: string[] = [];
  const given = new Set<string>();
  for (const [at, text] of argv.entries()) {
    if (text === "--") return [...spelled, ...argv.slice(at)];
    command = (command.commands.find((one) => one.name() === text) as Command | undefined) ?? command; // of the same kind
    refuseTokenAsFile(text, argv[at + 1], command);
    refuseSecond(text, given, command);
    refuseFlagAsValue(text, argv[at + 1], command);
    if (!asksForHelp && !isValue(argv[at - 1], command)) suggestMeant(text, command, whole);
    spelled.push(...spellOut(text, command));
  }
  return spelled;
}

/** Names of one flag in different commands: where a command has only the second name, the first one stands for it. */
const OTHER_NAMES = [
  ["--org", "--org-id"],
  ["--org-id", "--org"],
  ["--token-file", "--target-token-file"],
  ["--target-token-file", "--token-file"],
  ["-y", "--yes"],
] as const;

function withOwnName(text: string, command: Command): string {
  const { options } = command;
  const has = (name: string): boolean => options.some(({ long, short }) => long === name || short === name);
  const [flag = ""] = text.split("=", 1);
  if (flag === "--token-file" && has("--source-token-file") && command.name() !== "doctor")
    command.error(`error: unknown option '${flag}': there are --source-token-file and --target-token-file`);
  const own = OTHER_NAMES.find(([name, other]) => name === flag && !has(name) && has(other));
  return own === undefined ? text : own[1] + text.slice(flag.length);
}

/** Of a flag that is given twice and not repeatable, commander would take the last value without a word. */
function refuseSecond(text: string, given: Set<string>, command: Command): void {
  const [written = ""] = text.split("=", 1);
  const flag = withOwnName(written, command);
  const option = command.options.find(({ long }) => long === flag);
  if (option?.required !== true || option.description.includes("repeatable")) return;
  const other = written === flag ? "" : `: ${written} is another name of it`;
  if (given.has(flag)) command.error(`error: ${flag} is given twice${other}`);
  given.add(flag);
}

/** A flag behind a flag that takes a value: the value was forgotten, and commander would take the flag for it. */
function refuseFlagAsValue(flag: string, next: string | undefined, command: Command): void {
  const [name = ""] = next?.split("=", 1) ?? [];
  const isFlag = command.options.some(({ long, short }) => name === long || name === short);
  if (isFlag && isValue(flag, command)) command.error(`error: ${flag} needs a value: '${name}' behind it is a flag`);
}

/** An opaque token, or one of three or five parts, in place of the file that holds it. */
const LIKE_TOKEN = /^(?:[\w.~+=-]{40,}|(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[\w~+=-]{20,})$/;
const REVOKE = "If the command line had a token, revoke it: it is in the history of the shell.";

/** A token in place of its file must not reach a message, which would name the file. */
function refuseTokenAsFile(text: string, next: string | undefined, command: Command): void {
  const [, flag, value = next ?? ""] = /^(--(?:source-|target-)?token-file)(?:=(.*))?$/.exec(text) ?? [];
  if (flag === undefined || !LIKE_TOKEN.test(value) || existsSync(value)) return;
  command.error(`error: ${flag} needs the path of a file that holds the token, not the token itself. ${REVOKE}`);
}

/** A token in a command line is visible to other processes and stays in the history of the shell. */
function refuseToken(text: string, command: Command): void {
  const [, word, side = "target-"] =
    /^--((source-|target-)?(?:token|pat|access-token|api-token|api-key))(?:=|$)/.exec(text) ?? [];
  const names = [`--${side}token-file`, "--token-file", "--target-token-file"];
  const flag = names.find((name) => command.options.some(({ long }) => long === name));
  if (flag === undefined || word === undefined) return;
  command.error(
    `error: unknown option '--${word}': a token is never the value of a flag. Use ${flag} <path>, or an environment variable (see --help). ${REVOKE}`,
  );
}

/** Flags of `migrate`, which judges hashes: other commands send a body as it is. */
const OF_MIGRATE = /^--(target-limits|target-version|target-verifiers|unverifiable)(?:=|$)/;

/** Flags that other tools have for what orgferry finds out. */
const RECOGNIZED = [
  [/^--(?:delimiter|separator|sep)$/, "recognizes comma, semicolon and tab"],
  [/^--(?:encoding|charset)$/, "recognizes UTF-8 and UTF-16, and names the line of a table in another encoding"],
] as const;

/** Names the flag or the command that is meant where commander suggests none. */
function suggestOther(text: string, command: Command): void {
  const has = (name: string): boolean => command.options.some(({ long }) => long === name);
  const [flag = ""] = text.split("=", 1);
  if (command.parent === null || has(flag)) return;
  if (flag === "--source-token-file" && has("--token-file"))
    command.error(`error: unknown option '${flag}'\n(Did you mean --token-file?)`);
  const known = RECOGNIZED.find(([form]) => form.test(flag));
  if (known !== undefined && command.parent.name() === "migrate")
    command.error(`error: unknown option '${flag}': no flag is needed, because orgferry ${known[1]}`);
  const [argument] = command.registeredArguments;
  if (/^--(file|input|body)$/.test(flag) && argument !== undefined && argument.name() !== "shell")
    command.error(
      `error: unknown option '${flag}': the file needs no flag\n(Did you mean orgferry ${command.name()} <${argument.name()}>?)`,
    );
  if (OF_MIGRATE.test(text))
    command.error(
      `error: unknown option '${flag}': it is a flag of orgferry migrate, which judges the password hashes when it makes the body`,
    );
}

/** Names the flag that is meant: it is too short for commander's suggestion. */
function suggestOrg(text: string, command: Command): void {
  const [, word] = /^--(organi[sz]ation(?:-id)?)(?:=|$)/.exec(text) ?? [];
  if (word === undefined) return;
  const flag = command.options.find(({ long }) => long === "--org" || long === "--org-id")?.long;
  if (flag !== undefined) command.error(`error: unknown option '--${word}'\n(Did you mean ${flag}?)`);
}

/** True for the value of the flag that is before it. */
function isValue(before: string | undefined, command: Command): boolean {
  return command.options.some(({ long, short, required }) => required && (long === before || short === before));
}

/** Names that other tools have, or other commands, and the flags that have this meaning. */
const MEANINGS = [
  [["-o", "--out", "--output-file"], ["--output"]],
  [["-i", "-f", "--input", "--file", "--in", "--input-file"], ["--users"]],
  [
    ["-t", "-u", "--url", "--host", "--server", "--instance", "--domain", "--issuer", "--api"],
    ["--target", "--source"],
  ],
  [["-n", "--preview", "--check", "--plan"], ["--dry-run"]],
  [["-v", "--debug"], ["--verbose"]],
  [["--org", "--org-id"], ["--org-map"]],
  [["--batch-size"], ["--batch-users"]],
  [["--no-emails", "--no-email", "--no-mails", "--silent"], ["--no-mail"]],
  [
    ["--password", "--password-file", "--hashes"],
    ["--passwords", "--plain-passwords"],
  ],
] as const satisfies readonly (readonly [readonly string[], readonly string[]])[];

/** Names the commands that have a flag which this one lacks, and the flag that is meant. */
function suggestMeant(text: string, command: Command, whole: () => Command): void {
  const [flag = ""] = text.split("=", 1);
  const has = (name: string): boolean => command.options.some(({ long, short }) => long === name || short === name);
  const written = flag.replace(/^-?[\u2010-\u2015\u2212]-?/, "--");
  if (written !== flag && has(written))
    command.error(
      `error: unknown option '${flag}': it has a long dash, and a flag begins with two hyphens\n(Did you mean ${written}?)`,
    );
  if (command.commands.length === 0 && /^-[a-z][a-z-]+$/.test(flag) && has(`-${flag}`))
    command.error(`error: unknown option '${flag}'\n(Did you mean -${flag}?)`);
  const isFlag = /^(?:--[a-z][a-z0-9-]*|-[a-z])$/.test(flag);
  if (!isFlag || command.parent === null || command.commands.length > 0 || has(flag)) return;
  if (withOwnName(flag, command) !== flag) return;
  refuseToken(text, command);
  suggestOther(text, command);
  const others = flag.startsWith("--") ? commandsWith(flag, whole(), command) : [];
  const known = MEANINGS.flatMap(([names, flags]) => (names.some((name) => name === flag) ? flags : [])).find(has);
  const meant = known === undefined ? similarTo(flag, command) : [known];
  if (others.length === 0 && meant.length === 0) return;
  command.error(
    `error: unknown option '${flag}'${others.length === 0 ? "" : `: it is a flag of orgferry ${others.join(", ")}`}${meant.length === 0 ? "" : `\n(Did you mean ${meant.join(" or ")}?)`}`,
  );
}

/** Of more flags with one beginning, none is meant. */
const MOST_SIMILAR = 3;
const LEAST_BEGINNING = "--abc".length;

/**
 * The flags that this one is the beginning of; else those with one letter more or less. Commander compares only flags of the short help,
 * and would name a flag of another meaning.
 */
function similarTo(flag: string, { options }: Command): readonly string[] {
  const flags = options.flatMap(({ long, hidden }) => (typeof long !== "string" || hidden ? [] : [long]));
  const beginning = flag.length < LEAST_BEGINNING ? [] : flags.filter((long) => long.startsWith(flag));
  const similar =
    beginning.length > 0 ? beginning : flags.filter((long) => hasOneMore(long, flag) || hasOneMore(flag, long));
  return similar.length > MOST_SIMILAR ? [] : similar;
}

/** True if the text is the other one with one letter more. */
function hasOneMore(text: string, other: string): boolean {
  return (
    text.length === other.length + 1 && [...text].some((_, at) => text.slice(0, at) + text.slice(at + 1) === other)
  );
}

/** The commands with this flag: providers of `migrate` alone where another provider is meant. */
function commandsWith(flag: string, whole: CommandUnknownOpts, command: Command): readonly string[] {
  const has = (one: CommandUnknownOpts): boolean => one.options.some(({ long, hidden }) => long === flag && !hidden);
  const isSameGroup = (group: CommandUnknownOpts): boolean => group.name() === command.parent?.name();
  return whole.commands.flatMap((group) => {
    if (group.name() === "help") return [];
    const inside = group.commands.filter(has).map((one) => `${group.name()} ${one.name()}`);
    return isSameGroup(group) ? inside : inside.length > 0 || has(group) ? [group.name()] : [];
  });
}

function spellOut(given: string, command: Command): readonly string[] {
  refuseToken(given, command);
  suggestOther(given, command);
  suggestOrg(given, command);
  const text = withOwnName(given, command);
  const [, flag = "", value = ""] = /^(--[a-z][\w-]*)=(.*)$/.exec(text) ?? [];
  const isSwitch = (long: string): boolean =>
    command.options.some((option) => option.long === long && !option.required && !option.optional);
  if (!isSwitch(flag)) return [text];
  if (TRUE.test(value)) return [flag];
  if (!FALSE.test(value)) return command.error(`error: ${flag} is a switch: give it alone, or with =true or =false`);
  const opposite = flag.startsWith("--no-") ? flag.replace("--no-", "--") : flag.replace("--", "--no-");
  return isSwitch(opposite) ? [opposite] : [];
}
