import type { FieldUse } from "../../rows/fast/field-row.ts";
import type { OtherRole } from "../reading.ts";

/** The use of a field that is only checked. */
export function otherUse(role: OtherRole): FieldUse {
  return role === "flag" ? { use: "flag", bits: 0 } : { use: role };
}
