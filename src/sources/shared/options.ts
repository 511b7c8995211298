import { serviceLimits } from "../../contract/service-limits.ts";
import { AskedMap } from "../../core/merge/asked-map.ts";
import type { IdpLink, Metadata } from "../../core/merge/source-user.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import type { CountryCode } from "../../core/rules/phone.ts";
import { textFault } from "../../core/rules/text.ts";
import type { Remark } from "../../problem.ts";
import { OptionFault, ofLast, type SourceOption } from "../source.ts";

// Flags that several providers have, and their effect on a user.

/** The two parts of `name=value`, split at the first equals sign. Raises OptionFault. */
export function readPair(text: string, example: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || name === "" || value === "") {
    throw new OptionFault(`it must be two parts with a = between them, such as ${example}.`);
  }
  return [name, value];
}

/** Reads `name=value`, as often as it was given. Names and values may hold more equal signs behind the first. Raises OptionFault. */
export function readAssignments(given: readonly string[], example: string): AskedMap<string> {
  const assignments = new AskedMap<string>();
  for (const text of given) {
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (at === -1 || name === "" || value === "") throw new OptionFault(`it must have the form ${example}.`);
    if (assignments.has(name)) throw new OptionFault(`${name} was given twice.`);
    assignments.set(name, value);
  }
  return assignments;
}

/** Ids of identity providers on the target, by what they are called at the source. */
export type IdpIds = AskedMap<string>;

/** `--idp <name=id>`. @param name what a provider is called at the source. */
export function idpOption(name: string): SourceOption<IdpIds> {
  return {
    flag: `--idp <${name}=id>`,
    description: `id on the target of an identity provider that users sign in with (repeatable)`,
    read: (given) => readAssignments(given, `<${name}>=<id of the provider on the target>`),
  };
}

/** `--phone-country <code>`. */
export const phoneCountryOption: SourceOption<CountryCode | undefined> = {
  flag: "--phone-country <code>",
  description: "country of phone numbers without a country code, such as DE (default: these numbers are dropped)",
  read: (given) => ofLast(given, regionOf),
};

/** What is said of a number that was dropped. */
export function phoneLost(country: CountryCode | undefined): Remark {
  return country === undefined ? "phone-lost" : "phone-of-no-country";
}

function regionOf(text: string): CountryCode {
  const country = /^[A-Z]{2}$/i.test(text) ? new Intl.Locale(`und-${text}`).region : undefined; // UK is GB
  if (country !== undefined && isRegion(country)) return country;
  throw new OptionFault("it must be the two letters of a country (ISO 3166), such as DE or GB.");
}

/** Regions without phone numbers of their own, and groups of countries. */
const WITHOUT_NUMBERS = /^(?:A[NQ]|BV|C[PQ]|DG|E[AUZ]|GS|HM|IC|PN|QO|TF|U[MN]|X[AB]|ZZ)$/;

/** By Node's own list of regions: the rules of phone numbers would slow down `--help`. */
function isRegion(text: string): text is CountryCode {
  const name = new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of(text);
  return name !== undefined && !WITHOUT_NUMBERS.test(text);
}

/** True for a value that describes no user. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false) return true;
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** An account at another provider, as the source knows it. */
export interface Identity {
  readonly provider: string | undefined;
  readonly userId: string | undefined;
  readonly userName?: string | undefined;
}

/**
 * Links for the accounts whose provider is on the target; `isLost`: there are others, or such as the service does not take; `unlinked`: the
 * providers that are not on the target, each once.
 */
export function toIdpLinks(
  identities: readonly Identity[],
  ids: IdpIds,
): { readonly links: readonly IdpLink[]; readonly isLost: boolean; readonly unlinked: readonly string[] } {
  const links = identities.flatMap(({ provider = "", userId = "", userName = "" }): readonly IdpLink[] => {
    const idpId = ids.get(provider);
    if (idpId === undefined || !isIdentityText(userId)) return [];
    // The users API wants a name for the account.
    return [{ idpId, externalUserId: userId, displayName: isIdentityText(userName) ? userName : userId }];
  });
  const isLost = links.length < identities.length;
  const others = identities.flatMap(({ provider }) => (provider === undefined || ids.has(provider) ? [] : [provider]));
  return { links, isLost, unlinked: others.length === 0 ? NONE : [...new Set(others)] };
}

const NONE: readonly string[] = [];

function isIdentityText(text: string): boolean {
  return textFault(text, serviceLimits.identityText) === undefined;
}

/** Which attributes become metadata, and by which key. */
export interface MetadataChoice {
  readonly isAll: boolean;
  /** Keys by the attributes that were named. */
  readonly keys: AskedMap<string>;
}

const ALL = "all";

/** `--metadata <attribute[=key]>` and `--metadata all`, repeatable. */
export const metadataOption: SourceOption<MetadataChoice> = {
  flag: "--metadata <attribute[=key]>",
  description: "attribute to keep as metadata, by its own name or another key; or all (repeatable)",
  read(given) {
    const named = given.filter((text) => text !== ALL);
    const assigned = named.map((text) => (text.includes("=") ? text : `${text}=${text}`));
    const keys = readAssignments(assigned, "<attribute>, <attribute>=<key> or all");
    if (toMetadata(Object.fromEntries([...keys.values()].map((key) => [key, "-"])), "").lost.length > 0) {
      throw new OptionFault("a key must have 1 to 200 characters.");
    }
    if (new Set(keys.values()).size < keys.size) throw new OptionFault("two attributes cannot have one key.");
    return { isAll: named.length < given.length, keys };
  },
};

/** The result for the attributes of one user. */
export interface AttributesReading {
  readonly metadata: readonly Metadata[];
  /** Keys that the service does not accept, or that several attributes have. */
  readonly lost: readonly string[];
  /** Names of those that were not asked for. */
  readonly leftOut: readonly string[];
}

/**
 * The attributes that were asked for, as metadata: one value as it is, several as a JSON list of them, none or an empty one not at
 * all. Of two with one key, the first counts.
 */
export function chooseMetadata(
  attributes: ReadonlyMap<string, readonly string[]>,
  { isAll, keys }: MetadataChoice,
): AttributesReading {
  const chosen = new Map<string, unknown>();
  const leftOut: string[] = [];
  const twice: string[] = [];
  for (const [name, values] of attributes) {
    const key = keys.get(name) ?? (isAll ? name : undefined);
    const value = values.length > 1 ? values : values[0];
    if (value === undefined || value === "") continue;
    if (key === undefined) leftOut.push(name);
    else if (chosen.has(key)) twice.push(key);
    else chosen.set(key, value);
  }
  const { metadata, lost } = toMetadata(Object.fromEntries(chosen), "");
  return { metadata, lost: [...new Set([...twice, ...lost])], leftOut };
}

/** The value at the end of a path of keys, such as `app_metadata.org`; undefined where a key is missing. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key]; // an object by the check
  }
  return at;
}
