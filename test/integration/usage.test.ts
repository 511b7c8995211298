import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.ts";

test("help goes to stdout and is a success", async () => {
  const { exitCode, stdout, stderr } = await runCli(["migrate", "auth0", "--help"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Usage: orgferry migrate auth0");
  expect(stderr).toBe("");
});

test.each([
  [[], "Usage: orgferry"],
  [["migrate"], "auth0"],
  [["migrate", "okta"], "unknown provider 'okta'"],
  [["migrate", "auth0"], "required option '--org <id>'"],
  [["migrate", "auth0", "--org"], "argument missing"],
  [["migrate", "auth0", "--org", "1", "--timeout", "5"], "30s, 5m0s or 1h30m"],
  [["migrate", "auth0", "--org", "1", "--split", "0"], "whole number"],
  [["migrate", "auth0", "--org", "1", "--email-verified", "--no-email-verified"], "cannot be used together"],
  [["migrate", "auth0", "--org", "1", "--output"], "argument missing"],
])("%j is a usage error", async (argv, text) => {
  const { exitCode, stdout, stderr } = await runCli(argv as string[]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(text);
});
