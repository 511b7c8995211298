import type * as z from "zod";
import type { RowFault } from "../../problem.ts";
import { textFault } from "./text.ts";

/** What could be read of a row: the fields that have their type, and a fault for each that has not. */
export interface FieldsReading<Fields> {
  readonly fields: Partial<Fields>;
  readonly faults: RowFault[];
}

/** Reads a row by its schema; a field of a wrong type costs that field, not the row. Never puts a value into a fault. */
export function readFields<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  row: object,
): FieldsReading<z.infer<z.ZodObject<Shape>>> {
  const parsed = schema.safeParse(row);
  if (parsed.success) return { fields: parsed.data, faults: [] };
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const readable: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema.shape)) {
    if (!wrong.has(key)) readable[key] = (field as z.ZodType).parse((row as Record<string, unknown>)[key]);
  }
  return {
    fields: readable as Partial<z.infer<z.ZodObject<Shape>>>, // each was read by its own schema
    faults: parsed.error.issues.map((issue) => ({
      code: "field.type",
      field: pathOf(issue.path),
      expected: expected(issue),
    })),
  };
}

type Issue = z.core.$ZodIssue;

/** `identifiers[0].value`, as a person would write the path. */
function pathOf(path: Issue["path"]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`))
    .join("");
}

const IN_WORDS: Readonly<Record<string, string>> = {
  string: "a string",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
  int: "a whole number",
};

/** A schema that says `message` itself knows better words. */
function expected(issue: Issue): string {
  return issue.code === "invalid_type" ? (IN_WORDS[issue.expected] ?? issue.expected) : issue.message;
}

/** Adds the fault of a required text, by the service's rules (service behaviour 1.4). */
export function addTextFault(faults: RowFault[], field: string, value: string, limit: number): void {
  const fault = textFault(value, limit);
  if (fault !== undefined) faults.push({ ...fault, field });
}
