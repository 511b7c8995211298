import fc from "fast-check";
import { expect, test } from "vitest";
import { PlaceOfRow } from "../../../../../src/core/merge/join/place-of-row.ts";

test("gives the line and file of every row, with any bytes between the rows", () => {
  const steps = fc.array(
    fc.record({ skippedRows: fc.nat(2), lines: fc.nat(3), file: fc.constantFrom(undefined, "a", "b") }),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(steps, (rows) => {
      const lines = new PlaceOfRow();
      const expected: [row: number, line: number, file: string | undefined][] = [];
      let row = 0;
      let line = 1;
      for (const step of rows) {
        row += 1 + step.skippedRows;
        line += step.lines;
        lines.add(row, line, step.file);
        expected.push([row, line, step.file]);
      }
      expect(expected.map(([at]) => [at, lines.lineOf(at), lines.fileOf(at)])).toEqual(expected);
    }),
  );
});
