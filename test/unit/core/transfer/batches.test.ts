import fc from "fast-check";
import { expect, test } from "vitest";
import { createBodyScanner } from "../../../../src/core/document/body-scan.ts";
import { readItems } from "../../../../src/core/document/items.ts";
import { planParts } from "../../../../src/core/document/parts.ts";
import { RangeSet } from "../../../../src/core/tables/range-set.ts";
import { toBody } from "../../../../src/core/transfer/batch-body.ts";
import { type Batch, halve, mayOverlap, mayShareCall, toBatches } from "../../../../src/core/transfer/batches.ts";
import { createBufferPool } from "../../../../src/core/transfer/buffer-pool.ts";
import { testUsers } from "../../../helpers/bodies.ts";

const grants = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ userId: `u${index}`, projectId: "p", roleKeys: ["r"] }));

/** All batches of a document, read in chunks of `size` bytes that are overwritten, as the real input does. */
async function batchesOf(document: unknown, users: number, bytes: number, { size = 64, onlyUsers = false } = {}) {
  const whole = Buffer.from(JSON.stringify(document, null, 1));
  const scanner = createBodyScanner({ file: "f", onFault() {} });
  scanner.push(whole);
  const scan = scanner.end();
  async function* read({ start, end }: { start: number; end: number }) {
    const chunk = Buffer.alloc(size);
    for (let at = start; at < end; at += size)
      yield chunk.subarray(0, whole.copy(chunk, 0, at, Math.min(at + size, end)));
  }
  const batches: Batch[] = [];
  const items = readItems(planParts(scan), scan, read, () => true);
  const settings = {
    limits: () => ({ users, bytes }),
    mayShare: mayShareCall(scan, () => false, onlyUsers),
    pool: createBufferPool(),
  };
  for await (const batch of toBatches(items, settings)) batches.push(batch);
  const bodies = batches.map((batch) => JSON.parse(toBody(batch, scan, "1m").toString()));
  return { batches, bodies, scan };
}

test("every element is sent once, in the order of the service, with any sizes", async () => {
  const sizes = fc.record({
    users: fc.integer({ min: 1, max: 9 }),
    bytes: fc.integer({ min: 1, max: 3_000 }),
    chunk: fc.integer({ min: 1, max: 200 }),
  });
  const orgs = fc.array(fc.record({ humans: fc.nat(6), grants: fc.nat(4) }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, orgs, async ({ users, bytes, chunk }, shapes) => {
      const document = {
        orgs: shapes.map((shape, index) => ({
          userGrants: grants(shape.grants),
          orgId: `o${index}`,
          humanUsers: testUsers(shape.humans, index * 10),
          org: { name: `Org ${index}` },
        })),
      };
      const { bodies } = await batchesOf(document, users, bytes, { size: chunk });
      const sent = bodies.flatMap((body) => body.dataOrgs.orgs);
      expect(sent.flatMap(({ humanUsers = [] }) => humanUsers)).toEqual(
        document.orgs.flatMap(({ humanUsers }) => humanUsers),
      );
      // Within one call organizations stand in the order in which they came up; the service goes by steps itself.
      const grantsOf = (list: readonly { orgId: string; userGrants?: unknown[] }[]): string[] =>
        list.flatMap(({ orgId, userGrants = [] }) => userGrants.map((grant) => orgId + JSON.stringify(grant))).sort();
      expect(grantsOf(sent)).toEqual(grantsOf(document.orgs));
      expect(sent.filter(({ org }) => org !== undefined).map(({ org }) => org)).toEqual(
        document.orgs.map(({ org }) => org),
      );
      const firstGrant = bodies.findIndex((body) => JSON.stringify(body).includes("userGrants"));
      const lastUser = bodies.findLastIndex((body) => JSON.stringify(body).includes("humanUsers"));
      if (firstGrant >= 0) expect(firstGrant).toBeGreaterThanOrEqual(lastUser);
    }),
    { numRuns: 60 },
  );
});

test("what fits into one call is one call, but for what belongs to users", async () => {
  const org = { orgId: "o", org: { name: "O" }, humanUsers: testUsers(3), triggerActions: [{ flowType: "1" }] };
  const { bodies } = await batchesOf({ orgs: [org] }, 5_000, 1e6);
  expect(bodies).toEqual([{ dataOrgs: { orgs: [org] }, timeout: "1m" }]);
  const userGrants = grants(2);
  const { bodies: two } = await batchesOf({ orgs: [{ orgId: "o", humanUsers: testUsers(3), userGrants }] }, 5_000, 1e6);
  expect(two.map(({ dataOrgs }) => Object.keys(dataOrgs.orgs[0]))).toEqual([
    ["orgId", "humanUsers"],
    ["orgId", "userGrants"],
  ]);
});

test("grants of users never share a call with grants of projects where several organizations are sent", async () => {
  const grant = { grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "a" } };
  const orgs = (ofA: object, ofB: object) => [
    { orgId: "a", ...ofA, userGrants: grants(1) },
    { orgId: "b", projectGrants: [grant], ...ofB },
  ];
  const keysOf = async (document: object) =>
    (await batchesOf(document, 5_000, 1e6)).batches.map(({ items }) => items.map(({ key }) => key).join(" "));
  const heads = "(head) (head)";
  expect(await keysOf({ orgs: orgs({}, {}) })).toEqual([heads, "projectGrants", "userGrants"]);
  // Triggers are between them in the order of sending.
  const projects = [{ projectId: "own", project: { name: "Own" } }];
  const triggerActions = [{ flowType: "1", triggerType: "1" }];
  const all = ["projects", "projectGrants", "triggerActions"].join(" ");
  expect(await keysOf({ orgs: orgs({ projects }, { triggerActions }) })).toEqual([heads, all, "userGrants"]);
  const reversed = orgs({ projects, triggerActions }, {}).reverse();
  expect(await keysOf({ orgs: reversed })).toEqual([heads, all, "userGrants"]);
  const without = [{ orgId: "a", projects, triggerActions, userGrants: grants(1) }, { orgId: "b" }];
  expect(await keysOf({ orgs: without })).toEqual([heads, "projects triggerActions userGrants"]);
});

test("halving by count or bytes keeps every item, and one element cannot be halved", async () => {
  const { batches } = await batchesOf({ orgs: [{ orgId: "o", humanUsers: testUsers(5) }] }, 100, 1e6);
  const [whole] = batches as [Batch];
  for (const by of ["count", "bytes"] as const) {
    const halves = halve(whole, by) ?? [];
    expect(halves.flatMap(({ items }) => items)).toEqual(whole.items);
    expect(halves.map(({ items }) => items.length)).toEqual([4, 2]);
  }
  const { batches: single } = await batchesOf({ orgs: [{ orgId: "o", humanUsers: testUsers(1) }] }, 100, 1e6);
  expect(halve(single[0] as Batch, "count")).toBeUndefined();
});

test("users may overtake each other, but not the head of their organization nor what they refer to", async () => {
  const document = {
    orgs: [
      { orgId: "a", humanUsers: testUsers(3), userGrants: grants(2) },
      { orgId: "b", humanUsers: testUsers(2, 9) },
    ],
  };
  const { batches, scan } = await batchesOf(document, 1, 1e6);
  const [headA, userA, lastOfA, headB, userB, grant, grant2] = batches as [
    Batch,
    Batch,
    Batch,
    Batch,
    Batch,
    Batch,
    Batch,
  ];
  expect(mayOverlap(headA, userA, scan)).toBe(false);
  expect(mayOverlap(userA, lastOfA, scan)).toBe(true);
  expect(mayOverlap(userA, headB, scan)).toBe(true);
  expect(mayOverlap(userB, grant, scan)).toBe(false);
  expect(mayOverlap(grant, grant2, scan)).toBe(true);
});

test("members of an organization do not overlap: they are events of one aggregate", async () => {
  const orgMembers = [1, 2].map((at) => ({ userId: `u${at}`, roles: ["ORG_OWNER"] }));
  const { batches, scan } = await batchesOf({ orgs: [{ orgId: "a", humanUsers: testUsers(2), orgMembers }] }, 1, 1e6);
  const [first, second] = batches.filter(({ items }) => items[0]?.key === "orgMembers") as [Batch, Batch];
  expect(mayOverlap(first, second, scan)).toBe(false);
});

test("where a service loses entries of its lists, only users overlap, and nothing else is in their calls", async () => {
  const document = {
    orgs: [
      { orgId: "a", humanUsers: testUsers(3), userGrants: grants(2) },
      { orgId: "b", org: { name: "B" }, humanUsers: testUsers(2, 9) },
    ],
  };
  const { batches, scan } = await batchesOf(document, 2, 1e6, { onlyUsers: true });
  const keys = batches.map(({ items }) => items.map(({ key }) => key).join(" "));
  expect(keys).toEqual([
    "(head) humanUsers humanUsers",
    "humanUsers",
    "(head) humanUsers humanUsers",
    "userGrants userGrants",
  ]);
  const [headA, lastOfA, headB] = batches as [Batch, Batch, Batch];
  expect(mayOverlap(headA, lastOfA, scan, true)).toBe(false);
  expect(mayOverlap(lastOfA, headB, scan, true)).toBe(false);
  expect(mayOverlap(lastOfA, lastOfA, scan, true)).toBe(true);
  const { batches: single } = await batchesOf(document, 1, 1e6, { onlyUsers: true });
  const ofGrants = single.filter(({ items }) => items[0]?.key === "userGrants") as [Batch, Batch];
  expect(mayOverlap(...ofGrants, scan, true)).toBe(false);
  expect(mayOverlap(...ofGrants, scan)).toBe(true);
});

test("where a service loses entries of its lists, machine users do not overlap: nothing looks for them afterwards", async () => {
  const machineUsers = [1, 2, 3].map((at) => ({ userId: `m${at}`, user: { userName: `m${at}`, name: "M" } }));
  const document = { dataOrgs: { orgs: [{ orgId: "a", machineUsers }] } };
  const { batches, scan } = await batchesOf(document, 1, 1e6, { onlyUsers: true });
  const machines = batches.slice(-2) as [Batch, Batch];
  expect(machines.flatMap(({ items }) => items.map(({ key }) => key))).toEqual(["machineUsers", "machineUsers"]);
  expect(mayOverlap(...machines, scan, true)).toBe(false);
  expect(mayOverlap(...machines, scan)).toBe(true);
});

test("batches of many small organizations begin with one, so that all may be under way at the same time", async () => {
  const orgs = Array.from({ length: 12 }, (_, at) => ({ orgId: `o${at}`, humanUsers: testUsers(3, 10 * at) }));
  const { batches, scan } = await batchesOf({ orgs }, 10, 1e6);
  expect(batches.map(({ items }) => items.length)).toEqual([8, 8, 8, 8, 8, 8]);
  for (const [at, batch] of batches.entries()) {
    for (const later of batches.slice(at + 1)) expect(mayOverlap(batch, later, scan)).toBe(true);
  }
});

test("a range set holds what was added", () => {
  const range = fc.tuple(fc.nat(50), fc.nat(10));
  fc.assert(
    fc.property(fc.array(range), (ranges) => {
      const set = new RangeSet();
      const expected = new Set<number>();
      for (const [from, length] of ranges) {
        set.add(from, from + length);
        for (let value = from; value <= from + length; value += 1) expected.add(value);
      }
      for (let value = 0; value < 70; value += 1) expect(set.has(value)).toBe(expected.has(value));
    }),
  );
});

test("users wait for the head of their organization also where it stands in another entry, if it may make it", async () => {
  const entries = (head: object) => [
    { orgId: "a", ...head, humanUsers: testUsers(1) },
    { orgId: "a", humanUsers: testUsers(1, 9) },
    { orgId: "b", humanUsers: testUsers(1, 19) },
  ];
  for (const [head, overlaps] of [[{ org: { name: "A" } }, false] as const, [{}, true] as const]) {
    const { batches, scan } = await batchesOf({ orgs: entries(head) }, 1, 1e6);
    const [first, second, other] = batches as [Batch, Batch, Batch];
    expect(mayOverlap(first, second, scan)).toBe(overlaps);
    expect(mayOverlap(first, other, scan)).toBe(true);
    expect(mayOverlap(second, other, scan)).toBe(true);
  }
});
