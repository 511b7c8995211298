import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventLog } from "../../../../src/mock/state/event-log.ts";

const about = { aggregateType: "user", orgId: "1", editor: "e" };
const id = fc.integer({ min: 0, max: 40 }).map((number) => `auth0|${number}`);

test("events of one aggregate are those that a plain search finds, the latest first, however many there are", () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 3000 }), (ids) => {
      const log = createEventLog();
      ids.forEach((aggregateId, index) => {
        const sequence = log.lastSequence(aggregateId) + 1;
        log.append({
          ...about,
          type: "t",
          aggregateId,
          sequence,
          at: index,
          ...(index % 2 === 0 ? { slot: index } : {}),
        });
      });
      expect(log.length).toBe(ids.length);
      for (const wanted of new Set([...ids, "nobody"])) {
        const places = ids.flatMap((one, index) => (one === wanted ? [index] : []));
        expect([...log.ofAggregate(wanted)].map(({ at }) => at)).toEqual(places.reverse());
        expect(log.lastSequence(wanted)).toBe(places.length);
      }
      ids.forEach((aggregateId, index) => {
        expect(log.eventAt(index)).toMatchObject({ aggregateId, at: index });
        expect(log.eventAt(index).slot).toBe(index % 2 === 0 ? index : undefined);
      });
    }),
  );
});

test("the first event after a time", () => {
  const log = createEventLog();
  for (const at of [1, 5, 5, 9]) log.append({ ...about, type: "t", aggregateId: "a", sequence: 1, at });
  expect([0, 1, 4, 5, 9].map(log.firstAfter)).toEqual([0, 1, 1, 3, 4]);
});
