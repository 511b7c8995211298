import { expect, test } from "vitest";
import { wrap } from "../../../../src/ui/terminal/wrap.ts";

const at = (columns: number, text: string): string => wrap(text, columns, (part) => part.replaceAll("*", ""));

test("lines are broken between words, under the text of the first line", () => {
  expect(at(30, "content:  1 organization, 5,901 users (4,719 with a hash)")).toBe(
    "content:  1 organization,\n          5,901 users (4,719\n          with a hash)",
  );
  expect(at(24, "password rows  read 6 = used 6 + left 0")).toBe(
    "password rows  read 6 =\n               used 6 +\n               left 0",
  );
  expect(at(20, "844 people will get a card")).toBe("844 people will get\n  a card");
});

test("what fits, what is seen to fit, words that are too long, and further lines stay as they are", () => {
  expect(at(10, "ten or so.")).toBe("ten or so.");
  expect(at(10, "***ten*** or so.")).toBe("***ten*** or so.");
  expect(at(10, "a/very/long/path here")).toBe("a/very/long/path\n  here");
  expect(at(10, "one\ntwo three four")).toBe("one\ntwo three\n  four");
});

test.each([
  "Check it: orgferry verify a.json --target x",
  "export A=1 PAT=abcdefgh",
  "  orgferry import a.json --resume",
])("a command line is never broken: %s", (line) => {
  expect(at(20, line)).toBe(line);
});
