/** A decoded JSON value. Messages are kept in the form in which the service answers. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any JSON; undefined for another text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text at a path of objects, "" where there is none. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The value at a path of objects, or undefined. */
export function valueAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let at = value;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return at;
}

/** The objects of a list, none where there is no list. */
export function listAt(value: JsonValue | undefined, key: string): readonly JsonObject[] {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The texts of a list, none where there is no list. */
export function textsAt(value: JsonValue | undefined, key: string): readonly string[] {
  const found = valueAt(value, key);
  return Array.isArray(found) ? found.map(String) : [];
}

/** An object without the members that are undefined. */
export function definedOnly(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return JSON.parse(JSON.stringify(members)) as JsonObject; // of JSON values
}
