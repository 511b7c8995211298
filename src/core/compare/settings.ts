import type { SettingsAnswer } from "../../contract/orgs.ts";
import { fieldsOf, member, textMember } from "../json/members.ts";
import { isObject } from "../rules/shape.ts";

/** One setting that differs, or an item of a list that only one side has. */
export interface SettingDifference {
  /** The item of a list, by its name. */
  readonly item?: string;
  /** The path of the setting; absent for an item that one side lacks. */
  readonly setting?: string;
  /** The value, absent if it is not set. */
  readonly source?: string;
  readonly target?: string;
  /** The side that has the item. */
  readonly only?: "source" | "target";
}

/** Members that differ between any two instances and are no settings. */
const NO_SETTINGS = new Set([
  ...[
    "details",
    "creationDate",
    "changeDate",
    "setDate",
    "id",
    "userId",
    "idpId",
    "resourceOwner",
    "isDefault",
    "source",
  ],
  ...["userResourceOwner", "email", "firstName", "lastName", "displayName", "avatarUrl"],
]);
/** The service returns some secrets, such as the signing key of an action target (service behaviour 9.20). */
const SECRET = /(secret|signingkey|privatekey|password|token)$/i;
/** What names an item, in order. */
const NAMES = ["name", "domain", "preferredLoginName", "generatorType", "idpName", "description"] as const;
const INNER_NAMES = [
  ["smtp", "host"],
  ["http", "endpoint"],
  ["twilio", "senderNumber"],
  ["triggerType", "id"],
] as const;

/** The names of the items of lists by their ids, which differ between instances. */
export function namesById(contents: readonly SettingsAnswer[]): ReadonlyMap<string, string> {
  const items = contents.flatMap((content) => ("items" in content ? content.items : []));
  const named = items.map((item) => [textMember(fieldsOf(item), "id"), nameOf(item)] as const);
  return new Map(named.filter((one): one is readonly [string, string] => one[0] !== "" && one[1] !== undefined));
}

/** A side: what its service says, and the names of its items by id. */
export interface SettingsSide {
  readonly content: SettingsAnswer;
  readonly names: ReadonlyMap<string, string>;
}

/** The settings of one place that differ, in the order of the source, without secrets. */
export function compareSettings(source: SettingsSide, target: SettingsSide): readonly SettingDifference[] {
  const [ours, theirs] = [itemsOf(source), itemsOf(target)];
  const differences: SettingDifference[] = [];
  for (const [name, settings] of ours) {
    const item = name === "" ? {} : { item: name };
    const other = theirs.get(name);
    if (other === undefined) differences.push({ ...item, only: "source" });
    else differences.push(...compareItem(settings, other).map((difference) => ({ ...item, ...difference })));
  }
  for (const name of theirs.keys()) if (!ours.has(name)) differences.push({ item: name, only: "target" });
  return differences;
}

function compareItem(source: Settings, target: Settings): SettingDifference[] {
  const keys = [...new Set([...source.keys(), ...target.keys()])];
  return keys.flatMap((setting) => {
    const [ours, theirs] = [source.get(setting), target.get(setting)];
    if (ours === theirs) return [];
    return [
      {
        setting,
        ...(ours === undefined ? {} : { source: ours }),
        ...(theirs === undefined ? {} : { target: theirs }),
      },
    ];
  });
}

/** Values by the path of their setting. */
type Settings = ReadonlyMap<string, string>;

function itemsOf({ content, names }: SettingsSide): ReadonlyMap<string, Settings> {
  if ("object" in content) return new Map([["", settingsOf(withoutWrapper(content.object), names)]]);
  const items = new Map<string, Settings>();
  // The domain that the service made up for an instance differs from every other.
  const kept = content.items.filter((item) => member(fieldsOf(item), "generated") !== true);
  for (const [at, item] of kept.entries()) {
    const name = nameOf(item) ?? textOf(settingsOf(member(fieldsOf(item), "condition"), names)) ?? `${at + 1}`;
    let unique = name;
    for (let copy = 2; items.has(unique); copy += 1) unique = `${name} (${copy})`;
    items.set(unique, settingsOf(item, names));
  }
  return items;
}

/** `{policy: {…}}`, `{settings: {…}}` and `{flow: {…}}` have their settings one level down. */
function withoutWrapper(object: unknown): unknown {
  const fields = fieldsOf(object);
  return member(fields, "policy") ?? member(fields, "settings") ?? member(fields, "flow") ?? object;
}

function settingsOf(value: unknown, names: ReadonlyMap<string, string>): Settings {
  const settings = new Map<string, string>();
  const take = (path: string, inner: unknown): void => {
    if (Array.isArray(inner)) {
      const objects = inner.filter(isObject);
      const values = inner.filter((element) => !isObject(element)).map((element) => shownValue(element, names));
      if (values.length > 0) settings.set(path, values.sort().join(", "));
      for (const [at, element] of objects.entries()) take(`${path}[${nameOf(element) ?? at + 1}]`, element);
    } else if (isObject(inner)) {
      for (const [key, one] of Object.entries(inner)) {
        if (NO_SETTINGS.has(key) || (typeof one === "string" && SECRET.test(key))) continue;
        take(path === "" ? key : `${path}.${key}`, one);
      }
    } else if (inner !== null && inner !== undefined && path !== "") settings.set(path, shownValue(inner, names));
  };
  take("", value);
  return settings;
}

function shownValue(value: unknown, names: ReadonlyMap<string, string>): string {
  const text = String(value);
  return names.get(text) ?? text;
}

function nameOf(item: unknown): string | undefined {
  const fields = fieldsOf(item);
  const inner = INNER_NAMES.map(([outer, name]) => textMember(fieldsOf(member(fields, outer)), name));
  return [...NAMES.map((name) => textMember(fields, name)), ...inner].find((name) => name !== "");
}

function textOf(settings: Settings): string | undefined {
  return settings.size === 0 ? undefined : [...settings].map(([key, value]) => `${key}=${value}`).join(" ");
}
