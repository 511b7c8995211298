import { expect, test } from "vitest";
import { testBody, testUser } from "../../../../helpers/bodies.ts";
import { sendJob } from "../../../../helpers/send-job.ts";

const otpCode = "JBSWY3DPEHPK3PXP";
const made = '{"success":{"orgs":[{"orgId":"org1","humanUserIds":["u1","u3"]}]}}';
const there = (id: string) => ({
  type: "human_user",
  id,
  message: "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting",
});

test("secrets follow in another call; a refused secret is reported, and its user counts as created", async () => {
  const refused = { type: "human_user_otp", id: "u3", message: "ID=COMMAND-X Message=Errors.Internal" };
  const ready = {
    type: "human_user_otp",
    id: "u1",
    message: "ID=COMMAND-do9se Message=Errors.User.MFA.OTP.AlreadyReady",
  };
  const users = [testUser(1, { otpCode }), testUser(3, { otp_code: otpCode })];
  const second = JSON.stringify({ errors: [there("u1"), ready, there("u3"), refused], success: { orgs: [] } });
  const { bodies, ledger } = await sendJob(testBody(users), [made, second]);
  expect(bodies[0]).not.toContain(otpCode);
  expect(bodies[0]).toContain('"u3"');
  expect(bodies[1]?.split(otpCode)).toHaveLength(3);
  expect(ledger.state.users).toMatchObject({ created: 2, failed: 0 });
  expect(ledger.state.failures).toEqual([
    { type: "human_user_otp", id: "u3", message: refused.message, cause: "otp", line: 3 },
  ]);
});

test("without secrets there is no second call", async () => {
  const users = [testUser(1), testUser(3, { otpCode: "" }), testUser(2, { otpCode })];
  const answer = JSON.stringify({
    errors: [there("u2")],
    success: { orgs: [{ orgId: "org1", humanUserIds: ["u1", "u3"] }] },
  });
  const { bodies } = await sendJob(testBody(users), [answer]);
  expect(bodies).toHaveLength(1);
});

test("a user who may exist from a lost call gets no secret, which is reported", async () => {
  const cutOff = '{"errors":[';
  const again = JSON.stringify({ errors: [there("u1")], success: { orgs: [{ orgId: "org1" }] } });
  const { bodies, ledger } = await sendJob(testBody([testUser(1, { otpCode })]), [cutOff, again]);
  expect(bodies.some((body) => body.includes(otpCode))).toBe(false);
  expect(ledger.state.untold).toBe(1);
  expect(ledger.state.failures).toEqual([{ type: "human_user_otp", id: "u1", message: "", cause: "otp", line: 2 }]);
});

test("an answer about none of the users is no answer; a user that it does not name has no secret", async () => {
  const users = [testUser(1, { otpCode }), testUser(3, { otpCode })];
  const nothing = await sendJob(testBody(users), [made, "{}"]);
  expect(nothing.error).toMatchObject({ problem: { code: "api.nothing-done" } });
  const cutShort = JSON.stringify({ errors: [there("u3")], success: { orgs: [] } });
  const { ledger } = await sendJob(testBody(users), [made, cutShort]);
  expect(ledger.state.failures).toEqual([{ type: "human_user_otp", id: "u1", message: "", cause: "otp", line: 2 }]);
});

test("the call with the secrets has nothing else of the users, and creates none", async () => {
  const { bodies } = await sendJob(testBody([testUser(1, { otpCode }), testUser(3)]), [
    made,
    JSON.stringify({ errors: [there("u1")], success: { orgs: [] } }),
  ]);
  expect(bodies[1]).not.toContain("user1@example.com");
  expect(bodies[1]).toContain('"phone":{"phone":"+0"}'); // the service refuses it for a new user
});
