import { tmpdir } from "node:os";
import { beforeAll, describe, expect, test } from "vitest";
import { defaultHashLimits, type HashCost, type HashLimits, isWithin } from "../../src/contract/hash-limits.ts";
import { hashKindOf } from "../../src/core/rules/hash-forms.ts";
import { costsOf } from "../helpers/hash-costs.ts";
import { hashVectors, judgeVector } from "../helpers/hash-vectors.ts";
import { runBin } from "../helpers/run-bin.ts";
import { canStart, createOrg, type Instance, type SignIn, signIn, uniqueId, useInstance } from "./harness.ts";

// What a probe says of an instance, against what the instance does: imports by the import endpoint, and sign-ins.

interface Probe {
  readonly calls: number;
  readonly verifiers: readonly string[];
  readonly checksCosts: boolean;
  readonly limits: HashLimits;
  readonly flags: string;
}

const SETTING = "ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_";
const instances = [
  {
    version: "v415",
    options: {
      verifiers: "argon2,pbkdf2,scrypt,sha2,phpass,md5",
      settings: [
        `${SETTING}BCRYPT_MINCOST=5`,
        `${SETTING}BCRYPT_MAXCOST=13`,
        `${SETTING}ARGON2_MINMEMORY=7168`,
        `${SETTING}ARGON2_MAXTIME=12`,
        `${SETTING}PBKDF2_MINROUNDS=27500`,
      ],
    },
    verifiers: ["bcrypt", "argon2", "scrypt", "pbkdf2", "md5", "sha2", "phpass"],
    limits: {
      bcrypt: { min: 5, max: 13 },
      "argon2-memory": { min: 7168, max: 524_288 },
      "argon2-time": { min: 1, max: 12 },
      "argon2-parallelism": { min: 1, max: 16 },
      "pbkdf2-rounds": { min: 27_500, max: 10_000_000 },
      "scrypt-ln": defaultHashLimits["scrypt-ln"],
      "scrypt-r": defaultHashLimits["scrypt-r"],
      "scrypt-p": defaultHashLimits["scrypt-p"],
      "sha256-rounds": { min: 1000 },
      "sha512-rounds": { min: 1000 },
      "phpass-rounds": { min: 7 },
    },
  },
  {
    version: "v413",
    options: { verifiers: "pbkdf2,md5plain,drupal7,md5salted" },
    verifiers: ["bcrypt", "pbkdf2", "md5plain", "md5salted", "drupal7"],
    limits: {},
  },
  {
    version: "v4",
    options: { verifiers: "argon2,sha2,phpass" },
    verifiers: ["bcrypt", "argon2", "sha2", "phpass"],
    limits: {},
  },
  { version: "v2", options: { verifiers: "scrypt,md5plain" }, verifiers: ["bcrypt", "scrypt", "md5plain"], limits: {} },
] as const;

describe.skipIf(!canStart).each(instances)("a probe of $version", ({ version, options, verifiers, limits }) => {
  const target = useInstance(version, options);
  let found: Probe;
  let orgId = "";
  let before: readonly unknown[];

  beforeAll(async () => {
    orgId = await createOrg(target(), uniqueId("probed"));
    before = await contentOf(target());
    const world = { cwd: tmpdir(), env: target().targetEnv };
    const { exitCode, stdout, stderr } = await runBin(["doctor", "--probe", "--json"], world);
    expect(exitCode, stderr).toBe(0);
    found = (JSON.parse(stdout) as { probe: Probe }).probe;
  });

  test("finds its verifiers and exact limits, in few calls", () => {
    expect(found).toMatchObject({ verifiers, checksCosts: version === "v415" });
    expect(found.limits).toEqual(limits);
    expect(found.calls).toBeLessThan(150);
  });

  test("leaves nothing behind: no user, no event, no e-mail", async () => {
    expect(await contentOf(target())).toEqual(before);
  });

  test("says of each kind of hash what the import and a sign-in say", async () => {
    const users = samples().map((sample, at) => ({ ...sample, userId: uniqueId(`hash-${at}`) }));
    const refused = await importUsers(target(), orgId, users);
    const outcomes: Record<string, SignIn | "refused"> = {};
    const foretold: typeof outcomes = {};
    for (const { userId, text, password } of users) {
      const isAccepted = isForetold(text, found);
      foretold[text] = isAccepted ? "signed in" : found.checksCosts ? "refused" : "broken";
      outcomes[text] = refused.has(userId) ? "refused" : await signIn(target(), userId, password);
    }
    expect(outcomes).toEqual(foretold);
    expect(new Set(Object.values(outcomes))).toEqual(new Set(["signed in", version === "v415" ? "refused" : "broken"]));
  });
});

/** Everything that a probe could leave behind: the newest events of users, which also show e-mails, and the number of users. */
async function contentOf(instance: Instance): Promise<readonly unknown[]> {
  const events = await instance.post("/admin/v1/events/_search", { limit: 5, asc: false, aggregate_types: ["user"] });
  const users = await instance.post("/v2/users", { query: { limit: 1 } });
  const { details } = users.body as { details: { totalResult: string } };
  return [(events.body as { events: readonly unknown[] }).events, details.totalResult];
}

/** One hash of each kind and cost, with its password. */
function samples(): readonly { readonly text: string; readonly password: string }[] {
  const byKind = new Map<string, { text: string; password: string }>();
  for (const vector of hashVectors) {
    const judged = judgeVector(vector);
    if (judged.kind !== "good") continue;
    const kind = `${hashKindOf(judged.text)} ${judged.text.split("$")[1]} ${JSON.stringify(costsOf(judged.text))}`;
    // A million rounds cost the service seconds.
    if ((costsOf(judged.text)["pbkdf2-rounds"] ?? 0) < 500_000)
      byKind.set(kind, { text: judged.text, password: vector.password });
  }
  return [...byKind.values()];
}

function isForetold(text: string, { verifiers, checksCosts, limits }: Probe): boolean {
  if (!verifiers.includes(hashKindOf(text))) return false;
  return (
    !checksCosts || Object.entries(costsOf(text)).every(([cost, value]) => isWithin(limits, cost as HashCost, value))
  );
}

/** Imports users with these hashes; returns the ids that the service refuses. */
async function importUsers(
  instance: Instance,
  orgId: string,
  users: readonly { readonly userId: string; readonly text: string }[],
): Promise<ReadonlySet<string>> {
  const humanUsers = users.map(({ userId, text }) => ({
    userId,
    user: {
      userName: userId,
      profile: { firstName: "A", lastName: "B" },
      email: { email: `${userId}@example.com`, isEmailVerified: true },
      hashedPassword: { value: text },
    },
  }));
  const { status, body } = await instance.post("/admin/v1/import", {
    timeout: "5m0s",
    dataOrgs: { orgs: [{ orgId, humanUsers }] },
  });
  expect(status).toBe(200);
  const { errors = [] } = body as { errors?: readonly { type: string; id: string }[] };
  return new Set(errors.filter(({ type }) => type === "human_user").map(({ id }) => id));
}
