import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBin } from "../helpers/run-bin.ts";
import { canStart, type Instance, isLong, uniqueId, useInstance } from "./harness.ts";
import { user } from "./rich-orgs.ts";

const USERS = 400;

interface ImportReport {
  readonly exitCode: number;
  readonly cannotSignIn: readonly string[];
  readonly cannotSignInCount: number;
  readonly cannotSignInFile?: string;
}

describe.skipIf(!canStart).each(isLong ? (["v4", "v2"] as const) : (["v4"] as const))("users on %s", (version) => {
  const target = useInstance(version);

  /** Ids of the users who cannot sign in, by one call for each. */
  async function withoutSignIn(ids: readonly string[]): Promise<string[]> {
    const forgotten: string[] = [];
    for (const id of ids) if (!(await isKnown(target(), id))) forgotten.push(id);
    return forgotten;
  }

  function write(org: string): { readonly cwd: string; readonly ids: readonly string[] } {
    const ids = Array.from({ length: version === "v4" ? USERS : USERS / 10 }, (_, index) => `${org}-u${index}`);
    const cwd = mkdtempSync(join(tmpdir(), "orgferry-sign-ins-"));
    const orgs = [{ orgId: org, org: { name: org }, humanUsers: ids.map((id) => user(id)) }];
    writeFileSync(join(cwd, "body.json"), JSON.stringify({ dataOrgs: { orgs } }));
    return { cwd, ids };
  }

  async function run(cwd: string, ...args: readonly string[]): Promise<{ report: ImportReport; stderr: string }> {
    const report = join(cwd, "report.json");
    const { stderr } = await runBin([...args, "--report", report], { cwd, env: target().targetEnv });
    return { report: JSON.parse(readFileSync(report, "utf8")) as ImportReport, stderr };
  }

  test("all imported users can sign in by name, as verify reports too", async () => {
    const { cwd, ids } = write(uniqueId("one"));
    const { report, stderr } = await run(cwd, "import", "body.json");
    expect(report, stderr).toMatchObject({ exitCode: 0, cannotSignIn: [], cannotSignInCount: 0 });
    expect(await withoutSignIn(ids)).toEqual([]);
    expect((await run(cwd, "verify", "body.json")).report).toMatchObject({ exitCode: 0, cannotSignInCount: 0 });
  });

  test("users who lose their login name in concurrent writes are named, and recreated as the import says", async () => {
    const { cwd, ids } = write(uniqueId("many"));
    const many = await run(cwd, "import", "body.json", "--concurrency", "8", "--batch-users", "5");
    const forgotten = await withoutSignIn(ids);
    // Perhaps no user loses the login name this time; the report must be right in any case.
    expect(forgotten, many.stderr).toEqual(expect.arrayContaining([...many.report.cannotSignIn]));
    expect(many.report).toMatchObject({
      exitCode: forgotten.length === 0 ? 0 : 1,
      cannotSignInCount: forgotten.length,
    });
    // Who is in no list at all is counted and not named.
    if (many.report.cannotSignInFile === undefined || many.report.cannotSignIn.length < forgotten.length) return;
    expect(many.stderr).toContain(`orgferry undo ${many.report.cannotSignInFile}`);
    expect((await run(cwd, "undo", many.report.cannotSignInFile, "--yes")).report.exitCode).toBe(0);
    const again = await run(cwd, "import", "body.json", "--concurrency", "1");
    expect(again.report, again.stderr).toMatchObject({ exitCode: 0, cannotSignInCount: 0 });
    expect(await withoutSignIn(ids)).toEqual([]);
  });
});

/** Whether a sign-in by the login name gets as far as the password. */
async function isKnown(instance: Instance, id: string): Promise<boolean> {
  const loginName = user(id).user["userName"];
  const { status } = await instance.post("/v2/sessions", { checks: { user: { loginName } } });
  return status < 300;
}
