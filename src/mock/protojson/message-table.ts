import { enumValues } from "../messages/enums.ts";
import { organizationMessages } from "../messages/organizations.ts";
import { projectMessages } from "../messages/projects.ts";
import { requestMessages } from "../messages/request.ts";
import { settingMessages } from "../messages/settings.ts";
import { textMessages } from "../messages/texts.ts";
import { userMessages } from "../messages/users.ts";
import { usersV2Messages } from "../messages/users-v2.ts";

/**
 * The service's messages as data, so that decoding, validation and size need no code per message. Notation of one field:
 * `proto_name=number type[] oneof=name optional rules`; `oneof=name!` must have one of its members. Rules are PGV's: `1..200` code
 * points, `1..200b` bytes, `0s..5s` a duration, `email`, `ignore-empty`, `prefix+`, `required`, `defined`, `not-zero`, `be-true`,
 * `max-items=30`. What stands before a dot is the package. A test holds the whole table against the descriptors of the real
 * service.
 */
export interface MessageType {
  /** Go's name, as the texts of violations carry it: `ImportHumanUserRequest_Profile`. */
  readonly name: string;
  /** `zitadel.admin.v1.ImportDataRequest`; true for requests, which are the ones whose full name is ever said. */
  readonly fullName: string;
  readonly fields: readonly FieldType[];
  /** The same in the order in which PGV checks them: plain ones, then oneofs, then those with presence (probed on v4). */
  readonly checked: readonly FieldType[];
}

export interface FieldType {
  /** `user_name`, which the service reads as well as `json`. */
  readonly proto: string;
  /** `userName`. */
  readonly json: string;
  /** `UserName`. */
  readonly go: string;
  readonly number: number;
  readonly repeated: boolean;
  readonly kind: FieldKind;
  readonly oneof?: string;
  /** The oneof must have a member. */
  readonly oneofRequired: boolean;
  /** Explicit presence: an empty value is kept and given back. */
  readonly optional: boolean;
  readonly rules: Rules;
}

export type FieldKind =
  | { readonly is: "scalar"; readonly scalar: Scalar }
  | { readonly is: "enum"; readonly enum: EnumType }
  | { readonly is: "message"; readonly message: MessageType };

const scalars = ["string", "bool", "uint32", "uint64", "bytes", "duration", "timestamp", "struct"] as const;
export type Scalar = (typeof scalars)[number];

export interface EnumType {
  readonly numberOf: ReadonlyMap<string, number>;
  readonly nameOf: ReadonlyMap<number, string>;
}

export interface Rules {
  readonly length?: { readonly min: number; readonly max: number };
  readonly bytes?: { readonly min: number; readonly max: number };
  readonly seconds?: { readonly min: number; readonly max: number };
  readonly maxItems?: number;
  readonly prefix?: string;
  readonly email?: boolean;
  readonly ignoreEmpty?: boolean;
  readonly required?: boolean;
  readonly defined?: boolean;
  readonly notZero?: boolean;
  readonly beTrue?: boolean;
}

const packages: Readonly<Record<string, string>> = {
  v1: "zitadel.v1.v1",
  user: "zitadel.user.v2",
  session: "zitadel.session.v2",
  org: "zitadel.org.v2",
  object: "zitadel.object.v2",
  filter: "zitadel.filter.v2",
  metadata: "zitadel.metadata.v2",
  orgv1: "zitadel.org.v1",
  v1common: "zitadel.v1",
};

/** Messages by name; those of the first major version that differ are called `v1.…`, those of the users API `user.…`. */
export type MessageTable = ReadonlyMap<string, MessageType>;

/** Reads the notation once, when a server is made. */
export function createMessageTable(): MessageTable {
  const enums = new Map<string, EnumType>();
  for (const [name, body] of blocks(enumValues)) enums.set(name, enumOf(body));
  const administration = requestMessages + userMessages + projectMessages + settingMessages + textMessages;
  const sources = blocks(administration + usersV2Messages + organizationMessages);
  const table = new Map(sources.map(([key]) => [key, emptyMessage(key)]));
  for (const [key, body] of sources) {
    const texts = body.split(";").filter((text) => text.trim() !== "");
    const fields = texts.map((text) => fieldOf(text, table, enums));
    table.get(key)?.fields.push(...fields);
    table.get(key)?.checked.push(...fields.toSorted((one, other) => rankOf(one) - rankOf(other)));
  }
  return table;
}

function rankOf({ oneof, optional }: FieldType): number {
  return oneof !== undefined ? 1 : optional ? 2 : 0;
}

function emptyMessage(key: string): MessageType & { readonly fields: FieldType[]; readonly checked: FieldType[] } {
  const name = key.slice(key.indexOf(".") + 1);
  const prefix = name === key ? "" : key.slice(0, key.indexOf("."));
  return { name, fullName: `${packages[prefix] ?? "zitadel.admin.v1"}.${name}`, fields: [], checked: [] };
}

/** The message of that name; its absence is a bug in the table. */
export function messageNamed(table: MessageTable, name: string): MessageType {
  const message = table.get(name);
  if (message === undefined) throw new Error(`no message ${name}`);
  return message;
}

function blocks(text: string): readonly [string, string][] {
  return [...text.matchAll(/([\w.]+) \{([^}]*)\}/g)].map(([, name, body]) => [name as string, body as string]);
}

function enumOf(body: string): EnumType {
  const numberOf = new Map<string, number>();
  let next = 0;
  for (const text of body.trim().split(/\s+/)) {
    const [name, number] = text.split("=") as [string, string | undefined];
    const value = number === undefined ? next : Number(number);
    numberOf.set(name, value);
    next = value + 1;
  }
  return { numberOf, nameOf: new Map([...numberOf].map(([name, number]) => [number, name])) };
}

function fieldOf(text: string, table: MessageTable, enums: ReadonlyMap<string, EnumType>): FieldType {
  const [declared, type, ...words] = text.trim().split(/\s+/) as [string, string, ...string[]];
  const [proto, number] = declared.split("=") as [string, string];
  const [, oneof, required] = /^oneof=(\w+)(!?)$/.exec(words.find((word) => word.startsWith("oneof=")) ?? "") ?? [];
  const go = proto.replace(/(?:^|_)([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
  return {
    proto,
    json: proto.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
    go: go.charAt(0).toUpperCase() + go.slice(1),
    number: Number(number),
    repeated: type.endsWith("[]"),
    kind: kindOf(type.replace("[]", ""), table, enums),
    optional: words.includes("optional"),
    rules: rulesOf(words),
    oneofRequired: required === "!",
    ...(oneof === undefined ? {} : { oneof }),
  };
}

function kindOf(type: string, table: MessageTable, enums: ReadonlyMap<string, EnumType>): FieldKind {
  const scalar = scalars.find((name) => name === type);
  if (scalar !== undefined) return { is: "scalar", scalar };
  const found = enums.get(type);
  return found === undefined ? { is: "message", message: messageNamed(table, type) } : { is: "enum", enum: found };
}

function rulesOf(words: readonly string[]): Rules {
  let rules: Rules = {};
  for (const word of words) rules = { ...rules, ...ruleOf(word) };
  return rules;
}

function ruleOf(word: string): Rules {
  const [, min, max, unit] = /^(\d*)s?\.\.(\d*)(b|s)?$/.exec(word) ?? [];
  if (min !== undefined) {
    const range = { min: Number(min), max: max === "" ? Number.POSITIVE_INFINITY : Number(max) };
    return unit === "b" ? { bytes: range } : unit === "s" ? { seconds: range } : { length: range };
  }
  if (word.startsWith("max-items=")) return { maxItems: Number(word.slice(10)) };
  if (word.startsWith("prefix")) return { prefix: word.slice(6) };
  return flags[word] ?? {};
}

const flags: Readonly<Record<string, Rules>> = {
  email: { email: true },
  "ignore-empty": { ignoreEmpty: true },
  required: { required: true },
  defined: { defined: true },
  "not-zero": { notZero: true },
  "be-true": { beTrue: true },
};
