import * as z from "zod";
import { faultEndpoints, faultKinds } from "./fault-kinds.ts";
import { Fault, type FaultInput, partsOfFault } from "./faults.ts";

/** An invalid fault. The message says why. */
export class InvalidFault extends Error {}

/** Parses a fault, as JSON or in the form of the flag. Raises InvalidFault. */
export function readFault(text: string): Fault {
  try {
    return Fault.parse(text.startsWith("{") ? JSON.parse(text) : partsOfFault(text));
  } catch (error) {
    throw new InvalidFault(explainFault(error), { cause: error });
  }
}

const FORM = "write <endpoint>:<fault>[,key=value…], such as import:429,times=1,retryAfter=2";

/** Checks a fault that is an object. Raises InvalidFault. */
export function checkedFault(input: FaultInput): Fault {
  try {
    return Fault.parse(input);
  } catch (error) {
    throw new InvalidFault(`a fault: ${explainFault(error)}`, { cause: error });
  }
}

/** The error message of an invalid fault. */
export function explainFault(error: unknown): string {
  if (error instanceof InvalidFault) return error.message;
  if (error instanceof SyntaxError) return `this is not JSON; ${FORM}`;
  if (!(error instanceof z.ZodError)) throw error;
  return error.issues.map(faultSentence).join("; ");
}

function faultSentence(issue: z.core.$ZodIssue): string {
  const [key] = issue.path;
  if (key === "endpoint")
    return `there is no such endpoint; write one of ${faultEndpoints.join(", ")} before the colon`;
  if (key === "fault") return `there is no such fault; write one of ${faultKinds.join(", ")} after the colon`;
  if (issue.code === "unrecognized_keys") {
    const [, , ...keys] = Object.keys(Fault.shape); // after endpoint and fault
    return `there is no key ${issue.keys.join(", ")}; write one of ${keys.join(", ")}`;
  }
  return `${String(key)}: ${wordsFor(issue)}`;
}

/** The error message of an invalid seed or option, one line per error: `orgs[0].orgId: write a text in double quotes`. */
export function explainSeed(error: z.ZodError, whole = "the file"): string {
  return error.issues
    .map((issue) => {
      const place = placeOf(issue.path);
      return place === "" ? `${whole}: ${wordsFor(issue)}` : `${place}: ${wordsFor(issue)}`;
    })
    .join("\n");
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : `${index === 0 ? "" : "."}${String(step)}`))
    .join("");
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text in double quotes",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list, in square brackets",
  object: "an object, in curly brackets",
  record: "an object, in curly brackets",
};

/** One issue as an instruction. */
function wordsFor(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `write ${kinds[issue.expected] ?? issue.expected}`;
    case "unrecognized_keys":
      return `there is no ${issue.keys.map((key) => JSON.stringify(key)).join(", ")} here; check the spelling or leave it out`;
    case "invalid_value":
      return `write one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "datetime" ? "write a moment, such as 2030-01-01T00:00:00Z" : issue.message;
    default:
      return issue.message;
  }
}
