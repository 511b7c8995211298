import { describe, expect, test } from "vitest";
import type { Remark } from "../../../../src/problem.ts";
import { type OrgBy, orgByOption, RealmOrgs } from "../../../../src/sources/keycloak/orgs.ts";

const read = (text: string): OrgBy | undefined =>
  orgByOption.read([text], () => "user_id,org\n7,one\n8,two\n8,three\n");

/** The organization of the user `8`, who is called `ann`, and what is said about it. */
function orgOf(by: string, organizations: unknown, attributes: Readonly<Record<string, readonly string[]>> = {}) {
  const orgs = new RealmOrgs(read(by));
  orgs.take(new Map([["organizations", organizations]]));
  orgs.check();
  const remarks: Remark[] = [];
  const org = orgs.of({ id: "8", userName: "ann", attributes: new Map(Object.entries(attributes)) }, remarks);
  return [org.orgId ?? org.orgName, remarks];
}

const member = (membershipType?: string) => [{ username: "bob" }, { username: "ann", membershipType }];

describe("the organization of a user", () => {
  test.each<[string, unknown, unknown]>([
    ["of no organization", [{ alias: "a", members: [{ username: "bob" }] }], [undefined, []]],
    [
      "of one",
      [
        { alias: "a", members: [] },
        { alias: "b", members: member() },
      ],
      ["b", []],
    ],
    [
      "of two",
      [
        { alias: "a", members: member("UNMANAGED") },
        { alias: "b", members: member("UNMANAGED") },
      ],
      ["a", ["orgs-lost"]],
    ],
    [
      "of two, the second of which manages the user",
      [
        { alias: "a", members: member("UNMANAGED") },
        { alias: "b", members: member("MANAGED") },
      ],
      ["b", ["orgs-lost"]],
    ],
    ["of one without an alias", [{ name: "A Ltd", members: member() }], ["A Ltd", []]],
    [
      "of values of other types",
      [{ alias: 1, name: 2, members: member() }, null, { alias: "c", members: "ann" }],
      [undefined, []],
    ],
  ])("%s", (_, organizations, expected) => {
    expect(orgOf("organization", organizations)).toEqual(expected);
  });

  test("by an attribute, and by a table", () => {
    expect(orgOf("attributes.company", undefined, { company: ["x"] })).toEqual(["x", []]);
    expect(orgOf("attributes.company", undefined, { company: ["x", "y"] })).toEqual(["x", ["orgs-lost"]]);
    expect(orgOf("attributes.company", undefined)).toEqual([undefined, []]);
    expect(orgOf("orgs.csv", undefined)).toEqual(["two", ["orgs-lost"]]);
  });
});

test("an export without organizations is refused where they decide", () => {
  expect(() => orgOf("organization", undefined)).toThrow("usage.invalid");
  expect(() => orgOf("organization", [])).toThrow("usage.invalid");
});

test.each(["group", "attributes.", "Organization"])("%s is no way to find organizations", (text) => {
  expect(() => read(text)).toThrow("it must be organization, attributes.<name>, or a .csv file.");
});
