import { expect, test } from "vitest";
import type { AnyReport } from "../../../../src/ui/report.ts";
import { leftObjectsOf, objectLines } from "../../../../src/ui/summary/left-objects.ts";

const grantsOf = (users: readonly number[], more: object = {}) =>
  users.map((at) => ({
    ...{ type: "userGrants", id: `p_u${at}`, orgId: "o1", userId: `u${at}`, roleKeys: ["admin"], fields: ["roleKeys"] },
    ...more,
  }));
const leftOf = (otherDifferences: readonly object[]) => {
  const report = { otherDifferences, otherDifferencesCount: otherDifferences.length } as unknown as AnyReport;
  const [found = { objects: [], all: 0 }] = leftObjectsOf(report);
  return found;
};

test("who can sign in or has more rights on the target comes first, then settings of sign-ins, then other rights", () => {
  const org = { type: "org", id: "o1", orgId: "o1", fields: ["orgState"], inputState: "inactive" };
  const policy = { type: "loginPolicy", id: "", orgId: "o1", fields: ["forceMfa"] };
  const project = { type: "projects", id: "p1", orgId: "o1", fields: ["name"] };
  const more = grantsOf([99], { moreRoles: true });
  const { objects } = leftOf([project, ...grantsOf([1, 2, 3]), policy, ...more, org]);
  expect(objects.map(({ name }) => name.replace(/ of organization o1/, ""))).toEqual([
    "org o1: inactive in the input, active on the target",
    "role grant in project p of user u99: roles (in the input: role admin; the target has roles that the input lacks)",
    "login policy: forceMfa",
    ...[1, 2, 3].map((at) => `role grant in project p of user u${at}: roles (in the input: role admin)`),
    "project p1: name",
  ]);
});

test("the order does not depend on the order in which objects are found", () => {
  const found = grantsOf([3, 1, 2]);
  expect(leftOf(found).objects).toEqual(leftOf(found.toReversed()).objects);
});

test("of objects that are not shown, the number of each kind is", () => {
  const names = ["p1", "p2"].map((id) => ({ type: "projects", id, orgId: "o1", fields: ["name"] }));
  const grants = grantsOf([10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22]);
  expect(objectLines(leftOf([...names, ...grants])).at(-1)).toBe(
    "          … and 5 more (3 × role grant, 2 × project); --report lists them",
  );
  expect(objectLines(leftOf(grants)).at(-1)).toBe("          … and 3 more; --report lists them");
});
