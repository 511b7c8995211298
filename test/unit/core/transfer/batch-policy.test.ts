import { expect, test } from "vitest";
import { createHalvingPolicy } from "../../../../src/core/transfer/batch-policy.ts";

const allowed = { users: 100, bytes: 10_000 };

function goWell(policy: ReturnType<typeof createHalvingPolicy>, times: number): void {
  for (let call = 0; call < times; call += 1) policy.wentWell();
}

test("calls that go well stay as large as is allowed", () => {
  const policy = createHalvingPolicy(allowed);
  goWell(policy, 50);
  expect(policy.limits).toEqual(allowed);
});

test("a call that took too long halves what follows, and it grows back after eight that went well", () => {
  const policy = createHalvingPolicy(allowed);
  policy.tookTooLong(100);
  expect(policy.limits.users).toBe(50);
  goWell(policy, 7);
  expect(policy.limits.users).toBe(50);
  policy.wentWell();
  expect(policy.limits.users).toBe(100);
});

test("each further time-out doubles the row of good calls that it takes to grow", () => {
  const policy = createHalvingPolicy(allowed);
  policy.tookTooLong(100);
  policy.tookTooLong(50);
  expect(policy.limits.users).toBe(25);
  goWell(policy, 15);
  expect(policy.limits.users).toBe(25);
  policy.wentWell();
  expect(policy.limits.users).toBe(50);
});

test("a call smaller than the limit that took too long does not raise it", () => {
  const policy = createHalvingPolicy(allowed);
  policy.tookTooLong(3);
  expect(policy.limits.users).toBe(2);
});

test("a size that was refused stays refused", () => {
  const policy = createHalvingPolicy(allowed);
  policy.wasTooLarge(9_000);
  goWell(policy, 100);
  expect(policy.limits).toEqual({ users: 100, bytes: 4_500 });
});
