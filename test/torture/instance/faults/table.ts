import type { EndpointName } from "../endpoints.ts";
import { answerFaults } from "./answers.ts";
import { byteFaults } from "./bytes.ts";
import { exportFaults } from "./exports.ts";
import type { Fault } from "./fault.ts";
import { lies } from "./lies.ts";

/** Everything that can go wrong with a call, by name. Add a fault to the file of its family; nothing else needs to know. */
export const faults: readonly Fault[] = [...byteFaults, ...answerFaults, ...lies, ...exportFaults];

/** The faults that may befall a call. */
export function faultsFor(endpoint: EndpointName, isAllowed: (fault: Fault) => boolean): readonly Fault[] {
  return faults.filter((fault) => (fault.on === undefined || fault.on.includes(endpoint)) && isAllowed(fault));
}
