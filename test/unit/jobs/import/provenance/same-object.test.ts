import { expect, test } from "vitest";
import type { EventsRequest } from "../../../../../src/contract/events.ts";
import { NO_RESULT } from "../../../../../src/core/transfer/answer/batch-result.ts";
import { SameObjects } from "../../../../../src/jobs/import/provenance/same-object.ts";
import { startFrontApi } from "../../../../helpers/front-api.ts";

const grants = ["g1", "g2"].map((grantId) => ({ grantId, projectGrant: { projectId: "p", grantedOrgId: grantId } }));
const links = ["x1", "x2"].map((providedUserId) => ({ userId: "u", idpId: "i", providedUserId }));
const items = [...grants, ...links].map((element, index) => ({
  index,
  org: 0,
  key: index < 2 ? "projectGrants" : "userLinks",
  way: "import" as const,
  bytes: Buffer.from(JSON.stringify(element)),
  line: 1,
}));
const existing = items.map(({ index: item, key }) => ({
  type: key === "userLinks" ? "user_link" : "project_grant",
  id: `${item}`,
  message: "there",
  item,
}));

function eventsOf(type: string): unknown[] {
  const base = { sequence: "1", creationDate: "2026-01-01T00:00:00Z", editor: { userId: "" }, type: { type } };
  return type === "project.grant.added"
    ? [{ ...base, aggregate: { id: "p", resourceOwner: "o" }, payload: { grantId: "g1" } }]
    : [{ ...base, aggregate: { id: "u", resourceOwner: "o" }, payload: { idpConfigId: "i", userId: "x2" } }];
}

async function judge(events: (request: EventsRequest) => { events: unknown[] }) {
  const retry = { sleep: async () => {}, random: () => 0, onPause() {} };
  const api = await startFrontApi({ events });
  const sameObjects = new SameObjects({ api, retry, signal: new AbortController().signal }, { orgs: [{ orgId: "o" }] });
  return sameObjects.failOthers({ ...NO_RESULT, existing }, items);
}

test("another grant or link in the way is a failure, the same one exists", async () => {
  let calls = 0;
  const result = await judge(({ event_types = [] }) => {
    calls += 1;
    return { events: eventsOf(event_types[0] ?? "") };
  });
  expect(result.existing.map(({ id }) => id)).toEqual(["0", "3"]);
  expect(result.failures.map(({ id, cause }) => `${id} ${cause}`)).toEqual(["1 name-taken", "2 link-taken"]);
  expect(Object.fromEntries(result.others)).toMatchObject({ project_grant: { failed: 1 }, user_link: { failed: 1 } });
  expect(calls).toBe(2);
});

test("a link that a user of another organization has is a failure, also if no user of this one has any", async () => {
  const result = await judge(({ event_types = [], resource_owner: orgId }) => ({
    events: orgId === undefined ? eventsOf(event_types[0] ?? "") : [],
  }));
  expect(result.failures.map(({ id, cause }) => `${id} ${cause}`)).toEqual(["1 name-taken", "2 link-taken"]);
});

test("without events the answer stays as it is", async () => {
  const result = await judge(() => ({ events: [] }));
  expect(result.existing).toHaveLength(4);
});
