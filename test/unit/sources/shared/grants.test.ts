import { describe, expect, test } from "vitest";
import type { Remark } from "../../../../src/problem.ts";
import {
  Granter,
  grantOption,
  plainRole,
  projectsOption,
  type RoleNames,
} from "../../../../src/sources/shared/grants.ts";

const noFile = (): string => "";

function read(rules: readonly string[], roles: readonly (string | RoleNames)[]) {
  const remarks: Remark[] = [];
  const granter = new Granter({ grant: grantOption.read(rules, noFile), projects: undefined });
  return {
    ...granter.read(
      roles.map((role) => (typeof role === "string" ? plainRole(role) : role)),
      remarks,
    ),
    remarks,
  };
}

describe("--grant", () => {
  test.each<[string, string, object]>([
    ["a role", "editor=31:edit", { name: "editor", projectId: "31", roleKey: "edit" }],
    ["a name with = and :", "cn=a,dc=b:c=31:edit", { name: "cn=a,dc=b:c", projectId: "31", roleKey: "edit" }],
    ["a role key with a colon", "a=31:app:edit", { name: "a", projectId: "31", roleKey: "app:edit" }],
  ])("%s", (_, text, rule) => {
    expect(grantOption.read([text], noFile)).toEqual([rule]);
  });

  test("a file of rules or of three columns", () => {
    const file = 'role,project,key\r\n"cn=a,dc=b",31,edit\n# more\n\nviewer=32:view\n';
    expect(grantOption.read(["@grants.csv"], () => file)).toEqual([
      { name: "cn=a,dc=b", projectId: "31", roleKey: "edit" },
      { name: "viewer", projectId: "32", roleKey: "view" },
    ]);
    expect(() => grantOption.read(["@grants.csv"], () => "a=1:b\nnonsense")).toThrow("grants.csv:2: it must be");
  });

  test.each([["editor"], ["editor=31"], ["=31:edit"], ["editor=31:"], ["editor=:edit"]])("%s is refused", (text) => {
    expect(() => grantOption.read([text], noFile)).toThrow("it must be");
  });
});

describe("a user gets", () => {
  test("one grant for each project, with all roles", () => {
    const { grants, left, remarks } = read(["a=1:x", "b=1:w", "c=2:y"], ["a", "b", "c", "a"]);
    expect(grants).toEqual([
      { projectId: "1", roleKeys: ["w", "x"] },
      { projectId: "2", roleKeys: ["y"] },
    ]);
    expect([left, remarks]).toEqual([[], ["granted"]]);
  });

  test("the roles of patterns", () => {
    const { grants } = read(["/staff/*=1:*", "*=1:all"], ["/staff/sales"]);
    expect(grants).toEqual([{ projectId: "1", roleKeys: ["all", "sales"] }]);
    expect(read(["a.b=1:x"], ["aXb"]).grants).toBeUndefined();
  });

  test("what a role includes and a group gives; what has no rule of its own is left", () => {
    const roles = [
      { name: "approver", around: [], parts: ["editor"] },
      { name: "/staff/sales", around: ["/staff"], parts: [] },
      { name: "chief", around: [], parts: ["editor", "shop:buyer"] },
      { name: "/gone", around: [], parts: ["editor"] },
    ];
    expect(read(["editor=1:x", "/staff=1:y", "chief=1:z"], roles)).toEqual({
      grants: [{ projectId: "1", roleKeys: ["x", "y", "z"] }],
      left: ["approver", "shop:buyer", "/gone"],
      remarks: ["roles-lost", "granted"],
    });
  });
});

describe("--projects", () => {
  test("creates all projects of the rules, or named ones, with the roles that were given", () => {
    const grant = grantOption.read(["a=1:x", "b-*=1:*", "c=2:y"], noFile);
    const all = new Granter({ grant, projects: projectsOption.read(["create"], noFile) });
    all.read([plainRole("b-q")], []);
    expect(all.projects.map(({ id, name, roleKeys }) => [id, name, [...roleKeys]])).toEqual([
      ["1", "1", ["x", "q"]],
      ["2", "2", ["y"]],
    ]);
    const one = new Granter({ grant, projects: projectsOption.read(["2=The Shop"], noFile) });
    expect(one.projects.map(({ id, name }) => [id, name])).toEqual([["2", "The Shop"]]);
  });

  test("a project without a rule is refused", () => {
    const projects = projectsOption.read(["3=Shop"], noFile);
    expect(() => new Granter({ grant: [], projects })).toThrow(
      expect.objectContaining({ problem: { code: "usage.invalid", message: expect.stringContaining("project 3") } }),
    );
    const all = projectsOption.read(["create"], noFile);
    expect(() => new Granter({ grant: [], projects: all })).toThrow(
      expect.objectContaining({ problem: { code: "usage.invalid", message: expect.stringContaining("no --grant") } }),
    );
    expect(() => projectsOption.read(["yes"], noFile)).toThrow("it must be create");
  });
});
