import { hashKinds, isHashKind } from "../../core/rules/hash-kinds.ts";
import { emailDomainOption } from "../shared/address.ts";
import { idpOption, readPair } from "../shared/options.ts";
import { OptionFault, type OptionTable, type Settings, type SourceOption } from "../source.ts";
import { type ColumnExpression, type Field, fields, type Mapping } from "./fields.ts";
import { type Preset, presets } from "./presets.ts";

const COSTS = { least: 4, most: 16, usual: 10 } as const;

const mapping: SourceOption<Mapping> = {
  flag: "--map <field=column,...>",
  description: `which column is what: of ${fields.join(", ")}, metadata.<key>; repeatable`,
  read: (given) => toMapping(given.flatMap(pairsOf)),
};

const preset: SourceOption<Preset | undefined> = {
  flag: "--preset <name>",
  description: `whose columns they are: ${presets.map(({ id }) => id).join(", ")} (default: told by the first row); --map comes first`,
  read: ([given]) => (given === undefined ? undefined : presetOf(given)),
};

const hashKind: SourceOption<string | undefined> = {
  flag: "--hash-kind <kind>",
  description: "what all hashes are, where their form alone does not tell (better-auth, md5_salt_prefix, …)",
  read: ([given]) => (given === undefined ? undefined : kindOf(given)),
};

const plainPasswords: SourceOption<boolean> = {
  flag: "--plain-passwords",
  description: "the table holds passwords themselves (--map password=<column>): hash them with bcrypt",
  read: ([given]) => given !== undefined,
};

const bcryptCost: SourceOption<number> = {
  flag: "--bcrypt-cost <n>",
  description: `with --plain-passwords: 2 to the power of n rounds (default: ${COSTS.usual})`,
  read: ([given]) => (given === undefined ? COSTS.usual : costOf(given)),
};

const withoutMetadata: SourceOption<boolean> = {
  flag: "--without-metadata",
  description: "do not carry over the metadata of the preset",
  read: ([given]) => given !== undefined,
};

/** The flags of `migrate csv` alone. */
export const options = {
  mapping,
  preset,
  hashKind,
  idp: idpOption("column"),
  emailDomain: emailDomainOption,
  plainPasswords,
  bcryptCost,
  withoutMetadata,
} satisfies OptionTable;

/** What `migrate csv` was asked for. */
export type CsvSettings = Settings<typeof options>;

/** A comma ends a pair only where another one follows: names of columns may hold commas. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  return text.split(/,(?=\s*[A-Za-z][\w.:-]*\s*=)/).map((pair) => readPair(pair, "email=primary_email"));
}

function toMapping(pairs: readonly (readonly [string, string])[]): Mapping {
  const found: Partial<Record<Field, ColumnExpression>> = {};
  const metadata: Record<string, ColumnExpression> = {};
  for (const [name, column] of pairs) {
    const [, key] = /^metadata\.(.+)$/.exec(name) ?? [];
    if (key === undefined) found[fieldOf(name)] = column;
    else metadata[key] = column;
  }
  return { fields: found, metadata };
}

function fieldOf(name: string): Field {
  const plain = name.toLowerCase().replace(/[_-]/g, "");
  const field = fields.find((one) => one.toLowerCase() === plain);
  if (field === undefined)
    throw new OptionFault(`there is no field ${name}; there are ${fields.join(", ")}, metadata.<key>.`);
  return field;
}

function presetOf(name: string): Preset {
  const found = presets.find(({ id }) => id === name || id === `${name}-csv`);
  if (found === undefined) throw new OptionFault(`it must be one of ${presets.map(({ id }) => id).join(", ")}.`);
  return found;
}

function kindOf(name: string): string {
  if (!isHashKind(name)) throw new OptionFault(`it must be one of ${hashKinds.join(", ")}.`);
  return name;
}

function costOf(text: string): number {
  const cost = Number(text);
  if (!/^\d+$/.test(text) || cost < COSTS.least || cost > COSTS.most) {
    throw new OptionFault(`it must be a whole number from ${COSTS.least} to ${COSTS.most}.`);
  }
  return cost;
}
