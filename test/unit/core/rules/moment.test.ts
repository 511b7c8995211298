import { expect, test } from "vitest";
import { parseMoment } from "../../../../src/core/rules/moment.ts";

test.each([
  ["2020-01-02T03:04:05.678Z", Date.UTC(2020, 0, 2, 3, 4, 5, 678)],
  ["2020-01-02T03:04:05+02:00", Date.UTC(2020, 0, 2, 1, 4, 5)],
  ["2020-01-02T03:04:05-0230", Date.UTC(2020, 0, 2, 5, 34, 5)],
  ["2020-01-02T03:04:05+02", Date.UTC(2020, 0, 2, 1, 4, 5)],
  ["2020-01-02T03:04", Date.UTC(2020, 0, 2, 3, 4)],
  ["2020-01-02", Date.UTC(2020, 0, 2)],
])("reads %s, without a zone as UTC", (text, ms) => {
  expect(parseMoment(text)).toBe(ms);
});

test.each(["", "yesterday", "2020", "2020-13-01", "2020-01-02T25:00:00Z", "01/02/2020", "2020-01-02 03:04:05"])(
  "refuses %j",
  (text) => {
    expect(parseMoment(text)).toBeUndefined();
  },
);
