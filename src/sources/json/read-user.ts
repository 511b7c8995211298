import type { ColumnUse } from "../../core/merge/counts.ts";
import type { FieldNames, UserReading } from "../../core/merge/reading.ts";
import { createReader } from "../mapped/read-user.ts";
import type { Granter } from "../shared/grants.ts";
import { JsonCells } from "./cells.ts";
import type { JsonSettings } from "./options.ts";
import { createPlan } from "./plan.ts";
import type { JsonPreset } from "./presets.ts";

/** Reads parsed objects as users. */
export interface JsonReader {
  readonly readUser: (row: object) => UserReading;
  readonly use: ColumnUse;
  readonly names: FieldNames;
}

/** Creates a reader. Raises usage.no-path-for, usage.plain-passwords. @param preset as it was named or recognized. */
export function createReadUser(
  settings: JsonSettings,
  preset: JsonPreset | undefined,
  granter: Granter,
  now: Date,
): JsonReader {
  const { plan, form, serviceAccounts, use } = createPlan(settings, preset, now);
  const cells = new JsonCells(form);
  const readPerson = createReader(plan, cells, settings, granter, now);
  const readUser = (row: object): UserReading => {
    const kind = serviceAccounts === undefined ? undefined : cells.of(row).first(serviceAccounts.at);
    return kind !== undefined && serviceAccounts?.values.includes(kind) === true ? SERVICE_ACCOUNT : readPerson(row);
  };
  const nameOf = (field: keyof FieldNames): string => plan.cells[field][0]?.column ?? field;
  const names = { userId: nameOf("userId"), userName: nameOf("userName"), hash: nameOf("hash") };
  return { readUser: serviceAccounts === undefined ? readPerson : readUser, use, names };
}

const SERVICE_ACCOUNT: UserReading = {
  faults: [],
  user: undefined,
  userId: undefined,
  email: undefined,
  leftOut: "service-account",
};
