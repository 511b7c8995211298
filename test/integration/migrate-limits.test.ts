import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  defaultHashLimits,
  type HashCost,
  hashCosts,
  isWithin,
  possibleCosts,
} from "../../src/contract/hash-limits.ts";
import { type HashKindSample, hashSamples } from "../../src/core/probe/sample-hashes.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";
const BCRYPT = (cost: string): string => `$2b$${cost}$abcdefghijklmnopqrstuv0123456789./ABCDEFGHIJKLMNOPQRS`;
const ids = ["1", "2", "3"];
const USERS = ids.map((id) => `{"user_id":"auth0|${id}","email":"u${id}@example.com","name":"Ann"}\n`).join("");
const PASSWORDS = ids
  .map((id) => `{"_id":{"$oid":"${id}"},"passwordHash":"${BCRYPT(id === "1" ? "10" : "04")}"}\n`)
  .join("");

async function migrate(args: readonly string[]) {
  const cwd = tempDir();
  writeFileSync(join(cwd, "users.json"), USERS);
  writeFileSync(join(cwd, "passwords.json"), PASSWORDS);
  const result = await runCli(["migrate", "auth0", "--org", "1", "--report", "report.json", ...args], { cwd });
  const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const written = (read("importBody.json").match(/"value":/g) ?? []).length;
  return { ...result, read, written, report: JSON.parse(read("report.json")) };
}

// service behaviour 9.4
test("without a named target every hash is written, and the summary says what the newest version refuses", async () => {
  const { exitCode, stderr, written, report } = await migrate([]);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 3 });
  expect(stderr).toContain("2 bcrypt with cost down to 4 (limit 10)");
  expect(stderr).toContain(`set on the target: ${SETTING}BCRYPT_MINCOST=4`);
  expect(report.hashesOutOfLimits).toEqual([{ cost: "bcrypt", value: 4, users: 2, limit: 10 }]);
});

test("for a named newest target the users are rejected, and each reject names the flags", async () => {
  const { exitCode, stderr, read, written, report } = await migrate(["--target-version", "4.15"]);
  expect({ exitCode, written }).toEqual({ exitCode: 1, written: 1 });
  expect(read("importBody.json.rejects/reasons.ndjson")).toMatch(
    /--target-version.*--target-limits.*--unverifiable drop/,
  );
  expect(stderr).toContain(`set on the target: ${SETTING}BCRYPT_MINCOST=4`);
  const [, flag = "", limits = ""] = /(--target-limits) (\S+)$/m.exec(stderr.replace(/\n {4,}/g, " ")) ?? [];
  expect((await migrate(["--target-version", "4.15", flag, limits])).written).toBe(3);
  expect(report).toMatchObject({
    targetVersion: "4.15",
    hashesOutOfLimits: [{ cost: "bcrypt", value: 4, users: 2, limit: 10 }],
  });
});

test("--unverifiable drop writes these users without a password", async () => {
  const { exitCode, written, report } = await migrate(["--target-version", "4.15", "--unverifiable", "drop"]);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 1 });
  expect(report.users).toMatchObject({ written: 3, withHash: 1 });
});

test("the page has the hashes out of the limits, and the settings and flags that write them", async () => {
  const pageOf = async (...args: string[]): Promise<string> =>
    (await migrate(["--html", "page.html", ...args])).read("page.html").replace(/<[^>]+>/g, "");
  expect(await pageOf()).toContain(
    `Hash limits: 2 bcrypt with cost down to 4 (limit 10): version 4.15 refuses these users by default, 4.13 accepts them. To import them, set on the target: ${SETTING}BCRYPT_MINCOST=4`,
  );
  expect(await pageOf("--target-limits", "bcrypt.minCost=5,bcrypt.maxCost=9", "--unverifiable", "drop")).toMatch(
    /Hash limits: 1 bcrypt with cost up to 10 \(limit 9\): not written\. .*BCRYPT_MAXCOST=10, and migrate with --target-limits bcrypt\.minCost=4,bcrypt\.maxCost=10/,
  );
});

test.each([
  ["an older target", ["--target-version", "v4.13.1"]],
  ["a changed target", ["--target-limits", "none"]],
  ["a changed newest target", ["--target-version", "4.15", "--target-limits", "bcrypt.minCost=4"]],
])("%s gets them all, without a word", async (_, args) => {
  const { exitCode, stderr, written } = await migrate(args);
  expect({ exitCode, written }).toEqual({ exitCode: 0, written: 3 });
  expect(stderr).not.toContain("hash limits");
});

test.each([
  ["--target-version", "4.99"],
  ["--target-version", "new"],
  ["--target-limits", "bcrypt"],
  ["--target-limits", "md5.minCost=1"],
])("%s %s is a usage error", async (flag, value) => {
  const { exitCode, stderr } = await runCli(["migrate", "auth0", "--org", "1", flag, value], { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(flag);
});

/** A hash of each kind whose other costs every version accepts. */
function hashOf(cost: HashCost, value: number): string {
  const verifier = hashCosts[cost].verifier;
  const sample = hashSamples.find((one) => one.verifier === verifier && one.costs.includes(cost)) as HashKindSample; // each cost has one
  const usual = sample.usual.find((costs) => Object.entries(costs).every(([name, one]) => isUsual(name, one)));
  return sample.text({ ...usual, [cost]: value });
}

function isUsual(name: string, value: number | undefined): boolean {
  return value !== undefined && isWithin(defaultHashLimits, name as HashCost, value); // a name of the costs
}

/** Costs at the limits of the newest version: refused (a cost of 0 by every version), accepted, accepted, refused (service behaviour 9.4). */
const COSTS: Readonly<Partial<Record<HashCost, readonly [number, number, number, number]>>> = {
  bcrypt: [9, 10, 16, 17],
  "argon2-memory": [8191, 8192, 524_288, 524_289],
  "argon2-time": [0, 1, 10, 11],
  "argon2-parallelism": [0, 1, 16, 17],
  "pbkdf2-rounds": [999, 1000, 10_000_000, 10_000_001],
  "scrypt-ln": [13, 14, 20, 21],
  "scrypt-r": [7, 8, 32, 33],
  "scrypt-p": [0, 1, 16, 17],
};

/** False for a cost that no service can compute, which no limits of the target are about. */
function isPossible(name: string, value: number): boolean {
  return isWithin(possibleCosts, name as HashCost, value); // a name of the costs
}

const LOCAL = "l".repeat(64);
/** A host name of this length. */
function domain(length: number): string {
  const labels = `${"d".repeat(60)}.`.repeat(10).slice(0, length - 4);
  return `${labels.replace(/\.$/, "d")}.org`;
}

/**
 * Addresses, and the rule that refuses them: `migrate` writes only addresses that every version accepts, by both endpoints, with any
 * --target-version (service behaviour 9.5).
 */
const ADDRESSES: readonly (readonly [address: string, rule: RegExp | undefined])[] = [
  ["a@example.com", undefined],
  ["a+b@localhost", undefined],
  [`${LOCAL}@example.com`, undefined],
  [`l${LOCAL}@example.com`, /64 bytes/],
  [`a@${domain(198)}`, undefined],
  [`a@${domain(199)}`, /200 characters/],
  [`${LOCAL}@${domain(190)}`, /254 bytes/],
  ["a@b_c.example", /host name/],
  ["a@-example.com", /host name/],
  ["a..b@example.com", /name@domain/],
  ["a@b@example.com", /host name/],
  ["a@[127.0.0.1]", /host name/],
];

test.each([
  [undefined, false],
  ["2.62.0", false],
  ["4.0.1", false],
  ["v4.13.1", false],
  ["4.14.0", true],
  ["v4.15-02d07e951", true],
] as const)(
  "for the target version %s, hash limits are enforced: %s; addresses are those of every version",
  async (version, isEnforced) => {
    const outOfLimits = isEnforced || version === undefined;
    const hashes = Object.entries(COSTS).flatMap(([cost, values]) =>
      values.map((value, at) => {
        const limitRule = isEnforced && (at === 0 || at === 3) ? /its cost is out of the target's limits/ : undefined;
        return {
          name: `${cost}=${value}`,
          email: `${cost}${at}@example.com`,
          hash: hashOf(cost as HashCost, value), // a key of the table
          rule: isPossible(cost, value) ? limitRule : / must be 1 to /,
        };
      }),
    );
    const addresses = ADDRESSES.map(([email, rule], at) => ({ name: `address ${at}`, email, hash: "", rule }));
    const rows = [...hashes, ...addresses];
    const cwd = tempDir();
    const table = ["id;mail;pw", ...rows.map(({ name, email, hash }) => `${name};${email};${hash}`)].join("\n");
    writeFileSync(join(cwd, "users.csv"), table);
    const args = ["migrate", "csv", "--org", "1", "--map", "userId=id,email=mail,hash=pw", "--report", "report.json"];
    const verifiers = ["--target-verifiers", "bcrypt,argon2,pbkdf2,scrypt"];
    const flags = version === undefined ? [] : ["--target-version", version];
    const { stderr } = await runCli([...args, ...verifiers, ...flags], { cwd });
    const read = (name: string): string => readFileSync(join(cwd, name), "utf8");
    const reasons = read("importBody.json.rejects/reasons.ndjson")
      .trim()
      .split("\n")
      .map((text): { line: number; message: string } => JSON.parse(text));
    const written = JSON.parse(read("importBody.json")).dataOrgs.orgs[0].humanUsers as readonly { userId: string }[];
    for (const [at, { name, rule }] of rows.entries()) {
      const messages = reasons.filter(({ line }) => line === at + 2).map(({ message }) => message);
      expect(
        written.some(({ userId }) => userId === name),
        `${name} ${stderr}`,
      ).toBe(rule === undefined);
      if (rule === undefined) expect(messages, name).toEqual([]);
      else expect(messages.join("\n"), name).toMatch(rule);
    }
    // Without a named version, the report has what the newest one refuses.
    const { hashesOutOfLimits = [] } = JSON.parse(read("report.json"));
    const counted = hashesOutOfLimits.map(({ cost, value }: { cost: string; value: number }) => `${cost}=${value}`);
    const ends = Object.entries(COSTS).flatMap(([cost, [below, , , above]]) =>
      [below, above].filter((value) => isPossible(cost, value)).map((value) => `${cost}=${value}`),
    );
    expect(counted).toEqual(outOfLimits ? ends : []);
  },
);
