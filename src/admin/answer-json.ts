import type * as z from "zod";

/** The value of a JSON text by its schema; undefined for text that is not JSON or has another shape. */
export function parseAs<T extends z.ZodType>(schema: T, text: string): z.infer<T> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The body of an answer by its schema; undefined for another body. Raises what reading the body raises. */
export async function readAs<T extends z.ZodType>(
  schema: T,
  answer: { text(): Promise<string> },
): Promise<z.infer<T> | undefined> {
  return parseAs(schema, await answer.text());
}

/** The id of an error, which the service appends to its message in parentheses; "" without one. */
export function errorIdIn(message: string): string {
  return /\(([A-Z0-9]+-[A-Za-z0-9]+)\)\s*$/.exec(message)?.[1] ?? "";
}
