import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fullOrg, otherOrg } from "../helpers/full-org.ts";
import { encodeExport, frameOf, startGrpcExport, trailerOf } from "../helpers/grpc-export-server.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const document = { orgs: [fullOrg, otherOrg] };
const message = frameOf(encodeExport(document));
const whole = [message, trailerOf(0)];
const envOf = (url: string) => ({ ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: "pat-0123456789" });

test("past the limit of the documented call the same export comes over gRPC-Web", async () => {
  const { url, paths } = await startGrpcExport({ pieces: whole });
  const cwd = tempDir();
  const { exitCode, stderr, stdout } = await runCli(["export", "--json"], { cwd, env: envOf(url) });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8"))).toEqual(document);
  expect(JSON.parse(stdout)).toMatchObject({ orgs: 2, users: 1, machineUsers: 1, transport: "grpc-web" });
  expect(stderr).toContain("requesting it over gRPC-Web");
  expect(paths.filter((path) => path.includes("xport"))).toEqual([
    "/admin/v1/export",
    "/zitadel.admin.v1.AdminService/ExportData",
  ]);
});

test("--transport grpc-web asks for nothing else, --transport rest does not go on", async () => {
  const { url, paths } = await startGrpcExport({ pieces: whole });
  const cwd = tempDir();
  expect((await runCli(["export", "--transport", "grpc-web"], { cwd, env: envOf(url) })).exitCode).toBe(0);
  expect(paths).not.toContain("/admin/v1/export");
  const rest = await runCli(["export", "--transport", "rest"], { cwd, env: envOf(url) });
  expect(rest.exitCode).toBe(5);
  expect(rest.stderr).toContain("larger than one response");
});

test.each([
  ["the status of a token that is refused", [trailerOf(16, "Errors.Token.Invalid (AUTH-7fs1e)")], 4],
  ["the status of a token without the right", [trailerOf(7, "No matching permissions found (AUTH-5mWD2)")], 4],
  ["the status of a token without a role", [trailerOf(5, "membership not found (AUTHZ-cdgFk)")], 4],
  ["the status of a fault", [message, trailerOf(13, "an internal error")], 5],
  ["the status of a time limit", [trailerOf(2, "context deadline exceeded")], 6],
  ["the status of a service that is busy", [trailerOf(14, "unavailable")], 6],
  ["no end", [message], 6],
  ["half of the end", [message, trailerOf(0).subarray(0, 9)], 6],
  ["half of the message", [message.subarray(0, 300)], 6],
  ["a message of the wrong shape", [frameOf(Buffer.from([0x0a, 0x02, 0x0a, 0x09])), trailerOf(0)], 5],
  ["a compressed message", [frameOf(Buffer.from([1]), 1), trailerOf(0)], 5],
  ["more after the end", [...whole, Buffer.from("more")], 5],
  ["rubbish", [Buffer.from("<html>this is no gRPC-Web at all</html>".repeat(10))], 5],
  ["no organization", [frameOf(Buffer.alloc(0)), trailerOf(0)], 5],
  ["nothing", [], 6],
])("gRPC-Web that answers %s leaves no file", async (_, pieces, code) => {
  const { url } = await startGrpcExport({ pieces });
  const cwd = tempDir();
  const { exitCode, stderr } = await runCli(["export"], { cwd, env: envOf(url) });
  expect(exitCode, stderr).toBe(code);
  expect(stderr).not.toContain("bug in orgferry");
  expect(readdirSync(cwd)).toEqual([]);
});

test.each([
  ["404", { status: 404 }],
  ["405", { status: 405 }],
  ["415", { status: 415 }],
  ["501", { status: 501 }],
  ["a web page", { contentType: "text/html" }],
])("where gRPC-Web is %s, the export is too large for this instance", async (_, options) => {
  const { url } = await startGrpcExport({ pieces: [Buffer.from("{}")], ...options });
  const { exitCode, stderr } = await runCli(["export"], { cwd: tempDir(), env: envOf(url) });
  expect(exitCode, stderr).toBe(5);
  expect(stderr).toContain("larger than one response");
});

test("fields that this orgferry does not know are named, also in the report, and the export is partial", async () => {
  const more = Buffer.from([0x0a, 0x09, 0x0a, 0x01, 0x61, 0x9a, 0x06, 0x03, 0x6e, 0x65, 0x77]);
  const { url } = await startGrpcExport({ pieces: [frameOf(more), trailerOf(0)] });
  const { exitCode, stdout, stderr } = await runCli(["export", "--json"], { cwd: tempDir(), env: envOf(url) });
  expect(stderr).toContain("the export lacks fields that this version of orgferry does not know: field 99.");
  expect(exitCode, stderr).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ transport: "grpc-web", droppedFields: ["field 99"] });
});

test("a state of a user that orgferry does not know stays as its number, and is counted", async () => {
  const user = { userId: "u", user: { userName: "u" }, state: 9 };
  const { url } = await startGrpcExport({
    pieces: [frameOf(encodeExport({ orgs: [{ orgId: "a", humanUsers: [user] }] })), trailerOf(0)],
  });
  const cwd = tempDir();
  const { exitCode, stdout, stderr } = await runCli(["export", "--json"], { cwd, env: envOf(url) });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(readFileSync(join(cwd, "export.json"), "utf8"))).toEqual({
    orgs: [{ orgId: "a", humanUsers: [user] }],
  });
  expect(JSON.parse(stdout)).toMatchObject({ unknownStates: { "9": 1 } });
});
