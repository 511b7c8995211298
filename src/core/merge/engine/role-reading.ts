import type { FieldTable, UserReading, UserRole } from "../reading.ts";

/**
 * Reads the parsed row of a shape as the provider's table says: what its `readUser` makes of an ordinary row, without loading it.
 * A row that is missing its id or address has no user.
 */
export function readByRoles(table: FieldTable<UserRole>): (row: object) => UserReading {
  const pathsOf = (role: UserRole): readonly string[] => Object.keys(table).filter((path) => table[path] === role);
  const paths = {
    userId: pathsOf("userId"),
    email: pathsOf("email"),
    firstName: [...pathsOf("name"), ...pathsOf("firstName")],
    lastName: [...pathsOf("name"), ...pathsOf("lastName")],
    isEmailVerified: pathsOf("isEmailVerified"),
  };
  return (row) => {
    const userId = firstText(row, paths.userId);
    const email = firstText(row, paths.email);
    const firstName = firstText(row, paths.firstName);
    const lastName = firstText(row, paths.lastName);
    const isEmailVerified = paths.isEmailVerified.some((path) => valueAt(row, path) === true);
    const names = email && { userName: email, email, firstName: firstName ?? email, lastName: lastName ?? email };
    const user = userId && names ? { userId, isEmailVerified, ...names } : undefined;
    return { faults: [], user, userId, email, isNamedByEmail: firstName === undefined && lastName === undefined };
  };
}

/** The first text that is not empty. */
function firstText(row: object, paths: readonly string[]): string | undefined {
  return paths.map((path) => valueAt(row, path)).find((value) => typeof value === "string" && value !== "") as
    | string
    | undefined;
}

/** @param path a key of the row, or `outer.inner`. */
function valueAt(row: object, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], row);
}
