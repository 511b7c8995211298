import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  call,
  canStart,
  createOrg,
  importOrgs,
  isLong,
  readEvents,
  signIn,
  tokenOfAnother,
  uniqueId,
  useInstance,
} from "./harness.ts";
import { PASSWORD, user } from "./rich-orgs.ts";

/** bcrypt, cost 4, of something else than `PASSWORD`. */
const STRANGERS_HASH = "$2b$04$zbcdefghijklmnopqrstuu7Zezq8McKTVnDi3UfuOvkViEeFXm/JG";

describe.skipIf(!canStart).each(isLong ? (["v4", "v2"] as const) : (["v4"] as const))(
  "users of a %s instance who never finished",
  (version) => {
    const target = useInstance(version);

    test("and of another account, get the password with a lock, or never, and the second run does nothing", async () => {
      const orgId = await createOrg(target(), uniqueId("unfinished"));
      const [locked, left] = [uniqueId("unfinished"), uniqueId("unfinished")];
      const unverified = (id: string): object =>
        user(id, { email: { email: `${id}@example.com` }, hashedPassword: { value: STRANGERS_HASH } });
      await importOrgs(target(), { orgId, humanUsers: [unverified(locked), unverified(left)] });
      const cwd = tempDir();
      const humanUsers = [{ ...user(locked), state: "USER_STATE_LOCKED" }, user(left)];
      writeFileSync(
        join(cwd, "body.json"),
        JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m0s" }),
      );
      const env = { ...target().targetEnv, PAT_IMPORT_TOKEN: await tokenOfAnother(target(), uniqueId("ferry")) };
      const run = async (): Promise<unknown> => {
        const argv = ["import", "body.json", "--update", "--prefer", "target", "--yes", "--json"];
        const { stdout, stderr } = await runBin(argv, { cwd, env });
        expect(stdout, stderr).toContain("{");
        return JSON.parse(stdout);
      };
      expect(await run()).toMatchObject({
        exitCode: 0,
        users: { updated: 1, conflict: 1, failed: 0 },
        update: {
          update: [{ userId: locked, fields: expect.arrayContaining(["hash", "state"]) }],
          conflict: [{ userId: left, fields: ["hash"] }],
        },
      });
      const events = await readEvents(target(), { types: [], orgId });
      expect(await run()).toMatchObject({ exitCode: 0, users: { sent: 0, unchanged: 1, conflict: 1 } });
      expect(await readEvents(target(), { types: [], orgId })).toHaveLength(events.length);
      await call(target(), "POST", `/v2/users/${locked}/unlock`, {});
      expect(await signIn(target(), locked, PASSWORD)).toBe("signed in");
    });

    test("and are inactive in the file, are deactivated, and the second run does nothing", async () => {
      const orgId = await createOrg(target(), uniqueId("unfinished"));
      const id = uniqueId("unfinished");
      const cwd = tempDir();
      const run = async (...more: readonly string[]) => {
        const { stdout, stderr } = await runBin(["import", "body.json", "--yes", "--json", ...more], {
          cwd,
          env: target().targetEnv,
        });
        expect(stdout, stderr).toContain("{");
        return JSON.parse(stdout);
      };
      const write = (entry: object): void =>
        writeFileSync(
          join(cwd, "body.json"),
          JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: [entry] }] }, timeout: "5m0s" }),
        );
      const waiting = user(id, { email: { email: `${id}@example.com` }, hashedPassword: undefined });
      write(waiting);
      await run("--via", "import");
      const seen = async (): Promise<string> => {
        const asked = { queries: [{ inUserIdsQuery: { userIds: [id] } }] };
        return JSON.parse((await target().post("/v2/users", asked)).text).result?.[0]?.state;
      };
      await expect.poll(seen).toBe("USER_STATE_INITIAL");
      write({ ...waiting, state: "USER_STATE_INACTIVE" });
      expect(await run("--update")).toMatchObject({ exitCode: 0, users: { updated: 1, failed: 0 } });
      await expect.poll(seen).toBe("USER_STATE_INACTIVE");
      expect(await run("--update")).toMatchObject({ exitCode: 0, users: { unchanged: 1, updated: 0 } });
    });

    test("become active with a verified address, and a user who is closed in the file gets no code", async () => {
      const orgId = await createOrg(target(), uniqueId("unfinished"));
      const [waiting, bare, closed] = [uniqueId("unfinished"), uniqueId("unfinished"), uniqueId("unfinished")];
      const cwd = tempDir();
      const run = async (humanUsers: readonly object[], ...more: readonly string[]) => {
        const body = { dataOrgs: { orgs: [{ orgId, humanUsers }] }, timeout: "5m0s" };
        writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
        const argv = ["import", "body.json", "--yes", "--json", ...more];
        const { stdout, stderr } = await runBin(argv, { cwd, env: target().targetEnv });
        expect(stdout, stderr).toContain("{");
        return JSON.parse(stdout);
      };
      const unverified = (id: string): object => user(id, { email: { email: `${id}@example.com` } });
      const inactive = { ...unverified(closed), state: "USER_STATE_INACTIVE" };
      const withoutPassword = user(bare, { email: { email: `${bare}@example.com` }, hashedPassword: undefined });
      const first = await run([unverified(waiting), withoutPassword, inactive]);
      expect(first).toMatchObject({ exitCode: 0, users: { created: 3 } });
      const codes = await readEvents(target(), { types: ["user.human.initialization.code.added"], orgId });
      expect(codes.map(({ aggregate }) => aggregate.id).sort()).toEqual([waiting, bare].sort());
      const active = { ...user(waiting), state: "USER_STATE_ACTIVE" };
      const bareActive = { ...user(bare, { hashedPassword: undefined }), state: "USER_STATE_ACTIVE" };
      const next = await run([active, bareActive, inactive], "--update", "--verify");
      expect(next).toMatchObject({ exitCode: 0, users: { updated: 2, failed: 0 }, differentCount: 0 });
      const seen = async (id: string): Promise<string> => {
        const asked = { queries: [{ inUserIdsQuery: { userIds: [id] } }] };
        return JSON.parse((await target().post("/v2/users", asked)).text).result?.[0]?.state;
      };
      await expect.poll(() => seen(waiting)).toBe("USER_STATE_ACTIVE");
      await expect.poll(() => seen(bare)).toBe("USER_STATE_ACTIVE");
      await expect.poll(() => seen(closed)).toBe("USER_STATE_INACTIVE");
      expect(await signIn(target(), waiting, PASSWORD)).toBe("signed in");
      expect(await run([active, bareActive, inactive], "--update")).toMatchObject({ users: { unchanged: 3 } });
      const moved = {
        ...user(closed, { email: { email: `new-${closed}@example.com` } }),
        state: "USER_STATE_INACTIVE",
      };
      expect(await run([moved], "--update")).toMatchObject({ exitCode: 0, mails: 0, users: { updated: 1 } });
      const returned = await readEvents(target(), { types: ["user.human.email.code.added"], orgId });
      const closedOnly = returned.map(() => [closed, { code_returned: true }]);
      expect(returned.map(({ aggregate, payload }) => [aggregate.id, payload])).toMatchObject(closedOnly);
    });
  },
);
