import { AskedMap } from "../../core/merge/asked-map.ts";
import { hashKinds, isHashKind } from "../../core/rules/hash-kinds.ts";
import { ProblemError } from "../../problem.ts";
import { emailDomainOption } from "../shared/address.ts";
import { grantOption, projectsOption } from "../shared/grants.ts";
import { idpOption, phoneCountryOption, readPair } from "../shared/options.ts";
import { OptionFault, type OptionTable, ofLast, type Settings, type SourceOption } from "../source.ts";
import { type Expression, type Field, fields, type Keyed, type Mapping } from "./fields.ts";
import { closedState, DELETED, toConfirmed, toFlag, toGender, toState } from "./values.ts";

const COSTS = { least: 4, most: 16, usual: 10 } as const;

/** What can be mapped. */
const MAPPED = [...fields, "metadata.<key>"];

/** `--map`. @param place what holds a value: a column, a path. */
function mappingOption(place: string): SourceOption<Mapping> {
  return {
    flag: `--map <field=${place},...>`,
    description: `which ${place} is what: of ${MAPPED.join(", ")}; repeatable`,
    names: MAPPED,
    read: (given) => toMapping(given.flatMap(pairsOf)),
  };
}

/** `--preset`. @param recognizedBy what decides without the flag. */
export function presetOption<One extends { readonly id: string }>(
  presets: readonly One[],
  recognizedBy: string,
): SourceOption<One | undefined> {
  const names = presets.map(({ id }) => id).join(", ");
  return {
    flag: "--preset <name>",
    description: `${names} (default: recognized by ${recognizedBy}); --map comes first`,
    names: presets.map(({ id }) => id),
    read: (given) =>
      ofLast(given, (name) => {
        const found = presets.find(({ id }) => id === name || id === `${name}-csv`);
        if (found === undefined) throw new OptionFault(`it must be one of ${names}.`);
        return found;
      }),
  };
}

/** Raises usage.other-preset if an input fits one preset, and the one that was named is another. Presets without signatures fit any input. */
export function refuseOtherPreset(
  named: { readonly id: string; readonly signatures?: readonly unknown[] } | undefined,
  fitting: readonly { readonly id: string }[],
): void {
  const [only, second] = fitting;
  if (named?.signatures === undefined || only === undefined || second !== undefined || only.id === named.id) return;
  throw new ProblemError({ code: "usage.other-preset", given: named.id, fitting: only.id });
}

const hashKind: SourceOption<string | undefined> = {
  flag: "--hash-kind <kind>",
  description: "what hashes without a prefix such as $2b$ are (better-auth, md5_salt_prefix, …)",
  read: (given) => ofLast(given, kindOf),
};

function plainPasswordsOption(place: string): SourceOption<boolean> {
  return {
    flag: "--plain-passwords",
    description: `the input holds passwords themselves (--map password=<${place}>): hash them with bcrypt`,
    read: ([given]) => given !== undefined,
  };
}

const bcryptCost: SourceOption<number> = {
  flag: "--bcrypt-cost <n>",
  description: `with --plain-passwords: 2 to the power of n rounds (default: ${COSTS.usual})`,
  read: (given) => ofLast(given, costOf) ?? COSTS.usual,
};

const withoutMetadata: SourceOption<boolean> = {
  flag: "--without-metadata",
  description: "do not carry over the metadata of the preset",
  read: ([given]) => given !== undefined,
};

/** What words of an input mean, by the field: lower-case words to the words that orgferry knows. */
export type Words = ReadonlyMap<Field, AskedMap<string>>;

/** The texts of `--value` that no row had. */
export function unmetWords(given: Words): readonly string[] {
  return [...given].flatMap(([field, texts]) => texts.unasked.map((text) => `${field}:${text}`));
}

const wordFields = [
  "state",
  "emailVerified",
  "phoneVerified",
  "deleted",
  "anonymous",
  "gender",
  "language",
  "hashKind",
] as const;
const WORD_EXAMPLE = "state:actif=active";

const words: SourceOption<Words> = {
  flag: "--value <field:text=word>",
  description: `what a text in the input means, such as ${WORD_EXAMPLE} (repeatable; without a text, an empty cell); of ${wordFields.join(", ")}`,
  read: (given) => {
    const found = new Map<Field, AskedMap<string>>();
    for (const text of given) {
      const [, name = "", pair = ""] = /^([^:=]+):(.*)$/.exec(text) ?? [];
      const field = named(name.trim(), wordFields);
      if (field === undefined)
        throw new OptionFault(
          `it must be a field, a text and a word, such as ${WORD_EXAMPLE}; the fields are ${wordFields.join(", ")}.`,
        );
      const [word, meaning] = pair.startsWith("=") ? ["", pair.slice(1).trim()] : readPair(pair, WORD_EXAMPLE);
      if (!isKnownWord(field, meaning)) throw new OptionFault(unknownWord(field, meaning));
      found.set(field, (found.get(field) ?? new AskedMap<string>()).set(word.toLowerCase(), meaning));
    }
    return found;
  },
};

/** True for a text that a row may have in this field. */
function isKnownWord(field: Field, meaning: string): boolean {
  const isFlag = toFlag(meaning) !== undefined;
  if (field === "language") return true;
  if (field === "hashKind") return isHashKind(meaning);
  if (field === "gender") return toGender(meaning) !== undefined;
  if (field === "deleted" && closedState(meaning) !== undefined) return true;
  if (field === "state") return isFlag || DELETED.test(meaning) || toState(meaning, "state", 0) !== undefined;
  return isFlag || toConfirmed(meaning, "", undefined) !== undefined;
}

/** What stands after the = for a field; for all others, yes or no. */
const meanings: Readonly<Partial<Record<Field, string>>> = {
  state: "active, inactive, locked or deleted",
  gender: "female, male or diverse",
  deleted: "yes, no, inactive or locked",
  hashKind: `one of ${hashKinds.join(", ")}`,
};

function unknownWord(field: Field, meaning: string): string {
  const known = meanings[field] ?? "yes or no";
  const several = meaning.includes("=") ? " For several words, repeat the flag." : "";
  return `${meaning} is not a word that orgferry knows for ${field}; after the = belongs ${known}.${several}`;
}

/** The flags of providers whose rows are mapped. @param place what holds a value: a column, a path. */
export function mappedOptions(place: string) {
  return {
    mapping: mappingOption(place),
    hashKind,
    words,
    phoneCountry: phoneCountryOption,
    idp: idpOption(place === "column" ? place : "provider"),
    emailDomain: emailDomainOption,
    plainPasswords: plainPasswordsOption(place),
    bcryptCost,
    withoutMetadata,
    grant: grantOption,
    projects: projectsOption,
  } satisfies OptionTable;
}

/** What a provider whose rows are mapped was asked for. */
export type MappedSettings = Settings<ReturnType<typeof mappedOptions>>;

/** A comma ends a pair only where another one follows: names of columns may hold commas. */
function pairsOf(text: string): readonly Keyed[] {
  return text.split(/,(?=\s*[A-Za-z][\w.:-]*\s*=)/).map((pair) => readPair(pair, "email=primary_email"));
}

function toMapping(pairs: readonly Keyed[]): Mapping {
  const found: Partial<Record<Field, Expression>> = {};
  const metadata: Record<string, Expression> = {};
  for (const [name, column] of pairs) {
    const [, key] = /^metadata\.(.+)$/.exec(name) ?? [];
    if (key === undefined) found[fieldOf(name)] = column;
    else metadata[key] = column;
  }
  return { fields: found, metadata };
}

/** The field of this name, in any spelling such as `email_verified`. */
function named<One extends Field>(name: string, among: readonly One[]): One | undefined {
  const plain = name.toLowerCase().replace(/[_-]/g, "");
  return among.find((one) => one.toLowerCase() === plain);
}

function fieldOf(name: string): Field {
  const field = named(name, fields);
  if (field === undefined) throw new OptionFault(`there is no field ${name}; there are ${MAPPED.join(", ")}.`);
  return field;
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
