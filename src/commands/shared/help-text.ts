import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { printable, printableLines } from "../../problem/format.ts";

/** A command line and its purpose. */
export type Example = readonly [why: string, line: string];

const SIDES = {
  source: [
    ["ZITADEL_EXPORT_DOMAIN", "address of the source, instead of --source"],
    ["PAT_EXPORT_TOKEN", "its token, instead of a file"],
    ["ORGFERRY_EXPORT_CLIENT_ID, …_SECRET", "client credentials, instead of a token"],
  ],
  target: [
    ["ZITADEL_IMPORT_DOMAIN", "address of the target, instead of --target"],
    ["PAT_IMPORT_TOKEN", "its token, instead of a file"],
    ["ORGFERRY_IMPORT_CLIENT_ID, …_SECRET", "client credentials, instead of a token"],
  ],
  auth0: [
    ["AUTH0_DOMAIN", "domain of the tenant, instead of --domain"],
    ["AUTH0_TOKEN", "Management API token, instead of a file"],
    ["AUTH0_CLIENT_ID, …_SECRET", "client credentials, instead of a token"],
  ],
} as const;

const EVERYWHERE = [
  ["HTTPS_PROXY, NO_PROXY", "proxy, and hosts that need no proxy"],
  ["NODE_EXTRA_CA_CERTS", "certificate file of a private certificate authority"],
] as const;

/** The text below the flags of a command: environment variables and examples. */
export function helpText(examples: readonly Example[], sides: readonly (keyof typeof SIDES)[] = []): string {
  const variables = sides.length === 0 ? [] : [...sides.flatMap((side) => [...SIDES[side]]), ...EVERYWHERE];
  const width = Math.max(0, ...variables.map(([name]) => name.length)) + 2;
  return [
    ...(variables.length === 0 ? [] : ["", "Environment:"]),
    ...variables.map(([name, meaning]) => `  ${name.padEnd(width)}${meaning}`),
    "",
    "Examples:",
    ...examples.flatMap(([why, line]) => [`  # ${why}`, `  ${line}`]),
    "",
    "Exit codes: see orgferry --help",
  ].join("\n");
}

/** The style of the help: a default value is shown unless it is "off" or "none". */
export const helpStyle = {
  optionDescription({ description, defaultValue, defaultValueDescription, argChoices }: Option): string {
    const extras = [
      ...(argChoices === undefined ? [] : [argChoices.join(" | ")]),
      ...(isShown(defaultValue) ? [`default: ${defaultValueDescription ?? String(defaultValue)}`] : []),
    ];
    return extras.length === 0 ? description : `${description} (${extras.join("; ")})`;
  },
};

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
