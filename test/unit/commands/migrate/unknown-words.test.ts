import { expect, test } from "vitest";
import { UnknownWords } from "../../../../src/commands/migrate/unknown-words.ts";

function wordsOf(texts: readonly (string | undefined)[]): UnknownWords {
  const words = new UnknownWords();
  for (const text of texts) words.add("Status", { field: "state", text, meanings: "active or inactive" });
  return words;
}

test("words are listed by their rows, in any case, and the first one is explained", () => {
  const [line] = wordsOf(["ruhend", "Gesperrt", "gesperrt"]).lines();
  expect(line).toBe(
    "Status has words that orgferry does not know: Gesperrt (2), ruhend (1). Say what each means, the first with --value state:Gesperrt=<active or inactive>",
  );
});

test("ten words are shown, a long one is cut, and one with blanks is quoted for the shell", () => {
  const long = "auf Eis ".repeat(6).trim();
  const [line = ""] = wordsOf([long, long, ..."abcdefghij"]).lines();
  expect(line).toContain(`${long.slice(0, 40)}… (2), a (1)`);
  expect(line).toContain("i (1) and 1 more.");
  expect(line).toContain(`--value 'state:${long}'=<active or inactive>`);
});

test("a text that is no word hides all of the column", () => {
  const words = wordsOf(["gesperrt", undefined, "gesperrt"]);
  expect(words.reported()).toMatchObject([{ column: "Status", rows: 3, words: [] }]);
  const [line] = words.lines();
  expect(line).toMatch(/^Status has texts that are not words, .* --value state:<word>=<active or inactive>$/);
  expect(line).not.toContain("gesperrt");
});

test("a table without unknown words has nothing to report", () => {
  expect(new UnknownWords().reported()).toBeUndefined();
});
