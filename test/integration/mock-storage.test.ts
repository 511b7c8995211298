import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fullExport, fullOrg, otherOrg } from "../helpers/full-org.ts";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const IMPORT = "/admin/v1/import";
const EXPORT = "/admin/v1/export";
const acme = { orgId: "1", org: { name: "Acme" } };
const account = Buffer.from('{"type":"service_account"}').toString("base64");
const place = { bucket: "demo", path: "2026/export.json", serviceaccount_json: account };

test("an export to object storage answers {} and writes the file, private; an import reads it in the background", async () => {
  const [sourceDir, targetDir] = [tempDir(), tempDir()];
  const source = await startMock({ dataDir: sourceDir, seed: { orgs: [fullOrg, otherOrg] } });
  expect((await source.post(EXPORT, { with_passwords: true, with_otp: true, gcs_output: place })).body).toEqual({});
  await source.mock.settled();
  const file = join(sourceDir, "buckets/demo/2026/export.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(fullExport);

  mkdirSync(join(targetDir, "buckets/demo/2026"), { recursive: true });
  writeFileSync(join(targetDir, "buckets/demo/2026/export.json"), readFileSync(file));
  const notes: string[] = [];
  const target = await startMock({ dataDir: targetDir, onNote: (line) => notes.push(line) });
  expect((await target.post(IMPORT, { data_orgs_gcs: place, timeout: "1m" })).body).toEqual({});
  await target.mock.settled();
  expect(await target.exportAll()).toEqual(fullExport);
  expect(notes).toEqual([
    expect.stringMatching(
      /^import from demo\/2026\/export\.json: 2 organizations, 1 human users, 3 errors; domain 1_acme/,
    ),
  ]);
});

test("data_orgsv1_gcs reads the file as the first major version's, and loses what that did not know", async () => {
  const dataDir = tempDir();
  mkdirSync(join(dataDir, "buckets/demo/2026"), { recursive: true });
  const orgs = [{ ...acme, iamPolicy: { orgId: "1", userLoginMustBeDomain: true }, orgState: "ORG_STATE_ACTIVE" }];
  writeFileSync(join(dataDir, "buckets/demo/2026/export.json"), JSON.stringify({ orgs }));
  const { mock, post, exportAll } = await startMock({ dataDir });
  await post(IMPORT, { data_orgsv1_gcs: place, timeout: "1m" });
  await mock.settled();
  expect(await exportAll()).toMatchObject({
    orgs: [{ ...acme, domainPolicy: { orgId: "1", userLoginMustBeDomain: true } }],
  });
});

test.each([
  [{ ...place, path: "missing.json" }, /ENOENT/],
  [{ ...place, path: "../../state.ndjson" }, /no such bucket or path/],
  [{ ...place, bucket: ".." }, /no such bucket or path/],
  [{ ...place, serviceaccount_json: "nonsense" }, /credentials/],
])("what goes wrong there is invisible to the caller and stands in the log (%#)", async (location, reason) => {
  const notes: string[] = [];
  const { mock, post } = await startMock({ dataDir: tempDir(), onNote: (line) => notes.push(line) });
  expect((await post(IMPORT, { data_orgs_gcs: location, timeout: "1m" })).body).toEqual({});
  await mock.settled();
  expect(notes.join()).toMatch(reason);
});

test("errors of entries stand in the log too", async () => {
  const notes: string[] = [];
  const { mock, post } = await startMock({
    seed: { orgs: [{ ...acme, humanUsers: [human("a")] }] },
    onNote: (line) => notes.push(line),
  });
  await post(EXPORT, { gcs_output: place });
  await mock.settled();
  await post(IMPORT, { data_orgs_gcs: place, timeout: "1m" });
  await mock.settled();
  expect(notes.at(-1)).toContain("3 errors; org 1: ID=ORG-lapo2n");
  expect(notes.at(-1)).toContain("; human_user a: ID=COMMAND-ziuna");
});

test("a service of today ignores gcs_output and answers with the data", async () => {
  const { post } = await startMock({ mimic: "v4", seed: { orgs: [acme] } });
  expect((await post(EXPORT, { org_ids: ["1"], gcs_output: place })).body).toMatchObject({ orgs: [acme] });
});

test("with --data an instance is the same after a restart, users, events and all", async () => {
  const dataDir = tempDir();
  const first = await startMock({ dataDir });
  await first.importOrgs(fullOrg, otherOrg);
  await first.importOrgs({ orgId: "2", humanUsers: [human("gone"), human("b")] });
  first.mock.removeUser("gone");
  // Some payloads name the instance's address, whose port is another one each time.
  const eventsOf = async ({ mock, post }: MockClient) =>
    (await post("/admin/v1/events/_search", {})).text.replaceAll(mock.url, "");
  const events = await eventsOf(first);
  const document = await first.exportAll();
  await first.mock.close();

  const second = await startMock({ dataDir });
  expect(await second.exportAll()).toEqual(document);
  expect(await eventsOf(second)).toBe(events);
  const again = await second.importOrgs({ orgId: "2", humanUsers: [human("b"), human("gone")] });
  expect(again.success?.orgs).toEqual([{ orgId: "2", humanUserIds: ["gone"] }]);
  expect(again.errors?.map(({ id }) => id)).toEqual(["2", "b"]);
});

test("a call that a crash cut off in the middle of writing is as if it had not been", async () => {
  const dataDir = tempDir();
  const file = join(dataDir, "state.ndjson");
  const first = await startMock({ dataDir });
  await first.importOrgs(acme);
  const whole = readFileSync(file);
  await first.importOrgs({ orgId: "1", humanUsers: [human("a")] });
  await first.mock.close();
  const cut = readFileSync(file).subarray(0, whole.length + 40);
  writeFileSync(file, cut);

  const second = await startMock({ dataDir });
  expect(await second.exportAll()).toMatchObject({ orgs: [acme] });
  expect(await second.exportOf("1")).not.toHaveProperty("humanUsers");
  await second.importOrgs({ orgId: "1", humanUsers: [human("b")] });
  await second.mock.close();
  const third = await startMock({ dataDir });
  expect(await third.exportAll()).toMatchObject({ orgs: [{ ...acme, humanUsers: [human("b")] }] });
});

test("what was kept is not seeded again; a reset empties it and seeds", async () => {
  const dataDir = tempDir();
  const seed = { orgs: [{ ...acme, humanUsers: [human("a")] }] };
  const first = await startMock({ dataDir, seed });
  first.mock.removeUser("a");
  await first.mock.close();
  const second = await startMock({ dataDir, seed });
  expect(await second.exportAll()).toMatchObject({ orgs: [acme] });
  expect(await second.exportOf("1")).not.toHaveProperty("humanUsers");
  await second.mock.reset();
  expect(await second.exportAll()).toMatchObject({ orgs: [{ ...acme, humanUsers: [human("a")] }] });
  await second.mock.close();
  const third = await startMock({ dataDir });
  expect(await third.exportAll()).toMatchObject({ orgs: [{ ...acme, humanUsers: [human("a")] }] });
});

test("without --data the bucket goes away with the server", async () => {
  const made = () => readdirSync(tmpdir()).filter((name) => name.startsWith("orgferry-mock-"));
  const before = new Set(made());
  const { mock, post } = await startMock({ seed: { orgs: [acme] } });
  await post(EXPORT, { gcs_output: place });
  await mock.settled();
  const [folder] = made().filter((name) => existsSync(join(tmpdir(), name, "demo")) && !before.has(name));
  expect(folder).toBeDefined();
  await mock.close();
  expect(existsSync(join(tmpdir(), folder ?? "."))).toBe(false);
});
