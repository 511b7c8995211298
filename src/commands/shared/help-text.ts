import { type CommandUnknownOpts, Help, type HelpConfiguration, type Option } from "@commander-js/extra-typings";
import { printable, printableLines } from "../../problem/format.ts";

/** A command line and its purpose. */
export type Example = readonly [why: string, line: string];

const SIDES = {
  source: [
    ["ZITADEL_EXPORT_DOMAIN", "address of the source, instead of --source"],
    ["PAT_EXPORT_TOKEN", "its token, instead of a file"],
    ["ORGFERRY_EXPORT_CLIENT_ID", "with …_SECRET: client credentials, not a token"],
  ],
  target: [
    ["ZITADEL_IMPORT_DOMAIN", "address of the target, instead of --target"],
    ["PAT_IMPORT_TOKEN", "its token, instead of a file"],
    ["ORGFERRY_IMPORT_CLIENT_ID", "with …_SECRET: client credentials, not a token"],
  ],
  auth0: [
    ["AUTH0_DOMAIN", "domain of the tenant, instead of --domain"],
    ["AUTH0_TOKEN", "Management API token, instead of a file"],
    ["AUTH0_CLIENT_ID", "with …_SECRET: client credentials, not a token"],
  ],
} as const;

const EVERYWHERE = [
  ["HTTPS_PROXY, NO_PROXY", "proxy, and hosts that need no proxy"],
  ["NODE_EXTRA_CA_CERTS", "file with the certificate of a private authority"],
] as const;

/** The flag that shows the whole help; only together with --help, or in `orgferry help`. */
export const ALL = "--all";

/** Flags that the short help leaves out, by their long names: most users never need them. Pages, manual and completion have them all. */
export const rareFlags: ReadonlySet<string> = new Set([
  ...["--insecure-http", "--timeout", "--transport", "--settle", "--exclude-org-id", "--keep", "--max-rate"],
  ...["--restart", "--journal", "--shard", "--batch-users", "--batch-bytes", "--concurrency", "--max-concurrency"],
  ...[
    "--via",
    "--from",
    "--org-map",
    "--idp",
    "--manifest",
    "--skip-invalid",
    "--fail-on-existing",
    "--fail-on-different",
  ],
  ...["--no-heal", "--deactivate", "--gcs-bucket", "--gcs-path", "--gcs-service-account"],
  ...["--user-name", "--org-by", "--unblock", "--multiline", "--email-verified", "--no-email-verified"],
  ...["--phone-attribute", "--hash-kind", "--bcrypt-cost", "--without-metadata", "--target-limits", "--value"],
  ...["--projects", "--roles-by", "--phone-country", "--plain-passwords", "--only", "--where"],
  ...["--service-users", "--terraform-imports", "--with-otp", "--max-mails"],
  ...["--limit", "--strict", "--target-version", "--grant", "--value", "--list"],
  ...["--memory", "--split", "--force", "--html-anonymous", "--json", "--verbose", "--no-color"],
]);

/** The text below the flags of a command: environment variables and examples; in the short help, the first example. */
export function helpText(examples: readonly Example[], sides: readonly (keyof typeof SIDES)[] = []) {
  return ({ command }: { readonly command: CommandUnknownOpts }): string => {
    const isAll = isWhole(command);
    const variables = sides.length === 0 ? [] : [...sides.flatMap((side) => [...SIDES[side]]), ...EVERYWHERE];
    const width = Math.max(0, ...variables.map(([name]) => name.length)) + 2;
    const [[, first] = ["", ""]] = examples;
    if (!isAll) return `\nExample: ${first}\nAll flags and examples: ${lineOf(command)} --help ${ALL}`;
    return [
      ...(variables.length === 0 ? [] : ["", "Environment:"]),
      ...variables.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`),
      "",
      examples.length === 1 ? "Example:" : "Examples:",
      ...examples.flatMap(([why, line]) => [`  # ${why}`, ...pastable(line)]),
      "",
      "Exit codes: see orgferry --help",
    ].join("\n");
  };
}

/** A command line for a shell: a backslash continues it, in front of a flag or a pipe, where it is too wide. */
function pastable(line: string): readonly string[] {
  const lines: string[] = [];
  let current = " ";
  for (const part of line.split(/ (?=--?[a-z]|\|)/)) {
    if (`${current} ${part}${CONTINUED}`.length > WIDTH) {
      lines.push(`${current}${CONTINUED}`);
      current = "   ";
    }
    current += ` ${part}`;
  }
  return [...lines, current];
}

const CONTINUED = " \\";

/** `orgferry migrate auth0`. */
function lineOf(command: CommandUnknownOpts): string {
  const { parent } = command;
  return parent === null ? command.name() : `${lineOf(parent)} ${command.name()}`;
}

/** A text that only the whole help has. */
export function onlyWithAll(text: string) {
  return ({ command }: { readonly command: CommandUnknownOpts }): string => (isWhole(command) ? text : "");
}

/** True if no flag is left out. */
function isWhole(command: CommandUnknownOpts): boolean {
  return (command.configureHelp() as HelpStyle).isAll === true;
}

/** How commander writes the help. */
interface HelpStyle extends HelpConfiguration {
  readonly isAll?: boolean;
}

/** The style of the help: a default value is shown unless it is "off" or "none". `isAll`: no flag is left out. */
export function helpStyle(isAll: boolean): HelpStyle {
  return {
    isAll,
    optionDescription({ description, defaultValue, defaultValueDescription, argChoices }: Option): string {
      const extras = [
        ...(argChoices === undefined ? [] : [argChoices.join(" | ")]),
        ...(isShown(defaultValue) ? [`default: ${defaultValueDescription ?? String(defaultValue)}`] : []),
      ];
      return extras.length === 0 ? description : `${description} (${extras.join("; ")})`;
    },
    visibleOptions(command) {
      const options = Help.prototype.visibleOptions.call(this, command);
      return isAll || command.parent === null
        ? options
        : options.filter(({ long }) => long !== "--help" && !rareFlags.has(long ?? ""));
    },
    formatItem(term, termWidth, description, helper) {
      const width = (helper.helpWidth ?? WIDTH) - termWidth - ITEM_MARGIN;
      const text = isAll ? description : shortened(description, width);
      return Help.prototype.formatItem.call(this, term, termWidth, text, helper);
    },
    formatHelp(command, helper) {
      const text = Help.prototype.formatHelp.call(this, command, helper);
      // The blank line behind the usage stays.
      return isAll || command.parent === null ? text : text.replace(/(?<=\n\n.*)\n\n/gs, "\n");
    },
  };
}

/** Blanks around the term and the description of a flag. */
const ITEM_MARGIN = 4;
const WIDTH = 80;

/** A description cut at the end of a clause, if it does not fit into the width; what a flag takes (`a | b`) stays. */
function shortened(description: string, width: number): string {
  if (description.length <= width) return description;
  const [whole = "", choices] = / \(([^()]* \| [^()]*?)(?:; default: .*)?\)$/.exec(description) ?? [];
  const text = description.slice(0, description.length - whole.length);
  if (choices !== undefined) return `${text.slice(0, endsOf(text)[0]?.at)} (${choices})`;
  const ends = endsOf(text).filter(({ at }) => at <= width);
  const end = ends.findLast(({ isList }) => !isList) ?? ends.findLast(({ at }) => at + CUT.length <= width);
  return end === undefined ? text : `${text.slice(0, end.at)}${end.isList ? CUT : ""}`;
}

const CUT = ", …";

/** Where the clauses of a text end, outside of brackets. */
function endsOf(text: string): readonly { readonly at: number; readonly isList: boolean }[] {
  return [...text.matchAll(/; | (?=\()|: |, |\([^)]*\)/g)].flatMap(({ 0: found, index: at }) =>
    found.startsWith("(") ? [] : [{ at, isList: found === ", " }],
  );
}

function isShown(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(value instanceof Map && value.size === 0);
}

/** The command with these names, from the outside in; undefined: there is none. */
export function commandAt(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts | undefined {
  const [name, ...rest] = words;
  if (name === undefined) return program;
  const next = program.commands.find((command) => command.name() === name);
  return next === undefined ? undefined : commandAt(next, rest);
}

/** A message of several lines that repeats words of the command line: no word begins a line. */
export function withoutBreaksOf(argv: readonly string[], text: string): string {
  const words = argv.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]).filter((word) => word.includes("\n"));
  return printableLines(words.reduce((current, word) => current.replaceAll(word, () => printable(word)), text));
}
