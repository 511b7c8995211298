import { expect, test } from "vitest";
import { ProblemError } from "../../../../../src/problem.ts";
import { mergeInMemory } from "../../../../helpers/merge-in-memory.ts";

const users = Array.from({ length: 400 }, (_, n) => `{"user_id":"auth0|${n}","email":"u${n}@example.com"}\n`);

test("every entry is written once and in order while the next rows are read", async () => {
  const { entries } = await mergeInMemory(users.join(""), undefined, { chunkBytes: 500 });
  expect(entries.map((entry) => JSON.parse(entry).userId)).toEqual(users.map((row) => JSON.parse(row).user_id));
});

test.each([1, 2, 20])(
  "a write that fails, the %i., ends the run with its problem and is the last one",
  async (failing) => {
    let writes = 0;
    const outcome = await mergeInMemory(users.join(""), undefined, {
      chunkBytes: 500,
      beforeWrite: () => {
        writes += 1;
        if (writes === failing) throw new ProblemError({ code: "output.full", file: "body.json" });
      },
    });
    expect(outcome.problem).toEqual({ code: "output.full", file: "body.json" });
    expect(writes).toBe(failing);
  },
);

test("a failure of the last write is not lost", async () => {
  const { problem } = await mergeInMemory(users.slice(0, 2).join(""), undefined, {
    beforeWrite: () => {
      throw new ProblemError({ code: "output.full", file: "body.json" });
    },
  });
  expect(problem?.code).toBe("output.full");
});
