import { OptionFault } from "../source.ts";

/** Reads `name=value`, as often as it was given. Names and values may hold more equal signs behind the first. Raises OptionFault. */
export function readAssignments(given: readonly string[], example: string): ReadonlyMap<string, string> {
  const assignments = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (at === -1 || name === "" || value === "") throw new OptionFault(`it must have the form ${example}.`);
    if (assignments.has(name)) throw new OptionFault(`${name} was given twice.`);
    assignments.set(name, value);
  }
  return assignments;
}
