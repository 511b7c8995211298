import type { UserReading } from "../../src/core/merge/reading.ts";
import { emailProblem } from "../../src/core/rules/email.ts";
import type { RowFault } from "../../src/problem.ts";
import type { Source } from "../../src/sources/source.ts";

/** A provider for the tests whose users come in a table. */
export const roster: Source = {
  id: "roster",
  title: "Roster",
  users: { flag: "roster", defaultPath: "./roster.csv", description: "a table", shape: { kind: "table" } },
  options: {},
  createRows: () => ({
    load: async (columns = []) => ({
      readUser: (row) => readMember(Object.fromEntries(columns.map((name, at) => [name, Object.values(row)[at]]))),
    }),
    ownIdPrefix: "",
    fieldNames: { userId: "number", userName: "mail", hash: "hash" },
  }),
};

function readMember(row: object): UserReading {
  const { number = "", mail = "", name = "", hash } = row as Readonly<Record<string, string | undefined>>;
  const faults: RowFault[] = [];
  if (number === "") faults.push({ code: "field.missing", field: "number" });
  const rule = emailProblem(mail);
  if (rule !== undefined) faults.push({ code: "field.email", field: "mail", rule });
  const reading = { faults, userId: number || undefined, email: mail || undefined, isNamedByEmail: name === "" };
  if (faults.length > 0) return { ...reading, user: undefined };
  const names = { firstName: name || mail, lastName: name || mail };
  return {
    ...reading,
    user: { userId: number, userName: mail, email: mail, ...names, ...(hash ? { hash } : {}) },
  };
}
