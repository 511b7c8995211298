import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every page of the repository, by its path from the root with forward slashes. */
export const pages: readonly string[] = [".", ".github", "src", "test", "fixtures"]
  .flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== "." }).map((name) => join(folder, String(name)).replaceAll("\\", "/")),
  )
  .filter((name) => name.endsWith(".md"));

/** The pages for users, which are in the package. README.md says that the others are in the repository. */
export const packedPages = pages.filter((page) =>
  /^src\/(admin|commands|io|sources|ui)\/|^src\/mock\/README|^fixtures\/deploy\//.test(page),
);

/** What a link of a packed page to a file outside the package begins with. */
const REPOSITORY = /^https:\/\/github\.com\/orgferry\/orgferry\/(?:blob|tree)\/main\//;

/** A fenced block of a page. */
export interface Block {
  /** What stands behind the fence; empty for the output of a command. */
  readonly language: string;
  /** Without the fences; ends with a line break. */
  readonly text: string;
}

/** The fenced blocks of a page, in order. A block that is indented, as in a list, is shifted to the left. */
export function blocksOf(page: string): readonly Block[] {
  const found = readFileSync(page, "utf8").matchAll(/^( *)```(\w*)\n(.*?)^ *```$/gms);
  return [...found].map(([, indent = "", language = "", text = ""]) => ({
    language,
    text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}

/** A link of a page to a file of the repository. */
export interface PageLink {
  readonly page: string;
  /** From the root; the page itself for a link to one of its headings. */
  readonly target: string;
  readonly anchor: string | undefined;
  /** Written as an address of the repository, and not as a path. */
  readonly isAddress: boolean;
}

/** The links of a page to files and headings of the repository. */
export function linksOf(page: string): readonly PageLink[] {
  const found = readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return [...found].flatMap(([, path = "", anchor]): PageLink[] => {
    if (REPOSITORY.test(path)) return [{ page, target: path.replace(REPOSITORY, ""), anchor, isAddress: true }];
    if (/^https?:/.test(path)) return [];
    const target = path === "" ? page : join(page, "..", path).replaceAll("\\", "/");
    return [{ page, target, anchor, isAddress: false }];
  });
}
