import { expect, test } from "vitest";
import { fingerprintOf, otherFlags } from "../../../../../src/jobs/import/plan/fingerprint.ts";
import type { PlanSettings } from "../../../../../src/jobs/import/settings.ts";

const settings: PlanSettings = {
  via: "auto",
  noMail: false,
  orgMap: new Map(),
  idpMap: new Map(),
  from: undefined,
  update: undefined,
};

test("a fingerprint is the same as in journals of version 0.1.0", () => {
  const of = (fields: Partial<PlanSettings>): string =>
    fingerprintOf({ container: "dataOrgs", closed: 0 }, { ...settings, ...fields }, true);
  expect(of({})).toBe("dataOrgs via auto");
  expect(of({ via: "users", noMail: true })).toBe("dataOrgs via users without mail");
  expect(of({ update: { prefer: "none", removals: undefined, maxDeletes: undefined, state: undefined } })).toBe(
    "dataOrgs via auto update",
  );
  expect(of({ noMail: true, orgMap: new Map([["org1", "org2"]]) })).toBe(
    "dataOrgs via auto without mail map 3e551eb3eaa17e2e",
  );
  expect(fingerprintOf({ container: "dataOrgsv1", closed: 0 }, { ...settings, from: "v1" }, true)).toBe(
    "dataOrgsv1 via auto",
  );
});

test("the order of an organization map does not change the fingerprint", () => {
  const pairs = [
    ["a", "b"],
    ["c", "d"],
  ] as const;
  const [one, other] = [new Map(pairs), new Map([...pairs].reverse())].map((orgMap) =>
    fingerprintOf({ container: "dataOrgs", closed: 0 }, { ...settings, orgMap }, true),
  );
  expect(one).toBe(other);
});

test.each([
  [{ via: "users" }, ["--via"]],
  [{ noMail: true, idpMap: new Map([["a", "b"]]) }, ["--no-mail", "--idp"]],
  [{ orgMap: new Map([["a", "b"]]) }, ["--org-map"]],
  [{}, []],
] as const)("names the flags of settings that differ: %j", (changed, flags) => {
  const of = (fields: object) => fingerprintOf({ container: "dataOrgs", closed: 0 }, { ...settings, ...fields }, true);
  expect(otherFlags(of({}), of(changed))).toEqual(flags);
  expect(otherFlags(of(changed), of({}))).toEqual(flags);
  expect(otherFlags(of({}), of({}).replace("dataOrgs", "dataOrgsv1"))).toEqual(["--from"]);
});

test("names the way of inactive users only where the target ignores their state", () => {
  const of = (closed: number, importStates: boolean) =>
    fingerprintOf({ container: "dataOrgs", closed }, settings, importStates);
  expect(of(1, true)).toBe(of(0, false));
  expect(of(1, false)).not.toBe(of(0, false));
});
