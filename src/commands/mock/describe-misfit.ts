import type * as z from "zod";

/** What does not fit a schema, in words: `times must be a whole number; there is no key "tims", but endpoint, fault, …`. */
export function describeMisfit(error: z.ZodError, schema: z.ZodObject): string {
  return error.issues.map((issue) => describeIssue(issue, Object.keys(schema.shape))).join("; ");
}

function describeIssue(issue: z.core.$ZodIssue, keys: readonly string[]): string {
  const where = pathOf(issue.path);
  if (issue.code === "unrecognized_keys") {
    const there = issue.path.length === 0 ? `, but ${keys.join(", ")}` : "";
    return `${where === "" ? "" : `${where}: `}there is no key ${issue.keys.map((key) => `"${key}"`).join(", ")}${there}`;
  }
  return `${where === "" ? "it" : where} ${demandOf(issue)}`;
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function demandOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

/** `orgs[0].orgId`. */
function pathOf(path: z.core.$ZodIssue["path"]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`))
    .join("");
}
