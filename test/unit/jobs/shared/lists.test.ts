import { expect, test } from "vitest";
import { type ListName, SlowLists } from "../../../../src/jobs/shared/lists.ts";
import { startFrontApi } from "../../../helpers/front-api.ts";

interface Look {
  /** The newest event of metadata, as the second of its date. */
  readonly newest?: number;
  /** How far the list is; undefined: the instance does not say it. */
  readonly position?: number;
}

const dateOf = (second: number): string => `2026-01-02T00:00:${String(second).padStart(2, "0")}.123456Z`;

/** What the looks at the list of metadata say. The newest event is searched before the first position is read, and after each later one. */
async function looksAt(looks: readonly Look[]): Promise<readonly (readonly ListName[])[]> {
  let at = 0;
  const api = await startFrontApi({
    events() {
      const newest = looks[at]?.newest;
      const event = { aggregate: { id: "u1" }, type: { type: "user.metadata.set" } };
      return newest === undefined ? {} : { events: [{ ...event, creationDate: dateOf(newest) }] };
    },
    views() {
      const position = looks[at]?.position;
      const of = (viewName: string, eventTimestamp: string) => ({ viewName, eventTimestamp });
      const others = [of("projections.org_metadata2", dateOf(0)), of("adminapi.styling2", "0001-01-01T00:00:00Z")];
      return {
        result: [...others, ...(position === undefined ? [] : [of("projections.user_metadata5", dateOf(position))])],
      };
    },
  });
  const retry = { sleep: async () => {}, random: () => 0, onPause: () => {} };
  const lists = new SlowLists(["metadata"], { api, retry, signal: new AbortController().signal });
  const found: (readonly ListName[])[] = [];
  for (at = 0; at < looks.length; at += 1) found.push(await lists.look());
  return found;
}

test("a list is slow until it has read the newest event of the first look", async () => {
  const slow = { newest: 10, position: 4 };
  expect(await looksAt([slow, { newest: 10, position: 9 }, { newest: 10, position: 10 }])).toEqual([
    ["metadata"],
    ["metadata"],
    [],
  ]);
});

test("later events are not awaited", async () => {
  expect(
    await looksAt([
      { newest: 10, position: 4 },
      { newest: 30, position: 11 },
    ]),
  ).toEqual([["metadata"], []]);
});

test("a list that ends at an event with an earlier date, of a concurrent call, is complete", async () => {
  expect(
    await looksAt([
      { newest: 10, position: 4 },
      { newest: 9, position: 9 },
    ]),
  ).toEqual([["metadata"], []]);
});

test("without events, and where the instance does not say how far a list is, no list is slow", async () => {
  expect(await looksAt([{ position: 0 }])).toEqual([[]]);
  expect(await looksAt([{ newest: 10 }])).toEqual([[]]);
});
