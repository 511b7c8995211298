import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { defaultHashLimits, type HashCost, type HashLimits, isWithin } from "../../src/contract/hash-limits.ts";
import { hashKindOf } from "../../src/core/rules/hash-forms.ts";
import { costsOf } from "../helpers/hash-costs.ts";
import { hashVectors, judgeVector } from "../helpers/hash-vectors.ts";
import { programWith, runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  call,
  canStart,
  createOrg,
  importOrgs,
  isLong,
  readEvents,
  signIn,
  uniqueId,
  useInstance,
  type Version,
} from "./harness.ts";
import { PASSWORD, richOrgs, user } from "./rich-orgs.ts";

// The table "Supported versions" of src/contract/README.md: each test is a row, each version a column. A version has a test file of
// its own, because files run in parallel.

const NEW_PASSWORD = "Another-Secret-2";
const METADATA = "Z29sZA==";
const common = ["argon2", "bcrypt", "md5", "md5plain", "pbkdf2", "scrypt"];
const all = [...common, "md5salted", "phpass", "sha2"];

interface Column {
  readonly verifiers: readonly string[];
  readonly limits: HashLimits;
  readonly pastLimit: "events" | "grpc-web";
}

const columns = {
  // The instances of the tests accept bcrypt from cost 4 on.
  v415: { verifiers: all, limits: { ...defaultHashLimits, bcrypt: { min: 4 } }, pastLimit: "events" },
  v413: { verifiers: all, limits: {}, pastLimit: "grpc-web" },
  v4: { verifiers: all, limits: {}, pastLimit: "grpc-web" },
  v2: { verifiers: common, limits: {}, pastLimit: "grpc-web" },
} as const satisfies Readonly<Record<Version, Column>>;

interface Job {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

async function run(args: readonly string[], { cwd, env }: Job) {
  const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env });
  expect(stdout, stderr).toContain("{");
  return { report: JSON.parse(stdout) as Record<string, unknown>, stderr };
}

/** Declares the tests of one column. */
export function testVersion(version: Version): void {
  const { verifiers, limits, pastLimit }: Column = columns[version];
  describe.skipIf(!canStart)(version, () => {
    const source = useInstance(version);
    const target = useInstance(version, { verifiers: verifiers.join() });

    /** A folder with the body of one organization, and the addresses and tokens of both instances. */
    function job(...orgs: readonly object[]): Job {
      const cwd = tempDir();
      writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs }, timeout: "5m0s" }));
      return { cwd, env: { ...source().sourceEnv, ...target().targetEnv } };
    }

    // 4.0 and 4.13 check the same hashes as the newest.
    test("sign-in with every kind of hash", { skip: !isLong && (version === "v4" || version === "v413") }, async () => {
      const users = hashVectors.flatMap(({ name, password, ...vector }) => {
        const judged = judgeVector({ name, password, ...vector });
        if (judged.kind !== "good" || !verifiers.includes(hashKindOf(judged.text))) return [];
        return [{ name, password, text: judged.text, userId: uniqueId("hash") }];
      });
      const orgId = await createOrg(target(), uniqueId("hashes"));
      const humanUsers = users.map(({ userId, text }) => user(userId, { hashedPassword: { value: text } }));
      const { report, stderr } = await run(["import", "body.json"], job({ orgId, humanUsers }));
      const refused = new Set((report["failures"] as readonly { id: string }[]).map(({ id }) => id));
      const outcomes: Record<string, readonly string[]> = {};
      const expected: typeof outcomes = {};
      for (const { name, userId, text, password } of users) {
        const costs = Object.entries(costsOf(text)) as [HashCost, number][]; // the keys of a table by cost
        const isAccepted = costs.every(([cost, value]) => isWithin(limits, cost, value));
        expected[name] = isAccepted ? ["wrong password", "signed in"] : ["refused"];
        const signIns = () => Promise.all([`${password}!`, password].map((one) => signIn(target(), userId, one)));
        outcomes[name] = refused.has(userId) ? ["refused"] : await signIns();
      }
      expect(outcomes, stderr).toEqual(expected);
      expect(Object.values(outcomes).filter((outcome) => outcome[1] === "signed in").length).toBeGreaterThan(40);
    });

    test("copy twice", async () => {
      const { orgs, ids } = richOrgs();
      await importOrgs(source(), ...orgs);
      const work = job();
      const args = ["copy", "--org-id", ids.one, "--org-id", ids.two, "--with-passwords", "--with-otp", "--yes"];
      const first = await run([...args, "--keep", "export.json"], work);
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { read: 4, created: 4 }, failures: [] });
      const again = await run(args, work);
      expect(again.report, again.stderr).toMatchObject({
        exitCode: 0,
        users: { read: 4, created: 0, alreadyThere: 4 },
        failures: [],
      });
      const { report, stderr } = await run(["verify", "export.json"], work);
      expect(report, stderr).toMatchObject({ exitCode: 0, by: "export", missing: [], different: [] });
      expect(report["expected"]).toBeGreaterThan(30);
      expect(await signIn(target(), ids.ada, PASSWORD)).toBe("signed in");
      expect(await signIn(target(), ids.eve, "another")).toBe("wrong password");
    });

    // 2.x and 4.0 answer as 4.13 does, and are slow at it.
    test("export past the limit", { skip: !isLong && (version === "v2" || version === "v4") }, async () => {
      const orgId = await createOrg(source(), uniqueId("large"));
      const users = Array.from({ length: 22 }, () => uniqueId("heavy"));
      const value = Buffer.alloc(490_000, "x").toString("base64");
      for (const id of users) {
        await importOrgs(source(), { orgId, humanUsers: [user(id)], userMetadata: [{ id, key: "heavy", value }] });
      }
      const args = ["copy", "--org-id", orgId, "--with-passwords"];
      const { report, stderr } = await run(args, job());
      expect(report, stderr).toMatchObject({
        exitCode: 0,
        export: { transport: pastLimit },
        users: { created: 22 },
        failures: [],
      });
      expect(await signIn(target(), users[0] as string, PASSWORD)).toBe("signed in");
    });

    test("update", async () => {
      const orgId = await createOrg(source(), uniqueId("update"));
      const [ada, bob, cyd] = ["ada", "bob", "cyd"].map(uniqueId) as [string, string, string];
      await importOrgs(source(), { orgId, humanUsers: [user(ada), user(bob)] });
      const work = job();
      const args = ["copy", "--org-id", orgId, "--with-passwords", "--update", "--yes"];
      const first = await run(args, work);
      expect(first.report, first.stderr).toMatchObject({ exitCode: 0, users: { created: 2 } });
      await call(source(), "PUT", `/v2/users/human/${ada}`, {
        profile: { givenName: "Grace", familyName: "Hopper" },
        password: { password: { password: NEW_PASSWORD } },
      });
      await importOrgs(source(), { orgId, humanUsers: [user(cyd)] });
      const changed = await run([...args, "--settle", "2m"], work);
      expect(changed.report, changed.stderr).toMatchObject({
        exitCode: 0,
        users: { created: 1, updated: 1, unchanged: 1, conflict: 0, failed: 0 },
      });
      expect(await signIn(target(), ada, NEW_PASSWORD)).toBe("signed in");
      expect(await signIn(target(), ada, PASSWORD)).toBe("wrong password");
      const again = await run(args, work);
      expect(again.report, again.stderr).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 3 } });
    });

    test("update by a body: new names, and a user that the body lacks", async () => {
      const orgId = await createOrg(target(), uniqueId("renamed"));
      const [ada, bob] = ["ada", "bob"].map(uniqueId) as [string, string];
      const importOf = async (...humanUsers: readonly object[]) => {
        const work = job({ orgId, humanUsers });
        const { report, stderr } = await run(["import", "body.json", "--update", "--yes"], work);
        expect(report, stderr).toMatchObject({ exitCode: 0, users: { failed: 0, conflict: 0 } });
        const verified = await run(["verify", "body.json"], work);
        expect(verified.report, verified.stderr).toMatchObject({ exitCode: 0, different: [], changedSince: [] });
        return { report, unexpected: verified.report["unexpected"] };
      };
      const named = (firstName: string, lastName: string) => user(ada, { profile: { firstName, lastName } });
      const displayed = async () => {
        const types = ["user.human.added", "user.human.profile.changed"];
        const events = await readEvents(target(), { types, aggregateId: ada });
        return events.findLast(({ payload }) => payload?.["displayName"] !== undefined)?.payload?.["displayName"];
      };
      await importOf(user(ada), user(bob));
      expect(await displayed()).toBe("Ada Lovelace");
      for (const [firstName, lastName] of [
        ["Ada", "King Noel"],
        ["Augusta", "King Noel"],
      ] as const) {
        const { report, unexpected } = await importOf(named(firstName, lastName));
        expect(report["update"]).toMatchObject({ update: [{ userId: ada }], absent: [bob] });
        expect(unexpected).toEqual([bob]);
        expect(await displayed()).toBe(`${firstName} ${lastName}`);
      }
    });

    test("undo, and the same import again", async () => {
      const orgId = await createOrg(target(), uniqueId("undo"));
      const ids = Array.from({ length: 10 }, () => uniqueId("u")).sort();
      const projectId = uniqueId("project");
      const work = job({
        orgId,
        humanUsers: ids.map((id) => user(id)),
        userMetadata: ids.map((id) => ({ id, key: "plan", value: METADATA })),
        projects: [{ projectId, project: { name: projectId } }],
        projectRoles: [{ projectId, roleKey: "admin", displayName: "Admin" }],
        userGrants: ids.map((userId) => ({ projectId, userId, roleKeys: ["admin"] })),
        orgMembers: ids.map((userId) => ({ userId, roles: ["ORG_USER_MANAGER"] })),
        projectMembers: ids.map((userId) => ({ projectId, userId, roles: ["PROJECT_OWNER_VIEWER"] })),
      });
      // Of members of the organization, only those of the import: the service user is one, too.
      const members = async (path: string): Promise<readonly string[]> =>
        (await listOf(path, orgId)).flatMap(({ userId = "" }) => (ids.includes(userId) ? [userId] : [])).sort();
      const created = { exitCode: 0, users: { created: 10, failed: 0, unknown: 0 } };
      const verified = { exitCode: 0, missing: [], different: [] };
      const first = await run(["import", "body.json"], work);
      expect(first.report, first.stderr).toMatchObject(created);
      expect((await run(["verify", "body.json"], work)).report).toMatchObject(verified);
      const undone = await run(["undo", "body.json.manifest.ndjson", "--yes"], work);
      expect(undone.report, undone.stderr).toMatchObject({ exitCode: 0, users: { removed: 10 } });
      const again = await run(["import", "body.json"], work);
      if (version === "v2") {
        // 2.62 keeps the ids of deleted users.
        expect(again.report, again.stderr).toMatchObject({ exitCode: 1, users: { created: 0, failed: 10 } });
        return;
      }
      expect(again.report, again.stderr).toMatchObject(created);
      expect((await run(["verify", "body.json"], work)).report).toMatchObject(verified);
      expect(await signIn(target(), ids[0] as string, PASSWORD)).toBe("signed in");
      for (const id of ids) {
        const path = `/users/${encodeURIComponent(id)}/metadata/_search`;
        expect(
          (await listOf(path, orgId)).map(({ key }) => key),
          id,
        ).toEqual(["plan"]);
      }
      for (const path of [
        "/users/grants/_search",
        "/orgs/me/members/_search",
        `/projects/${projectId}/members/_search`,
      ])
        await expect.poll(() => members(path), { timeout: 20_000 }).toEqual(ids);
    });

    /** A list of the older API. */
    async function listOf(
      list: string,
      orgId: string,
    ): Promise<readonly { readonly key?: string; readonly userId?: string }[]> {
      const { url, token } = target();
      const headers = {
        authorization: `Bearer ${token}`,
        "x-zitadel-orgid": orgId,
        "content-type": "application/json",
      };
      const response = await fetch(`${url}/management/v1${list}`, { method: "POST", headers, body: "{}" });
      const { result = [] } = (await response.json()) as { result?: readonly object[] };
      return result;
    }

    test("kill and resume", async () => {
      const orgId = await createOrg(target(), uniqueId("killed"));
      const ids = Array.from({ length: 200 }, () => uniqueId("k"));
      const work = job({
        orgId,
        humanUsers: ids.map((id, index) => user(id, index % 8 === 0 ? { hashedPassword: undefined } : {})),
      });
      const args = ["import", "body.json", "--batch-users", "10", "--journal", "job.journal"];
      for (const resume of [[], ["--resume"], ["--resume"]]) await killedAfter(4, [...args, ...resume], work);
      const { report, stderr } = await run([...args, "--resume"], work);
      expect(report, stderr).toMatchObject({
        exitCode: 0,
        users: { read: 200, sent: 200, created: 200, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0 },
      });
      const added = await readEvents(target(), { types: ["user.human.added"], orgId });
      expect(added.map(({ aggregate }) => aggregate.id).sort()).toEqual([...ids].sort());
      expect(await signIn(target(), ids[1] as string, PASSWORD)).toBe("signed in");
    });
  });
}

/** Kills the run once the journal has that many records more than before. */
async function killedAfter(more: number, args: readonly string[], { cwd, env }: Job): Promise<void> {
  const journal = join(cwd, "job.journal");
  const records = () => (existsSync(journal) ? readFileSync(journal, "utf8").split("\n").length : 0);
  const before = records();
  const child = execa(...programWith(args), { cwd, env: { ...env }, reject: false });
  let over = false;
  void child.then(() => {
    over = true;
  });
  while (!over && records() < before + more) await setTimeout(5);
  child.kill("SIGKILL");
  expect((await child).signal).toBe("SIGKILL");
}
