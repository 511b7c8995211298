import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

test.each([
  [["--updates", "x"], "--updates"],
  [["--fuzz", ""], "--fuzz"],
  [["--imports", "0"], "--imports"],
  [["--seed", "abc"], "--seed"],
  [["--minutes", "abc"], "--minutes"],
  [["--minutes", "0"], "--minutes"],
  [["--jobs", "1.5"], "--jobs"],
  [["--nonsense"], "--nonsense"],
  [["5"], "5"],
  [["--real", "1"], "--target"],
])("%j is refused, and no campaign reports that it found nothing", (argv, word) => {
  expect(readSettings(argv)).toEqual({ wrong: expect.stringContaining(word) });
});

test("without counts the time ends it, with counts the counts do, with both the first of them", () => {
  expect(readSettings([])).toMatchObject({ minutes: 2, jobs: 1, counts: { imports: Number.POSITIVE_INFINITY } });
  expect(readSettings([])).not.toHaveProperty("counts.real");
  const bounded = { minutes: Number.POSITIVE_INFINITY, counts: { kills: 5 }, seed: 7 };
  expect(readSettings(["--kills", "5", "--seed", "7"])).toMatchObject(bounded);
  expect(readSettings(["--kills", "5", "--seed", "7", "--minutes", "0.5"])).toMatchObject({ ...bounded, minutes: 0.5 });
});

test("what a process was given last counts, as for the shares of a campaign", () => {
  const argv = ["--seed", "1", "--jobs", "4", "--seed", "2", "--share", "3/4"];
  expect(readSettings(argv)).toMatchObject({ seed: 2, share: { index: 3, of: 4 } });
});
