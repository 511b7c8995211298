import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

const files = readdirSync("test/unit", { recursive: true })
  .map((name) => String(name).replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".test.ts"));

/** What a unit test is about, without the ending. `source.reading-paths.test.ts` is a second test file of `source.ts`. */
function subjectOf(file: string): string {
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  return folder + file.slice(folder.length).replace(/\..*$/, "");
}

/** The place of a misplaced test: that of the one file of `src` with its name. */
function placeOf(file: string): string {
  const name = subjectOf(file).replace(/^.*\//, "");
  const found = readdirSync("src", { recursive: true })
    .map((path) => String(path).replaceAll("\\", "/").replace(/\.ts$/, ""))
    .filter((path) => path === name || path.endsWith(`/${name}`));
  const places = found.map((path) => `test/unit/${path}${file.slice(subjectOf(file).length)}`);
  return places.length === 0 ? `name it after the file or folder of src that it tests` : places.join(" or ");
}

test("every unit test stands where the file or folder of src stands that it tests", () => {
  expect(files.length).toBeGreaterThan(50);
  const misplaced = files
    .filter((file) => !existsSync(`src/${subjectOf(file)}.ts`) && !existsSync(`src/${subjectOf(file)}`))
    .map((file) => `test/unit/${file}: ${placeOf(file)}`);
  expect(misplaced).toEqual([]);
});
