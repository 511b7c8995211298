import { expect, test } from "vitest";
import { makePlan } from "../../../../../src/jobs/import/plan/plan.ts";
import type { ImportSettings } from "../../../../../src/jobs/import/settings.ts";
import type { RowProblem } from "../../../../../src/problem.ts";
import type { Ui } from "../../../../../src/ui/ui.ts";

const settings = {
  plan: { via: "auto", noMail: false, orgMap: new Map(), idpMap: new Map() },
  calls: {},
} as unknown as ImportSettings; // what makePlan reads
const ui = { progress: () => ({ stop() {} }) } as unknown as Ui; // what makePlan uses

/** Makes the plan of users with these addresses, in one organization, for a target of this version. */
async function planOf(
  addresses: readonly string[],
  version: string | undefined,
  {
    hashed = true,
    state,
    earlier,
  }: { readonly hashed?: boolean; readonly state?: string; readonly earlier?: string } = {},
) {
  const humanUsers = addresses.map((email, at) => ({
    userId: `u${at}`,
    ...(state === undefined ? {} : { state }),
    user: {
      userName: `u${at}`,
      profile: { firstName: "Ada", lastName: "Doe" },
      email: { email, isEmailVerified: true },
      ...(hashed ? { hashedPassword: { value: `$2b$04$${"a".repeat(53)}` } } : {}),
    },
  }));
  const bytes = Buffer.from(JSON.stringify({ dataOrgs: { orgs: [{ orgId: "o", humanUsers }] } }));
  const input = {
    path: "body.json",
    bytes: bytes.length,
    async *read({ start, end }: { readonly start: number; readonly end: number }) {
      yield bytes.subarray(start, end);
    },
    close: async () => {},
  };
  const faults: string[] = [];
  let asked = 0;
  const askVersion = async () => {
    asked = 1; // the caller keeps the answer
    return version;
  };
  const onFault = (problem: RowProblem): number =>
    faults.push(`${problem.code} ${"path" in problem ? problem.path : ""}`);
  const plan = await makePlan(input, settings, onFault, {
    askVersion,
    earlier,
    ui,
    signal: new AbortController().signal,
  });
  return { plan, faults, asked };
}

const fault = (at: number): string => `field.email orgs[0].humanUsers[${at}]`;

test("the version is not asked for where every version decides alike", async () => {
  const { faults, asked, plan } = await planOf(["a@example.com", "a..b@example.com"], "4.15");
  expect({ faults, asked }).toEqual({ faults: [fault(1)], asked: 0 });
  expect(plan.scan.counts).toMatchObject({ users: 2, invalidUsers: 1 });
});

// service behaviour 9.5
test("an address that only some versions accept is decided by the target's version, and each fault is reported once", async () => {
  const addresses = ["a..b@example.com", "a@b_c.example", "a@example.com", "nothing"];
  const later = await planOf(addresses, "v4.13.1");
  expect(later).toMatchObject({ faults: [fault(0), fault(3)], asked: 1 });
  expect(later.plan.scan.counts).toMatchObject({ users: 4, invalidUsers: 2 });
  for (const version of ["v4.2.0", "v4-snapshot", undefined]) {
    const { faults } = await planOf(addresses, version);
    expect(faults).toEqual([fault(0), fault(1), fault(3)]);
  }
});

test("the users API refuses addresses that the import endpoint accepts", async () => {
  // Verified and without a password: a user of the users API.
  expect((await planOf(["a@b_c.example"], "4.15", { hashed: false })).faults).toEqual([fault(0)]);
});

test("hashes out of the default limits are counted", async () => {
  const { plan } = await planOf(["a@example.com", "b@example.com"], "4.15");
  expect(plan.scan.breaches).toEqual([{ cost: "bcrypt", value: 4, users: 2, limit: 10 }]);
});

// service behaviour 0.19b
test("the version decides the way of an inactive user, and an unfinished job keeps its way", async () => {
  const waysOf = async (version: string | undefined, earlier?: string) => {
    const options = { state: "USER_STATE_INACTIVE", ...(earlier === undefined ? {} : { earlier }) };
    const { plan, asked } = await planOf(["a@example.com", "b@example.com"], version, options);
    return { users: plan.scan.routes.users, asked, fingerprint: plan.fingerprint };
  };
  const known = await waysOf("4.15");
  const unknown = await waysOf(undefined);
  expect([known.users, unknown.users, known.asked]).toEqual([0, 2, 1]);
  expect(await waysOf(undefined, known.fingerprint)).toEqual({ ...known, asked: 0 });
  expect(await waysOf("4.15", unknown.fingerprint)).toEqual({ ...unknown, asked: 0 });
});
