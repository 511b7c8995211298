// Writes the help of each command into the page of the command, between two markers; `--check` only compares.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const commands = join(root, "src/commands");
const SECTION = /(<!-- help of "orgferry ([a-z0-9 ]+)", written by npm run flags -->\n).*?(<!-- end of help -->)/gs;

function helpOf(command) {
  const text = execFileSync(
    process.execPath,
    [join(root, "bin/orgferry.cjs"), ...command.split(" "), "--help", "--all"],
    {
      encoding: "utf8",
      env: { ...process.env, COLUMNS: "110" },
    },
  );
  return `\n\`\`\`\n${text.trim()}\n\`\`\`\n\n`;
}

const pages = readdirSync(commands)
  .map((name) => join(commands, name, "README.md"))
  .filter((page) => existsSync(page));
const outdated = pages.filter((page) => {
  const before = readFileSync(page, "utf8");
  const after = before.replace(SECTION, (_, begin, command, end) => `${begin}${helpOf(command)}${end}`);
  if (after === before) return false;
  if (!process.argv.includes("--check")) writeFileSync(page, after);
  return true;
});
if (process.argv.includes("--check") && outdated.length > 0) {
  throw new Error(`out of date: ${outdated.join(", ")}. Run npm run flags`);
}
