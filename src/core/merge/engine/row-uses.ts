import type { RowUses, ValueUse } from "../../rows/fast/shaped-row.ts";
import type { FastFields, FieldTable, NestedRole, NestedTable, UserRole } from "../reading.ts";

/** The wanted strings of a user's row, by their numbers; those in base64 follow. A name that stands for both names is the first one. */
export const WANTED = ["userId", "userName", "email", "firstName", "lastName"] as const;
export const [ID, USER_NAME, EMAIL, FIRST, LAST] = [0, 1, 2, 3, 4] as const;

/** A salt and a hash, and room for two more. */
const BASE64_FIELDS = 4;

/** How the rows of users are read as bytes. */
export interface UserUses {
  readonly uses: RowUses;
  /** How many strings in base64 are wanted of a row, at most. */
  readonly base64: number;
  /** The number of the string that is the user name. */
  readonly userName: typeof USER_NAME | typeof EMAIL;
}

/** The uses of a provider's table of users; undefined: it has none. */
export function userUses({ users, nestedUsers }: FastFields): UserUses | undefined {
  if (users !== undefined) {
    return { uses: usesOfFields(users, useOfRole), base64: 0, userName: EMAIL };
  }
  if (nestedUsers === undefined) return undefined;
  return { uses: usesOfNested(nestedUsers), base64: BASE64_FIELDS, userName: USER_NAME };
}

/** The uses of a flat table: keys that it does not name do not matter. */
export function usesOfFields<Role>(
  table: FieldTable<Role>,
  useOf: (role: FieldTable<Role>[string]) => ValueUse,
): RowUses {
  const members = new Map<string, RowUses>();
  for (const [path, role] of Object.entries(table)) {
    const [name = "", inner] = path.split(".");
    const uses = leaf(useOf(role));
    members.set(name, inner === undefined ? uses : wholeObject(inner, uses));
  }
  return { use: undefined, members, others: leaf({ use: "any" }), elements: undefined };
}

function wholeObject(key: string, uses: RowUses): RowUses {
  return { ...leaf({ use: "whole-object" }), members: new Map([[key, uses]]) };
}

function leaf(use: ValueUse): RowUses {
  return { use, members: new Map(), others: undefined, elements: undefined };
}

function useOfRole(role: FieldTable<UserRole>[string]): ValueUse {
  switch (role) {
    case "userId":
      return { use: "wanted", field: ID };
    case "email":
      return { use: "wanted", field: EMAIL };
    case "name":
    case "firstName":
      return { use: "wanted", field: FIRST };
    case "lastName":
      return { use: "wanted", field: LAST };
    case "isEmailVerified":
      return { use: "flag" };
    case "flag":
    case "text":
    case "empty":
    case "unusual":
      return { use: role };
    default:
      return role satisfies never;
  }
}

function usesOfNested({ role, members = {}, others, elements }: NestedTable): RowUses {
  return {
    use: role && useOfNestedRole(role),
    members: new Map(Object.entries(members).map(([key, table]) => [key, usesOfNested(table)])),
    others: others && usesOfNested(others),
    elements: elements && usesOfNested(elements),
  };
}

function useOfNestedRole(role: NestedRole): ValueUse {
  if (role === "any-text" || role === "any-number" || role === "base64") return { use: role };
  return { use: "wanted", field: WANTED.indexOf(role) };
}
