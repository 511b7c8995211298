import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const pages = [".", ".github", "src", "test", "fixtures"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== "." }).map((name) => join(folder, String(name)).replaceAll("\\", "/")),
  )
  .filter((name) => name.endsWith(".md"));

/** The anchor that a heading gets on the page. */
function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "");
  return words.replaceAll(" ", "-");
}

function hasHeading(page: string, anchor: string): boolean {
  const headings = readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, text]) => anchorOf(text as string) === anchor);
}

test("every link of a page to a file or a heading of the repository leads somewhere", () => {
  expect(pages.length).toBeGreaterThan(5);
  const links = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path, anchor]) => ({
      page,
      target: path === "" ? page : join(dirname(page), path as string).replaceAll("\\", "/"),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(10);
  const broken = links.filter(
    ({ target, anchor }) => !existsSync(target) || (anchor !== undefined && !hasHeading(target, anchor)),
  );
  expect(broken.map(({ page, target, anchor = "" }) => `${page} → ${target}#${anchor}`)).toEqual([]);
});
