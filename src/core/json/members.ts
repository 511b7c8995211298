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

function snakeKey(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
