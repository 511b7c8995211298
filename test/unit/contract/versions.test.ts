import { describe, expect, test } from "vitest";
import { defaultHashLimits } from "../../../src/contract/hash-limits.ts";
import {
  type Capabilities,
  capabilitiesOf,
  isKnownVersion,
  mayRecreate,
  NEWEST_VERSION,
} from "../../../src/contract/versions.ts";

const MIB = 2 ** 20;

function values<Name extends keyof Capabilities>(
  name: Name,
  ...versions: (string | undefined)[]
): Capabilities[Name][] {
  return versions.map((version) => capabilitiesOf(version)[name]);
}

describe("a version", () => {
  test.each(["v4.13.1", "4.13", "v4.15-02d07e951", "4.2.0-rc.1", " v2.62.1 ", "4.15.99", "2.0.0"])(
    "%s is known",
    (text) => {
      expect(isKnownVersion(text)).toBe(true);
    },
  );

  test.each(["v4-snapshot", "", "4", "latest", "4.16.0", "v5.0.0", "4.15.x", "10.1.0"])("%j is not known", (text) => {
    expect(isKnownVersion(text)).toBe(false);
  });

  test("the newest known version is known", () => {
    expect(isKnownVersion(NEWEST_VERSION)).toBe(true);
  });
});

test.each([
  ["2.62", false, false],
  ["4.13.1", true, false],
  ["4.15", true, true],
  // Only a try can tell.
  [undefined, true, false],
])("a deleted user is recreated on %s in the same organization: %s, in another one: %s", (version, same, other) => {
  expect([mayRecreate(version, "a", "a"), mayRecreate(version, "a", "b")]).toEqual([same, other]);
});

describe("the capabilities of a version", () => {
  test("concurrent writes are safe from 4.2.0 to 4.13, and not further", () => {
    expect(values("concurrentWrites", "2.62", "4.1.4", "4.2.0", "4.13.1", "4.13.99")).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(values("concurrentWrites", "4.14.0", "4.15", "4.16.0", "5.0.0", undefined)).toEqual(Array(5).fill(false));
  });

  test("the rule of addresses and its consequence change with 4.8.1", () => {
    expect(values("importAddress", "4.8.0", "4.8.1", "v4.15-02d07e951")).toEqual(["ascii", "mailbox", "mailbox"]);
    expect(values("usersApiAddress", "4.8.0", "4.8.1", "4.15")).toEqual(["ascii", "host-name", "host-name"]);
    expect(values("addressLength", "4.8.0", "4.8.1")).toEqual([254, 200]);
    expect(values("badAddressRefuses", "4.8.0", "4.8.1")).toEqual(["call", "user"]);
  });

  test("hashes are checked after 4.13, with Keycloak's default argon2 below the default limits", () => {
    expect(values("hashLimits", "4.13.1", "4.14.0", "4.15")).toEqual([undefined, defaultHashLimits, defaultHashLimits]);
    expect(capabilitiesOf("4.15").hashLimits?.["argon2-memory"]?.min).toBeGreaterThan(7168);
  });

  test("answers have a limit over gRPC-Web after 4.13", () => {
    expect(values("answerBytes", "4.13.1", "4.15")).toEqual([
      { rest: 4 * MIB, grpcWeb: undefined },
      { rest: 10 * MIB, grpcWeb: 10 * MIB },
    ]);
  });

  test("refusals are wrapped from 4.11 to 4.13, recovery codes exist from 4.9, JWT providers are silent from 4.2", () => {
    expect(values("wrapsRefusals", "4.10.9", "4.11.0", "4.13.1", "4.14.0")).toEqual([false, true, true, false]);
    expect(values("recoveryCodes", "4.8.9", "4.9.0")).toEqual([false, true]);
    expect(values("isSilentOnJwtProviders", "4.1.4", "4.2.0")).toEqual([false, true]);
  });

  test("deleted ids stay refused on 2.62, return to the former organization on 4.13, and go where they are sent on 4.15", () => {
    expect(values("deletedIds", "2.62.0", "4.13.1", "v4.15-02d07e951")).toEqual(["refused", "former-org", "named-org"]);
    expect(values("metadataOfRecreated", "4.13.1", "4.15")).toEqual([false, true]);
    expect(values("metadataApi", "2.62.0", "4.0.1")).toEqual(["management", "users"]);
    expect(values("acceptsDeletedOrgs", "2.62.0", "4.0.1")).toEqual([false, true]);
  });

  test.each([undefined, "v4-snapshot", "4.16.0"])("%s gets what every known version accepts", (version) => {
    expect(capabilitiesOf(version)).toEqual(capabilitiesOf(undefined));
    expect(capabilitiesOf(version)).toMatchObject({
      importAddress: "host-name",
      addressLength: 200,
      badAddressRefuses: "call",
      hashLimits: defaultHashLimits,
      concurrentWrites: false,
      recoveryCodes: false,
      answerBytes: { rest: 4 * MIB, grpcWeb: 10 * MIB },
    });
  });

  test("a version before the first one of the table is treated as that one", () => {
    expect(capabilitiesOf("2.1.0")).toEqual(capabilitiesOf("2.62"));
  });
});
