import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

export interface TestUser {
  readonly userId: string;
  readonly user: Record<string, unknown>;
}

/** One user the service takes; the fields given replace those of `user`. */
export function testUser(number: number, fields: Record<string, unknown> = {}): TestUser {
  return {
    userId: `u${number}`,
    user: {
      userName: `user${number}@example.com`,
      profile: { firstName: "Ada", lastName: "Lovelace" },
      email: { email: `user${number}@example.com`, isEmailVerified: true },
      hashedPassword: { value: "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE" },
      ...fields,
    },
  };
}

/** `count` users, numbered from `first`. */
export function testUsers(count: number, first = 1): TestUser[] {
  return Array.from({ length: count }, (_, index) => testUser(first + index));
}

/** A body with one organization, one user a line. */
export function testBody(users: readonly unknown[], orgId = "org1"): string {
  return `{"dataOrgs":{"orgs":[{"orgId":"${orgId}","humanUsers":[\n${users.map((user) => JSON.stringify(user)).join(",\n")}\n]}]},"timeout":"5m0s"}\n`;
}

/** A file with this content in a folder of its own, which is returned with its name. */
export function inFolder(content: string | Uint8Array, name = "body.json"): { cwd: string; file: string } {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), content);
  return { cwd, file: name };
}
