import { expect, test } from "vitest";
import { Timeline } from "../../../../src/commands/shared/timeline.ts";

test("a single point is no timeline", () => {
  const timeline = new Timeline();
  expect(timeline.points()).toEqual([]);
  timeline.add(5, 1);
  expect(timeline.points()).toEqual([]);
});

test("few points are kept as they are", () => {
  const timeline = new Timeline();
  for (const at of [1, 2, 3]) timeline.add(at, at * 10);
  expect(timeline.points()).toEqual([
    [1, 10],
    [2, 20],
    [3, 30],
  ]);
});

test("of endlessly many points a few hundred are kept, evenly, the first and the latest among them", () => {
  const timeline = new Timeline();
  for (let at = 1; at <= 1_000_003; at += 1) timeline.add(at, at);
  const points = timeline.points();
  expect(points.length).toBeGreaterThan(100);
  expect(points.length).toBeLessThanOrEqual(241);
  expect(points[0]).toEqual([1, 1]);
  expect(points.at(-1)).toEqual([1_000_003, 1_000_003]);
  const gaps = points.slice(1).map(([ms], at) => ms - (points[at]?.[0] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(25_000);
});
