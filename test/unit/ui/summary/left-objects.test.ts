import { expect, test } from "vitest";
import type { AnyReport } from "../../../../src/ui/report.ts";
import { leftObjectsOf } from "../../../../src/ui/summary/left-objects.ts";

test("what is open or closed comes first in a list that may be cut, then what gives rights", () => {
  const grants = Array.from({ length: 12 }, (_, at) => ({
    ...{ type: "userGrants", id: `p_u${at}`, orgId: "o1", userId: `u${at}`, roleKeys: ["admin"], fields: ["roleKeys"] },
  }));
  const org = { type: "org", id: "o1", orgId: "o1", fields: ["orgState"], inputState: "inactive" };
  const names = [{ type: "projects", id: "p1", orgId: "o1", fields: ["name"] }];
  const otherDifferences = [...names, ...grants, org];
  const report = { otherDifferences, otherDifferencesCount: otherDifferences.length } as unknown as AnyReport;
  const [found] = leftObjectsOf(report);
  const { objects = [] } = found ?? {};
  expect(objects[0]).toContain("inactive in the input, active on the target");
  expect(objects[1]).toContain("role grant");
  expect(objects.at(-1)).toContain("project p1");
});
