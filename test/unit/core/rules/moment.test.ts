import { expect, test } from "vitest";
import { isLater, parseMoment } from "../../../../src/core/rules/moment.ts";

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

test.each([
  ["2026-11-21T19:36:36.460084Z", "2026-11-21T19:36:36.46Z", true],
  ["2026-11-21T19:36:36.46Z", "2026-11-21T19:36:36.460084Z", false],
  ["2026-11-21T19:36:36.46Z", "2026-11-21T19:36:36.460Z", false],
  ["2026-11-21T19:36:37Z", "2026-11-21T19:36:36.999999Z", true],
  ["2026-11-21T19:36:36Z", "1970-01-01T00:00:00Z", true],
])("%s is later than %s: %s", (moment, other, expected) => {
  expect(isLater(moment, other)).toBe(expected);
});
