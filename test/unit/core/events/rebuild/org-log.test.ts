import { expect, test } from "vitest";
import { OrgLog } from "../../../../../src/core/events/rebuild/org-log.ts";

function logOf(...events: readonly (readonly [type: string, project: string, key: string])[]): OrgLog {
  const log = new OrgLog();
  for (const [type, id, key] of events)
    log.take({
      aggregate: { id, resourceOwner: "a" },
      sequence: "1",
      creationDate: "",
      type: { type },
      payload: { key },
    });
  return log;
}

test("a grant has no role that was removed from its project, unless the role was added again", () => {
  const log = logOf(
    ["project.role.added", "p", "reader"],
    ["project.role.added", "p", "writer"],
    ["project.role.removed", "p", "reader"],
    ["project.role.removed", "q", "writer"],
    ["project.role.removed", "p", "admin"],
    ["project.role.added", "p", "admin"],
  );
  expect(log.rolesOf("p", ["reader", "writer", "admin"])).toEqual(["writer", "admin"]);
  expect(log.rolesOf("q", ["writer"])).toEqual([]);
  expect(log.rolesOf("other", ["reader"])).toEqual(["reader"]);
});
