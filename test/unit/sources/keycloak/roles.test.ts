import { describe, expect, test } from "vitest";
import { RealmRoles } from "../../../../src/sources/keycloak/roles.ts";

const roles = {
  realm: [
    { name: "approver", composites: { realm: ["editor"], client: { shop: ["buyer"] } } },
    { name: "editor", composites: { realm: ["reader"] } },
    { name: "member", composites: { realm: ["default-roles-acme"], client: { account: ["view"] } } },
    { name: "loop", composites: { realm: ["loop", "editor"] } },
    {
      name: "default-roles-acme",
      composites: { realm: ["offline_access", "customer"], client: { account: ["view"] } },
    },
  ],
  client: { shop: [{ name: "owner", composites: { client: { shop: ["buyer"] } } }] },
};
const groups = [
  { path: "/staff", realmRoles: ["reader"], subGroups: [{ path: "/staff/sales", clientRoles: { shop: ["owner"] } }] },
];

const realm = new RealmRoles();
realm.take(
  new Map<string, unknown>([
    ["roles", roles],
    ["groups", groups],
  ]),
);

describe("the names of a user's roles, each with the groups around it and what it includes", () => {
  test.each<[string, object, readonly (readonly [string, readonly string[], readonly string[]])[]]>([
    ["none", {}, []],
    ["a role", { realmRoles: ["reader"] }, [["reader", [], []]]],
    [
      "a composite role, at any depth",
      { realmRoles: ["approver"] },
      [["approver", [], ["editor", "reader", "shop:buyer"]]],
    ],
    ["a composite that includes itself", { realmRoles: ["loop"] }, [["loop", [], ["editor", "reader"]]]],
    ["a composite that includes default roles", { realmRoles: ["member"] }, [["member", [], ["customer"]]]],
    ["a client's role", { clientRoles: { shop: ["owner"], account: ["view"] } }, [["shop:owner", [], ["shop:buyer"]]]],
    [
      "a group",
      { groups: ["/staff"] },
      [
        ["reader", [], []],
        ["/staff", [], []],
      ],
    ],
    [
      "a subgroup",
      { groups: ["/staff/sales"] },
      [
        ["reader", [], []],
        ["shop:owner", [], ["shop:buyer"]],
        ["/staff/sales", ["/staff"], []],
      ],
    ],
    ["an unknown group", { groups: ["/gone"] }, [["/gone", [], []]]],
    ["what was added to the default roles", { realmRoles: ["default-roles-acme"] }, [["customer", [], []]]],
    ["values of other types", { realmRoles: "x", clientRoles: [1], groups: [1, null] }, []],
  ])("%s", (_, user, names) => {
    expect(realm.of(user as Record<string, unknown>).map(({ name, around, parts }) => [name, around, parts])).toEqual(
      names,
    );
  });

  test("a realm of other types has none", () => {
    const strange = new RealmRoles();
    strange.take(
      new Map<string, unknown>([
        ["roles", [1]],
        ["groups", { a: 1 }],
      ]),
    );
    expect(strange.of({ realmRoles: ["a"] })).toEqual([{ name: "a", around: [], parts: [] }]);
  });
});
