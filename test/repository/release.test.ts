import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { version } from "../../src/version.ts";

const changelog = readFileSync("CHANGELOG.md", "utf8");
const workflows = readdirSync(".github/workflows").map((name) => readFileSync(join(".github/workflows", name), "utf8"));

test("the newest release of the changelog is the version of the package, below what is unreleased", () => {
  const headings = [...changelog.matchAll(/^## (.+)$/gm)].map(([, title]) => title as string);
  expect(headings[0]).toBe("[Unreleased]");
  expect(headings[1]).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  expect(headings[1]).toContain(`[${version}]`);
  const { version: packed } = JSON.parse(readFileSync("package.json", "utf8"));
  const { version: locked } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  expect([packed, locked]).toEqual([version, version]);
});

test("the changelog keeps to its form: known sections, one line an entry, a link for each version", () => {
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  const sections = [...changelog.matchAll(/^### (.+)$/gm)].map(([, title]) => title as string);
  expect(sections.filter((title) => !known.includes(title))).toEqual([]);
  const entries = changelog.split("\n").filter((line) => /^\s*[-*]/.test(line));
  expect(entries.length).toBeGreaterThan(3);
  expect(entries.filter((line) => !line.startsWith("- "))).toEqual([]);
  for (const [, name] of changelog.matchAll(/^## \[(.+?)\]/gm)) expect(changelog).toContain(`\n[${name}]: https://`);
});

test("every line of the changelog is in its place: nothing behind the links, between the entries, or left of a merge", () => {
  const [text = "", behind = ""] = changelog.split(/^(?=\[Unreleased\]: )/m);
  const odd = text.split("\n").filter((line, at) => at > 4 && line !== "" && !/^(#{2,3} |- )/.test(line));
  expect(odd).toEqual([]);
  expect(
    behind
      .trimEnd()
      .split("\n")
      .filter((line) => !/^\[[\w.]+\]: https:/.test(line)),
  ).toEqual([]);
  expect(text).not.toMatch(/^- .*\n\n- /m);
});

test("every action of a workflow is pinned to a commit, with its version beside it", () => {
  const used = workflows.flatMap((text) => [...text.matchAll(/uses: (.+)/g)].map(([, action]) => action as string));
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([]);
});

test("a workflow may only what it says, and the tests run on the oldest Node that is promised", () => {
  for (const text of workflows) expect(text).toMatch(/^permissions:/m);
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const [, oldest] = /(\d+)\./.exec(engines.node) as unknown as [string, string];
  expect(workflows.some((text) => text.includes(`node: [${oldest}, `) && text.includes("run: npm test"))).toBe(true);
});
