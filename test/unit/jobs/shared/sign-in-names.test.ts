import { expect, test } from "vitest";
import type { UserSearchRequest, UserSearchResult } from "../../../../src/contract/users.ts";
import { settledListing } from "../../../../src/jobs/shared/sign-in-names.ts";
import { ProblemError } from "../../../../src/problem.ts";

interface Told {
  readonly listed: number;
  /** Ids and their login names. */
  readonly found?: Readonly<Record<string, string>>;
}

/** A service that gives these answers in order and repeats the last one; each is a count and a page. */
function asked(answers: readonly Told[]) {
  const requests: UserSearchRequest[] = [];
  const pauses: number[] = [];
  let at = 0;
  const asking = {
    api: {
      async searchUsers(request: UserSearchRequest): Promise<UserSearchResult> {
        requests.push(request);
        const { listed, found = {} } = answers[Math.min(at, answers.length - 1)] as Told;
        const [first] = request.queries;
        if (first !== undefined && "inUserIdsQuery" in first) {
          const last = answers[Math.min(at, answers.length) - 1] as Told;
          return { details: { totalResult: Math.min(last.listed, first.inUserIdsQuery.userIds.length) }, result: [] };
        }
        if (request.query.limit === 1) return { details: { totalResult: listed }, result: [] };
        at += 1;
        const all = Object.entries(found).slice(Number(request.query.offset), Number(request.query.offset) + 1_000);
        const result = all.map(([userId, preferredLoginName]) => {
          return { userId, preferredLoginName, details: { resourceOwner: "a" } };
        });
        return { details: { totalResult: result.length }, result };
      },
    },
    retry: {
      random: Math.random,
      onPause() {},
      async sleep(ms: number) {
        pauses.push(ms);
      },
    },
    signal: new AbortController().signal,
  };
  return { asking, requests, pauses };
}

/** This many users must be listed. */
const users = (count: number) =>
  async function* (): AsyncGenerator<string> {
    for (let number = 1; number <= count; number += 1) yield `u${number}`;
  };
const noUsers = users(0);

test("a whole list is requested once", async () => {
  const { asking, requests, pauses } = asked([{ listed: 3 }]);
  expect(await settledListing(asking, ["a"], users(3))).toEqual({ nameless: [], listed: 3, missing: 0 });
  expect(requests).toHaveLength(3);
  expect(pauses).toEqual([]);
});

test("a list that lags behind is requested until it stops changing", async () => {
  const { asking, pauses } = asked([{ listed: 1 }, { listed: 2, found: { u2: "" } }, { listed: 2 }, { listed: 3 }]);
  expect(await settledListing(asking, ["a"], users(3))).toEqual({ nameless: [], listed: 3, missing: 0 });
  expect(pauses).toEqual([1_000, 1_000, 1_000]);
});

test("the end of a long lag is noticed within a tenth of the wait, and a list that stops on the way needs as long again", async () => {
  const growing = Array.from({ length: 40 }, (_, index) => ({ listed: index }));
  const { asking, pauses } = asked([...growing, { listed: 99 }]);
  expect(await settledListing(asking, ["a"], users(100))).toEqual({ nameless: [], listed: 99, missing: 1 });
  const sum = (some: readonly number[]): number => some.reduce((all, one) => all + one, 0);
  const lag = pauses.slice(0, 40);
  expect(Math.max(...lag)).toBeLessThanOrEqual(sum(lag) / 10);
  expect(sum(pauses.slice(40))).toBeGreaterThanOrEqual(sum(pauses) / 2);
});

test("a user who must be listed is missing, however many others are", async () => {
  const { asking } = asked([{ listed: 2 }]);
  expect(await settledListing(asking, ["a"], users(3))).toEqual({ nameless: [], listed: 2, missing: 1 });
});

test("users without a name in a list that stopped changing have no name", async () => {
  const { asking, pauses } = asked([{ listed: 2 }, { listed: 3, found: { u1: "", u2: "жук" } }]);
  const listing = await settledListing(asking, ["a"], users(3));
  expect(listing).toEqual({ nameless: [{ userId: "u1", orgId: "a" }], listed: 3, missing: 0 });
  expect(pauses).toEqual([1_000, 1_000, 2_000]);
});

test("names in other scripts, on many pages, are not missing names", async () => {
  const names = Object.fromEntries(Array.from({ length: 2_500 }, (_, index) => [`u${index}`, "жук"]));
  const { asking, requests } = asked([{ listed: 2_501, found: { ...names, last: "" } }]);
  expect((await settledListing(asking, ["a"], noUsers))?.nameless).toEqual([{ userId: "last", orgId: "a" }]);
  expect(requests.slice(0, 4).map(({ query }) => query.offset)).toEqual(["0", "0", "1000", "2000"]);
});

test("a call is about at most twenty organizations, and the numbers are added", async () => {
  const { asking, requests } = asked([{ listed: 5 }]);
  const orgIds = Array.from({ length: 41 }, (_, index) => `org${index}`);
  expect((await settledListing(asking, orgIds, noUsers))?.listed).toBe(15);
  const about = requests.filter(({ query }) => query.limit === 1).map(({ queries: [first] }) => first);
  expect(about.map((one) => (one !== undefined && "orQuery" in one ? one.orQuery.queries.length : 0))).toEqual([
    20, 20, 1,
  ]);
});

const failing = (code: "auth.forbidden" | "net.unreachable" | "net.timeout") => {
  const { asking } = asked([]);
  const calls: unknown[] = [];
  const api = {
    async searchUsers(request: unknown): Promise<never> {
      calls.push(request);
      throw new ProblemError({ code, host: "h", message: "m", role: "r", limitMs: 1 } as never); // more than any of them needs
    },
  };
  return { asking: { ...asking, api }, calls };
};

test("an instance without the list is asked once; a lost connection is raised", async () => {
  expect(await settledListing(failing("auth.forbidden").asking, ["a"], noUsers)).toBeUndefined();
  await expect(settledListing(failing("net.unreachable").asking, ["a"], noUsers)).rejects.toThrow(ProblemError);
});

test("a list that takes too long is not requested again", async () => {
  const { asking, calls } = failing("net.timeout");
  await expect(settledListing(asking, ["a"], noUsers)).rejects.toThrow(ProblemError);
  expect(calls).toHaveLength(1);
});
