import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

const HASH = "$2b$10$abcdefghijklmnopqrstuuM1NmTCB1Wc9MzZ0IYiSbJIE3Z1fsbhG";
const orgs = [{ orgId: "1", org: { name: "Acme" } }];
const added = {
  organization: { orgId: "1" },
  profile: { givenName: "A", familyName: "B" },
};

/** Who would have been written to, and why. */
const mailsOf = ({ mock }: MockClient) =>
  mock.mails().map(({ userId, to, by, reason }) => `${userId} ${to} ${by} ${reason}`);

test("an import sends e-mail only to users who must complete their account (service behaviour 0.2)", async () => {
  const client = await startMock({ mimic: "v4" });
  await client.importOrgs({
    ...orgs[0],
    humanUsers: [
      human("hash", { hashedPassword: { value: HASH } }),
      human("plain", { password: "Password1!" }),
      human("none"),
      human("unverified", { email: { email: "unverified@example.com" }, hashedPassword: { value: HASH } }),
      human("phone", { hashedPassword: { value: HASH }, phone: { phone: "+41791234567" } }),
      human("phone-verified", {
        hashedPassword: { value: HASH },
        phone: { phone: "+41791234567", isPhoneVerified: true },
      }),
    ],
  });
  expect(mailsOf(client)).toEqual([
    "none none@example.com mail initialization",
    "unverified unverified@example.com mail initialization",
    "phone +41791234567 sms phone-verification",
  ]);
});

test("the users API writes only where an address is to be verified by a code that the caller did not ask for (0.3)", async () => {
  const client = await startMock({ seed: { orgs } });
  const add = async (userId: string, email: object, more: object = {}) => {
    const body = { userId, ...added, email: { email: `${userId}@example.com`, ...email }, ...more };
    expect((await client.post("/v2/users/human", body)).status).toBe(200);
  };
  await add("verified", { isVerified: true });
  await add("said-unverified", { isVerified: false });
  await add("returned", { returnCode: {} });
  await add("sent", { sendCode: {} });
  await add("silent", {});
  await add("with-phone", { isVerified: true }, { phone: { phone: "+41791234567" } });
  expect(mailsOf(client)).toEqual([
    "sent sent@example.com mail email-verification",
    "silent silent@example.com mail email-verification",
    "with-phone +41791234567 sms phone-verification",
  ]);
});

test("a changed password is announced to a verified address", async () => {
  const client = await startMock({ seed: { orgs } });
  await client.post("/v2/users/human", { userId: "a", ...added, email: { email: "a@example.com", isVerified: true } });
  await client.post("/v2/users/human", { userId: "b", ...added, email: { email: "b@example.com", returnCode: {} } });
  for (const id of ["a", "b"]) {
    await client.post(`/v2/users/${id}/password`, { newPassword: { password: "Password1!" } });
  }
  expect(mailsOf(client)).toEqual(["a a@example.com mail password-changed"]);
});

test("they are read over HTTP as well, and a reset forgets them", async () => {
  const client = await startMock();
  await client.importOrgs({ ...orgs[0], humanUsers: [human("none")] });
  const { body } = await client.send("GET", "/_mock/mails");
  expect(body).toEqual({
    mails: [
      {
        userId: "none",
        orgId: "1",
        to: "none@example.com",
        by: "mail",
        reason: "initialization",
        at: expect.stringMatching(/Z$/),
      },
    ],
  });
  await client.mock.reset();
  expect(client.mock.mails()).toEqual([]);
});
