import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { canStart, type Instance, uniqueId, useInstance } from "./harness.ts";
import { user } from "./rich-orgs.ts";

async function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const { stdout, stderr } = await runBin([...args, "--json"], { cwd, env });
  return { report: JSON.parse(stdout), stderr };
}

/** True if the service takes the code; a user who is not listed yet is looked for again. */
async function takes(instance: Instance, userId: string, code: string): Promise<boolean> {
  for (;;) {
    const { status, text } = await instance.post("/v2/sessions", {
      checks: { user: { userId }, recoveryCode: { code } },
    });
    if (status === 201) return true;
    if (/DOMAIN-6uvh0|COMMAND-84rgg/.test(text)) return false;
    if (!text.includes("QUERY-Dfbg2")) throw new Error(`${status} ${text}`);
    await setTimeout(100);
  }
}

describe.skipIf(!canStart)("recovery codes (service behaviour 9.26)", () => {
  const source = useInstance("v413");
  const target = useInstance("v415");

  test("are imported, and copied by the event log but for those that were used", async () => {
    const [orgId, ada, eve] = [uniqueId("rc"), uniqueId("ada"), uniqueId("eve")];
    const humanUsers = [user(ada, { recoveryCodes: [{ raw: "code-one" }, { raw: "code-two" }] }), user(eve)];
    const body = { dataOrgs: { orgs: [{ orgId, org: { name: orgId }, humanUsers }] }, timeout: "1m" };
    const cwd = tempDir();
    writeFileSync(join(cwd, "body.json"), JSON.stringify(body));
    const imported = await run(["import", "body.json", "--verify"], cwd, source().targetEnv);
    expect(imported.report, imported.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, differentCount: 0 });
    expect(await takes(source(), ada, "code-one")).toBe(true);
    expect(await takes(source(), ada, "code-one")).toBe(false);
    const made = await source().post(`/v2/users/${eve}/recovery_codes`, { count: 2 });
    const { recoveryCodes } = made.body as { recoveryCodes: string[] };
    const rest = ["--org-id", orgId, "--transport", "rest", "--with-otp", "--output", "rest.json"];
    const exported = await run(["export", ...rest], cwd, source().sourceEnv);
    expect(exported.report, exported.stderr).toMatchObject({ exitCode: 0, recoveryCodesLeft: 2 });
    const args = ["--org-id", orgId, "--transport", "events", "--with-passwords", "--with-otp", "--keep", "kept.json"];
    const env = { ...source().sourceEnv, ...target().targetEnv };
    const copied = await run(["copy", ...args, "--verify"], cwd, env);
    expect(copied.report, copied.stderr).toMatchObject({ exitCode: 0, users: { created: 2 }, differentCount: 0 });
    expect(copied.report.notCarried).not.toContain("recovery codes");
    expect(await takes(target(), ada, "code-one")).toBe(false);
    expect(await takes(target(), ada, "code-two")).toBe(true);
    for (const code of recoveryCodes) expect(await takes(target(), eve, code)).toBe(true);
    const verified = await run(["verify", "kept.json"], cwd, target().targetEnv);
    expect(verified.report, verified.stderr).toMatchObject({ exitCode: 0, by: "export", missing: [], different: [] });
  });
});
