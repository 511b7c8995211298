import fc from "fast-check";
import { expect, test } from "vitest";
import { IdTable } from "../../../../src/core/tables/id-table.ts";

const id = fc.oneof(
  fc.string(),
  fc.constantFrom("", "a", "auth0|1", "é", "用户", "x".repeat(5_000)),
  fc.nat(50).map(String),
);

test("remembers the last mark of each id, as a Map does", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.nat(300)), { maxLength: 3_000 }), (entries) => {
      const table = new IdTable();
      const model = new Map<string, number>();
      for (const [key, mark] of entries) {
        table.set(key, mark);
        model.set(key, mark);
        expect(table.get(key)).toBe(mark);
      }
      expect(table.size).toBe(model.size);
      for (const [key, mark] of model) expect(table.get(key)).toBe(mark);
      expect(table.get("never put in")).toBeUndefined();
    }),
    { numRuns: 50 },
  );
});
