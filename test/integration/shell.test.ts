import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sources } from "../../src/sources/registry.ts";
import { runCli } from "../helpers/run-cli.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const providers = sources.map(({ id }) => id);
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

/** A folder with the completions of a shell and two files. */
async function folder(shell: string): Promise<string> {
  const cwd = tempDir();
  writeFileSync(join(cwd, "script"), (await runCli(["completion", shell])).stdout);
  writeFileSync(join(cwd, "body one.json"), "");
  writeFileSync(join(cwd, "body two.json"), "");
  return cwd;
}

const LOOK = `source ./script
COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); COMPREPLY=()
compopt() { :; }
_orgferry
printf '%s\\n' "\${COMPREPLY[@]}"`;

test.skipIf(!has("bash")).each([
  [["imp"], ["import"]],
  [["migrate", ""], providers.toSorted()],
  [
    ["import", "--via", ""],
    ["auto", "import", "users"],
  ],
  [["import", "--via", "=", "us"], ["users"]],
  [
    ["import", "--via", "="],
    ["auto", "import", "users"],
  ],
  [["import", "--max-m"], ["--max-mails"]],
  [["migrate", "auth0", "--unv"], ["--unverifiable"]],
  [["migrate", "auth0", "--unverifiable", "r"], ["reject"]],
  [
    ["import", "bo"],
    ["body one.json", "body two.json"],
  ],
  [["copy", "--via", "import", "--ke"], ["--keep"]],
  [
    ["import", "body one.json", "bo"],
    ["body one.json", "body two.json"],
  ],
  [
    ["undo", "bo"],
    ["body one.json", "body two.json"],
  ],
  [["import", "--timeout", ""], [""]],
  [
    ["completion", ""],
    ["bash", "fish", "powershell", "zsh"],
  ],
])("bash completes %j", async (words, expected) => {
  const cwd = await folder("bash");
  const out = execFileSync("bash", ["-c", LOOK, "-", "orgferry", ...(words as string[])], { cwd, encoding: "utf8" });
  expect(out.replace(/\n$/, "").split("\n").sort()).toEqual(expected);
});

test.skipIf(!has("fish")).each([
  ["orgferry import --via ", "users"],
  ["orgferry migrate auth0 --unv", "--unverifiable"],
])("fish completes %j", async (line, expected) => {
  const cwd = await folder("fish");
  const out = execFileSync("fish", ["-c", `source ./script; complete -C '${line}'`], { cwd, encoding: "utf8" });
  expect(out).toContain(expected);
});

/** Other shells take `-c`, too, but only PowerShell has this command. */
const hasPowershell =
  spawnSync("pwsh", ["-NoProfile", "-Command", "Get-Command Register-ArgumentCompleter"]).status === 0;

test.skipIf(!hasPowershell).each([
  ["orgferry imp", ["import"]],
  ["orgferry migrate ", providers.toSorted()],
  ["orgferry import --via u", ["users"]],
  ["orgferry migrate auth0 --unv", ["--unverifiable"]],
  ["orgferry completion ", ["bash", "fish", "powershell", "zsh"]],
])("PowerShell completes %j", async (line, expected) => {
  const cwd = await folder("powershell");
  const look = `. ([scriptblock]::Create((Get-Content -Raw script))); (TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText`;
  const out = execFileSync("pwsh", ["-NoProfile", "-Command", look], { cwd, encoding: "utf8" });
  expect(out.trim().split(/\r?\n/).sort()).toEqual(expected);
});

test("the tables for PowerShell have no two keys that differ only in case, which PowerShell refuses", async () => {
  const { stdout } = await runCli(["completion", "powershell"]);
  for (const table of stdout.split(/^ {2}\$/m)) {
    const keys = [...table.matchAll(/^ {4}'(.*?)' = @\(/gm)].map(([, key = ""]) => key.toLowerCase());
    expect(new Set(keys).size).toBe(keys.length);
  }
  expect(stdout).toContain("    'import --via' = @('auto', 'import', 'users')\n");
  expect(stdout).toContain(`    'migrate' = @(${providers.map((id) => `'${id}'`).join(", ")})\n`);
});

test.skipIf(!has("zsh"))("zsh can read its completions", async () => {
  const cwd = await folder("zsh");
  expect(spawnSync("zsh", ["-n", "script"], { cwd }).status).toBe(0);
  const script = readFileSync(join(cwd, "script"), "utf8");
  // Every one of several files, and the one manifest.
  const specsOf = (name: string): string => script.split(`_orgferry_${name}() {`)[1]?.split("\n}")[0] ?? "";
  expect(specsOf("import")).toContain("'*:files:_files'");
  expect(specsOf("undo")).toContain("':manifest:_files'");
  expect(specsOf("undo").match(/--help/g)).toHaveLength(1);
});

test("the completions of every shell know every command and flag of it", async () => {
  const { stdout: help } = await runCli(["import", "--help", "--all"]);
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = ""]) => flag.slice(2));
  expect(flags.length).toBeGreaterThan(25);
  for (const shell of ["bash", "zsh", "fish"]) {
    const { stdout } = await runCli(["completion", shell]);
    for (const flag of flags) expect(stdout, `${shell}: ${flag}`).toMatch(new RegExp(`(--|-l )${flag}\\b`));
  }
});

test("a shell that is none is a usage error that names those that are", async () => {
  const { exitCode, stderr } = await runCli(["completion", "tcsh"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("bash, zsh, fish") });
});

test("the manual page has every command, and no line that would be taken for a request", async () => {
  const { stdout } = await runCli(["man-page"]);
  for (const name of ["migrate auth0", "import", "doctor", "completion"])
    expect(stdout).toContain(`.SS orgferry ${name}\n`);
  expect(stdout).not.toMatch(/(fetch|report) help/);
  expect(stdout.match(/^\.(?!TH|SH|SS|TP|B |BR |br)/m)).toBeNull();
  expect(stdout).toContain(".B \\-\\-max\\-mails <n>");
});

test("a flag that means something else for one command is listed with that command", async () => {
  const { stdout } = await runCli(["man-page"]);
  const { common, undo } =
    /^\.SH COMMON OPTIONS(?<common>.*)^\.SH COMMANDS.*^\.SS orgferry undo(?<undo>.*?)^\.SS/ms.exec(stdout)?.groups ??
    {};
  expect(common).toContain(".B \\-\\-force\nreplace an existing file of another kind");
  expect(undo).toContain(".B \\-\\-force\nalso delete users who signed in or changed their password since");
  expect(undo).not.toContain(".B \\-\\-quiet");
});

test("the manual pages have the choices and defaults of flags", async () => {
  for (const path of [[], ["invite"]])
    expect((await runCli(["man-page", ...path])).stdout).toContain("(reset | invitation; default: reset)");
  const { stdout } = await runCli(["man-page", "completion"]);
  expect(stdout).toContain('choices: "bash", "zsh"');
  expect(stdout).toContain(".B 143\ninterrupted by SIGTERM or SIGHUP");
});

test("each command has a manual page with all sections, all flags and its examples", async () => {
  const paths = (await runCli(["man-page", "list"])).stdout.trim().split("\n");
  expect(paths).toEqual(expect.arrayContaining(["import", "migrate csv", "report merge", "status"]));
  for (const path of paths) {
    const { stdout } = await runCli(["man-page", ...path.split(" ")]);
    const name = `orgferry-${path.replaceAll(" ", "-")}`;
    expect(stdout, path).toContain(`.TH ${name.toUpperCase().replaceAll("-", "\\-")} 1 `);
    const sections = [...stdout.matchAll(/^\.SH (.+)$/gm)].map(([, title]) => title);
    expect(sections.filter((title) => title !== "ENVIRONMENT" && title !== "EXAMPLES")).toEqual([
      "NAME",
      "SYNOPSIS",
      "DESCRIPTION",
      "OPTIONS",
      "FILES",
      "EXIT STATUS",
      "SEE ALSO",
    ]);
    expect(stdout.match(/^\.(?!TH|SH|SS|TP|B |BR |I |nf|fi)/m), path).toBeNull();
    expect(stdout.match(/^\.nf$/gm)?.length, path).toBe(stdout.match(/^\.fi$/gm)?.length);
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/);
  }
  const { stdout } = await runCli(["man-page", "import"]);
  expect(stdout).toContain(".B \\-\\-batch\\-bytes <size>");
  expect(stdout).toMatch(/\.SH ENVIRONMENT\n\.nf\n {2}ZITADEL_IMPORT_DOMAIN/);
  expect(stdout).toContain("orgferry import importBody.json \\-\\-resume");
  expect((await runCli(["man-page", "nothing"])).exitCode).toBe(2);
});

test.each([
  [["help", "migrate", "auth0"], "Usage: orgferry migrate auth0"],
  [["help", "import"], "Usage: orgferry import"],
  [["help"], "Usage: orgferry [options]"],
])("%j shows that help", async (argv, text) => {
  expect(await runCli(argv as string[])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(text) });
});

test("help of a command that there is not is a usage error", async () => {
  expect(await runCli(["help", "nope"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("unknown command"),
  });
});

test.each([
  ["import"],
  ["export"],
  ["copy"],
  ["verify"],
  ["mock"],
  ["doctor"],
  ["migrate", "auth0"],
  ["migrate", "csv"],
  ["migrate", "json"],
  ["invite"],
  ["diff"],
  ["fetch", "auth0"],
  ["report", "merge"],
  ["undo"],
  ["verify"],
])("the help of %s groups its flags, has three examples, and hides empty defaults", async (...command) => {
  const { stdout } = await runCli([...command, "--help", "--all"]);
  expect(stdout).not.toMatch(/default: (false|\[\])/);
  expect(stdout.match(/^ {2}# /gm)).toHaveLength(3);
  expect(stdout.match(/^[A-Z][^\n]*:$/gm)?.length ?? 0).toBeGreaterThan(1);
});

test("the help marks required flags and lists environment variables", async () => {
  expect((await runCli(["migrate", "auth0", "--help", "--all"])).stdout).toMatch(
    /--org <id> +id of the target organization \(required\)/,
  );
  const { stdout } = await runCli(["copy", "--help", "--all"]);
  expect(stdout).toMatch(/^Environment:\n {2}ZITADEL_EXPORT_DOMAIN/m);
  expect((await runCli(["--help"])).stdout).toContain("Exit codes: 0 done");
});

test("the package has the manual and the schema of the report, and says where", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest.man[0]).toBe("dist/orgferry.1");
  expect(manifest.exports["./report.schema.json"]).toBe("./dist/report.schema.json");
});
