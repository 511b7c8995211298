/** A JSON object, as parsed. */
export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((current, name) => fields(current)[name], value);
}

/** A string or a number as a string; "" for anything else. */
export function text(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
