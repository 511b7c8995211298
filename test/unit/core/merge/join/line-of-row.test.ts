import fc from "fast-check";
import { expect, test } from "vitest";
import { LineOfRow } from "../../../../../src/core/merge/join/line-of-row.ts";

test("tells the line of every row, whatever stands between the rows", () => {
  const steps = fc.array(fc.record({ skippedRows: fc.nat(2), lines: fc.nat(3) }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(steps, (rows) => {
      const lines = new LineOfRow();
      const expected: [row: number, line: number][] = [];
      let row = 0;
      let line = 1;
      for (const step of rows) {
        row += 1 + step.skippedRows;
        line += step.lines;
        lines.add(row, line);
        expected.push([row, line]);
      }
      expect(expected.map(([at]) => [at, lines.lineOf(at)])).toEqual(expected);
    }),
  );
});
