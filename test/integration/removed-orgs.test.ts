import { expect, test } from "vitest";
import { testUser } from "../helpers/bodies.ts";
import { runCli } from "../helpers/run-cli.ts";
import { startMock } from "../helpers/start-mock.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const orgs = ["kept", "gone", "left"].map((orgId, at) => ({
  orgId,
  org: { name: `Name of ${orgId}` },
  humanUsers: [testUser(at + 1)],
}));

/** Two instances after a copy of all organizations; then the source deleted two, and one of these was deleted on the target. */
async function startPair() {
  const source = await startMock({ seed: { orgs: [] } });
  const headers = { authorization: `Bearer ${source.token}` };
  const body = JSON.stringify({ dataOrgs: { orgs }, timeout: "1m" });
  await fetch(`${source.url}/admin/v1/import`, { method: "POST", headers, body });
  const target = await startMock({ seed: { orgs: [] } });
  const env = { ...target.env, ZITADEL_EXPORT_DOMAIN: source.url, PAT_EXPORT_TOKEN: source.token };
  const cwd = tempDir();
  const copy = (...flags: string[]) => runCli(["copy", "--update", "--quiet", "--json", ...flags], { cwd, env });
  const first = await copy();
  expect(JSON.parse(first.stdout), first.stderr).toMatchObject({ exitCode: 0 });
  for (const id of ["gone", "left"]) source.removeOrg(id);
  target.removeOrg("left");
  return { target, copy };
}

test("a copy of all organizations names those that were deleted at the source and still exist on the target", async () => {
  const { target, copy } = await startPair();
  const { stdout, stderr } = await copy();
  const report = JSON.parse(stdout);
  expect(report, stderr).toMatchObject({
    exitCode: 0,
    export: { removedOrgs: [{ id: "gone", name: "Name of gone" }] },
  });
  expect(stderr).toContain("1 organization was deleted at the source and still exists on the target.");
  expect(stderr).toContain("organization gone (Name of gone)");
  const silenced = await copy("--exclude-org-id", "gone");
  expect(JSON.parse(silenced.stdout).export.removedOrgs, silenced.stderr).toBeUndefined();
  target.removeOrg("gone");
  const later = await copy("--exclude-org-id", "other");
  expect(JSON.parse(later.stdout).export.removedOrgs, later.stderr).toBeUndefined();
});

test("a copy of a deleted organization is exit 5, and says that its users can still sign in on the target", async () => {
  const { copy } = await startPair();
  const { stdout, stderr } = await copy("--org-id", "kept", "--org-id", "gone");
  expect(JSON.parse(stdout), stderr).toMatchObject({ exitCode: 5 });
  expect(stderr).toContain(
    "does not export organization gone (Name of gone): it was deleted there; nothing was written.",
  );
  expect(stderr).toContain("If it was copied, its users can still sign in on the target: delete it there by hand");
  expect(stderr).not.toContain("Check --org-id");
  const mixed = await copy("--org-id", "gone", "--org-id", "nosuch");
  expect(mixed.stderr).toContain(
    "organizations gone (Name of gone), nosuch: organization gone (Name of gone) was deleted there; any other does not exist",
  );
  expect(mixed.stderr).toContain("Check --org-id. The instance has kept (Name of kept)");
});
