import { expect, test } from "vitest";
import { parseDurationMs } from "../../../src/contract/duration.ts";

test.each([
  ["30s", 30_000],
  ["5m0s", 300_000],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["500ms", 500],
  [".5s", 500],
  ["1us", 0.001],
  ["-5s", -5_000],
  ["0", 0],
  ["0s", 0],
])("reads the Go duration %s", (text, ms) => {
  expect(parseDurationMs(text)).toBeCloseTo(ms);
});

test.each(["", "5", "5 m", "m", "5x", "1h30", "s5", "1e3s", "+", "5m ", "9999999999999h"])(
  "refuses %j as Go does",
  (text) => {
    expect(parseDurationMs(text)).toBeUndefined();
  },
);
