import { isObject } from "../../core/rules/shape.ts";
import type { RowFault } from "../../problem.ts";
import { parseJson } from "../mapped/cells.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The two parts of a credential, and their places in the row. */
export interface Credential {
  /** `value` and `salt`. */
  readonly secret: Fields;
  readonly secretField: string;
  readonly valueField: string;
  /** Algorithm and parameters. */
  readonly data: Fields;
  readonly dataField: string;
}

/** Opens credentials of any version; undefined, with the faults, for one that cannot be opened. A fault holds no value. */
export type OpenCredential = (stored: Fields, index: number, faults: RowFault[]) => Credential | undefined;

/** Most passwords of a realm share a few sets of parameters, which are parsed once. */
const REMEMBERED = 100;
const REMEMBERED_CHARACTERS = 1_000;

export function createOpenCredential(): OpenCredential {
  const known = new Map<string, Fields>();
  return (stored, index, faults) => {
    const field = `credentials[${index}]`;
    if (!stored["secretData"] && !stored["credentialData"] && stored["hashedSaltedValue"])
      return openFlat(stored, field);
    const [secretField, dataField] = [`${field}.secretData`, `${field}.credentialData`];
    const secret = parseFields(stored["secretData"], secretField, faults);
    const text = stored["credentialData"];
    const data = known.get(text as string) ?? parseFields(text, dataField, faults); // anything else than a text is not there
    if (secret === undefined || data === undefined) return undefined;
    if (known.size < REMEMBERED && typeof text === "string" && text.length <= REMEMBERED_CHARACTERS)
      known.set(text, data);
    return { secret, secretField, valueField: `${secretField}.value`, data, dataField };
  };
}

/** Before version 8 a credential was flat; `hashedSaltedValue` held the hash, or the key of one-time codes. */
function openFlat(stored: Fields, field: string): Credential {
  return {
    secret: { value: stored["hashedSaltedValue"], salt: stored["salt"] },
    secretField: field,
    valueField: `${field}.hashedSaltedValue`,
    data: { ...stored, subType: stored["type"] },
    dataField: field,
  };
}

function parseFields(text: unknown, field: string, faults: RowFault[]): Fields | undefined {
  if (text === undefined || text === null || text === "") {
    faults.push({ code: "field.missing", field });
    return undefined;
  }
  const value = typeof text === "string" ? parseJson(text) : undefined;
  if (isObject(value)) return value;
  faults.push({ code: "field.type", field, expected: "a string that holds a JSON object" });
  return undefined;
}
