// Writes the flag reference of README.md from the program's own help; `--check` only says whether it is up to date.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = `${root}README.md`;
const commands = [
  ["fetch", "auth0"],
  ["migrate", "auth0"],
  ["migrate", "keycloak"],
  ["migrate", "csv"],
  ["import"],
  ["export"],
  ["copy"],
  ["verify"],
  ["undo"],
  ["mock"],
  ["doctor"],
  ["completion"],
];
const BEGIN = "<!-- flags: written by `npm run flags` -->";
const END = "<!-- end of flags -->";

const help = commands.map((command) => {
  const text = execFileSync(process.execPath, [`${root}bin/orgferry.cjs`, ...command, "--help"], {
    encoding: "utf8",
    env: { ...process.env, COLUMNS: "110" },
  });
  return `\`\`\`\n${text.trim()}\n\`\`\``;
});
const before = readFileSync(readme, "utf8");
const at = [before.indexOf(BEGIN), before.indexOf(END)];
if (at.includes(-1)) throw new Error("README.md has lost the markers of the flag reference");
const after = `${before.slice(0, at[0])}${BEGIN}\n\n${help.join("\n\n")}\n\n${before.slice(at[1])}`;
if (process.argv.includes("--check")) {
  if (after !== before) throw new Error("the flag reference of README.md is out of date: npm run flags");
} else writeFileSync(readme, after);
