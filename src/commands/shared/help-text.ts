import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";

/** An example of a command line, and what it is for. */
export type Example = readonly [why: string, line: string];

const SIDES = {
  source: [
    ["ZITADEL_EXPORT_DOMAIN", "address of the source, in place of --source"],
    ["PAT_EXPORT_TOKEN", "its token, in place of a file"],
    ["ORGFERRY_EXPORT_CLIENT_ID, …_SECRET", "client credentials, in place of a token"],
  ],
  target: [
    ["ZITADEL_IMPORT_DOMAIN", "address of the target, in place of --target"],
    ["PAT_IMPORT_TOKEN", "its token, in place of a file"],
    ["ORGFERRY_IMPORT_CLIENT_ID, …_SECRET", "client credentials, in place of a token"],
  ],
  auth0: [
    ["AUTH0_DOMAIN", "the tenant, in place of --domain"],
    ["AUTH0_TOKEN", "a token of its Management API, in place of a file"],
    ["AUTH0_CLIENT_ID, …_SECRET", "client credentials, in place of a token"],
  ],
} as const;

const EVERYWHERE = [
  ["HTTPS_PROXY, NO_PROXY", "a proxy, and hosts that are reached without it"],
  ["NODE_EXTRA_CA_CERTS", "certificate file of a private authority"],
] as const;

/** What stands below the flags of a command: the environment that it reads, and examples. */
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

/** How help is written: flags that are off by themselves need no words for that, and those that must be given say so. */
export const helpStyle = {
  optionDescription({ description, defaultValue, defaultValueDescription, argChoices }: Option): string {
    const extras = [
      ...(argChoices === undefined ? [] : [argChoices.join(" | ")]),
      ...(isWorthTelling(defaultValue) ? [`default: ${defaultValueDescription ?? String(defaultValue)}`] : []),
    ];
    return extras.length === 0 ? description : `${description} (${extras.join("; ")})`;
  },
};

function isWorthTelling(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(value instanceof Map && value.size === 0);
}

/** The command that some words lead to; undefined where they lead nowhere. */
export function commandAt(program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts | undefined {
  const [name, ...rest] = words;
  if (name === undefined) return program;
  const next = program.commands.find((command) => command.name() === name);
  return next === undefined ? undefined : commandAt(next, rest);
}
