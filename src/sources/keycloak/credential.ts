import type { RowFault } from "../../problem.ts";
import type { StoredCredential } from "./user-row.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A credential's two parts, and where in the row they stand. */
export interface Credential {
  /** `value` and `salt`. */
  readonly secret: Fields;
  readonly secretField: string;
  readonly valueField: string;
  /** How it was made. */
  readonly data: Fields;
  readonly dataField: string;
}

/** Opens a credential, of any version; undefined when it cannot be, with the faults told. No value stands in a fault. */
export function openCredential(stored: StoredCredential, index: number, faults: RowFault[]): Credential | undefined {
  const field = `credentials[${index}]`;
  if (!stored.secretData && !stored.credentialData && stored.hashedSaltedValue) return openFlat(stored, field);
  const [secretField, dataField] = [`${field}.secretData`, `${field}.credentialData`];
  const secret = parseFields(stored.secretData, secretField, faults);
  const data = parseFields(stored.credentialData, dataField, faults);
  return secret === undefined || data === undefined
    ? undefined
    : { secret, secretField, valueField: `${secretField}.value`, data, dataField };
}

/** Before version 8. */
function openFlat({ type, hashedSaltedValue, salt, ...data }: StoredCredential, field: string): Credential {
  return {
    secret: { value: hashedSaltedValue, salt },
    secretField: field,
    valueField: `${field}.hashedSaltedValue`,
    data: { ...data, subType: type },
    dataField: field,
  };
}

function parseFields(text: string | null | undefined, field: string, faults: RowFault[]): Fields | undefined {
  if (!text) {
    faults.push({ code: "field.missing", field });
    return undefined;
  }
  const value = parsed(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields; // by the checks
  faults.push({ code: "field.type", field, expected: "a string that holds a JSON object" });
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
