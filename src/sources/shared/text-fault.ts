import { textFault } from "../../core/rules/text.ts";
import type { RowFault } from "../../problem.ts";

/** Adds the fault of a required text, by the service's rules (service behaviour 1.4). */
export function addTextFault(faults: RowFault[], field: string, value: string, limit: number): void {
  const fault = textFault(value, limit);
  if (fault !== undefined) faults.push({ ...fault, field });
}
