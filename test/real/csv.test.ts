import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { verifiers } from "../../src/contract/verifiers.ts";
import { hashVectors, judgeVector } from "../helpers/hash-vectors.ts";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, createOrg, readEvents, signIn, uniqueId, useInstance } from "./harness.ts";

/** The users of the hashes in fixtures. */
const PASSWORD = "Grüße 42 & Σ";
const ALL = verifiers.filter((name) => name !== "bcrypt" && name !== "drupal7").join(",");

/** A user of an import body, as far as these tests look at it. */
interface Entry {
  readonly userId: string;
  readonly state?: string;
  readonly user: {
    readonly hashedPassword?: { readonly value: string };
    readonly email: { readonly isEmailVerified: boolean };
  };
}

/** A table in RFC 4180, every cell in quotes. */
function tableOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";")).join("\r\n");
}

describe.skipIf(!canStart)("a table of users", () => {
  const target = useInstance("v4", { verifiers: ALL });

  /** Migrates a table, imports the body, and gives its users. */
  async function move(cwd: string, ...args: readonly string[]): Promise<readonly Entry[]> {
    const org = await createOrg(target(), uniqueId("table"));
    const migrated = await runBin(["migrate", "csv", "--org", org, "--target-verifiers", `bcrypt,${ALL}`, ...args], {
      cwd,
    });
    expect([0, 1], migrated.stderr).toContain(migrated.exitCode);
    const flags = ["--verify", "--json"];
    const imported = await runBin(["import", "importBody.json", "--yes", ...flags], { cwd, env: target().targetEnv });
    expect(imported.exitCode, imported.stdout + imported.stderr).toBe(0);
    return JSON.parse(readFileSync(join(cwd, "importBody.json"), "utf8")).dataOrgs.orgs[0].humanUsers;
  }

  test.each([
    { preset: "clerk", withHash: 6 },
    { preset: "supabase", withHash: 5 },
  ])("$preset: all users with a hash sign in with their former password", async ({ preset, withHash }) => {
    const cwd = tempDir();
    // User names are unique in an instance.
    const table = readFileSync(join("fixtures/csv", preset, "users.csv"), "utf8").replaceAll(
      "example.com",
      `${preset}.example`,
    );
    writeFileSync(join(cwd, "users.csv"), table);
    const entries = (await move(cwd)).filter(({ user }) => user.hashedPassword !== undefined);
    expect(entries).toHaveLength(withHash);
    for (const { userId, state } of entries) {
      const outcome = await signIn(target(), userId, PASSWORD);
      if (state === "USER_STATE_INACTIVE")
        expect([userId, outcome]).toEqual([userId, expect.stringContaining("NotActive")]);
      else expect([userId, outcome]).toEqual([userId, "signed in"]);
    }
  });

  test("hashes with their kinds, salts and costs in columns of their own", async () => {
    const cwd = tempDir();
    const prefix = uniqueId("kind");
    const convertible = hashVectors.filter((vector) => judgeVector(vector).kind === "good");
    const rows = convertible.map(({ name, password, hash, kind = "auto", salt = "", iterations = "" }, at) => [
      `${prefix}-${at}`,
      `${prefix}-${at}@example.com`,
      `${name},\n"${password}"`,
      hash,
      kind,
      salt,
      iterations,
    ]);
    writeFileSync(
      join(cwd, "users.csv"),
      `\uFEFF${tableOf([["id", "email", "name", "digest", "hasher", "salt", "factor"], ...rows])}`,
    );
    const map = "userId=id,email=email,name=name,hash=digest,hashKind=hasher,salt=salt,iterations=factor";
    const entries = await move(cwd, "--map", map, "--email-verified");
    expect(entries.map(({ userId }) => userId)).toEqual(rows.map(([id]) => id));
    expect(entries.length).toBeGreaterThan(60);
    for (const [at, { userId }] of entries.entries()) {
      const { name, password } = convertible[at] ?? { name: "", password: "" };
      expect([name, await signIn(target(), userId, `${password}!`)]).toEqual([name, "wrong password"]);
      expect([name, await signIn(target(), userId, password)]).toEqual([name, "signed in"]);
    }
  });

  test("passwords that were hashed on the way, with blanks and quotes", async () => {
    const cwd = tempDir();
    const prefix = uniqueId("plain");
    const passwords = ["correct horse", ' "tr0ub4dor; ', "пароль,пример", "xy".repeat(36)];
    const rows = passwords.map((password, at) => [`${prefix}-${at}`, `${prefix}-${at}@example.com`, password]);
    writeFileSync(join(cwd, "users.csv"), tableOf([["id", "email", "pw"], ...rows]));
    const entries = await move(
      cwd,
      "--plain-passwords",
      "--map",
      "userId=id,email=email,password=pw",
      "--email-verified",
    );
    for (const [at, { userId }] of entries.entries()) {
      expect(await signIn(target(), userId, `${passwords[at]}`.trim().slice(1))).toBe("wrong password");
      expect(await signIn(target(), userId, passwords[at] ?? "")).toBe("signed in");
    }
    const events = await readEvents(target(), { types: ["user.human.added"], aggregateId: `${prefix}-0` });
    expect(events).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain("correct horse");
  });
});
