/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object of which members are read by name. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: Fields = {};

/** The members of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : NONE; // any object may be read by name
}

/** A member by its camelCase name, in either spelling: the service reads both alike (service behaviour 1). */
export function member(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[snakeKey(name)];
}

/** A member that is a text; "" when there is none. */
export function textMember(fields: Fields, name: string): string {
  const value = member(fields, name);
  return typeof value === "string" ? value : "";
}

/** A member that is a list: the texts in it. */
export function textsMember(fields: Fields, name: string): readonly string[] {
  const value = member(fields, name);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The member at the end of a path, in either spelling; undefined where a step is missing. */
export function memberAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = member(fieldsOf(found), name);
  return found;
}

/** Sets the member at the end of a path, and creates the objects on the way. */
export function putAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const last = path.length - 1;
  let holder = target;
  for (let step = 0; step < last; step += 1) {
    const name = path[step] as string; // step < length
    holder[name] ??= {};
    holder = holder[name] as Record<string, unknown>; // the callers put objects there
  }
  holder[path[last] as string] = value; // a path has a step
}

/** The snake_case form of a camelCase key. */
export function snakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
