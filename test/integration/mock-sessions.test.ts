import { pbkdf2Sync, scryptSync } from "node:crypto";
import { argon2id, bcrypt } from "hash-wasm";
import { expect, test } from "vitest";
import { human, type MockClient, startMock } from "../helpers/mock-client.ts";

const salt = Buffer.from("0123456789abcdef");
const PASSWORD = "Correct horse 1!";

/** Unpadded base64, as these notations have it. */
const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

const hashes = {
  bcrypt: await bcrypt({ password: PASSWORD, salt, costFactor: 5, outputType: "encoded" }),
  argon2: await argon2id({
    password: PASSWORD,
    salt,
    parallelism: 1,
    iterations: 2,
    memorySize: 256,
    hashLength: 32,
    outputType: "encoded",
  }),
  pbkdf2: `$pbkdf2-sha256$1000$${base64(salt)}$${base64(pbkdf2Sync(PASSWORD, salt, 1000, 32, "sha256"))}`,
  scrypt: `$scrypt$ln=4,r=8,p=1$${base64(salt)}$${base64(scryptSync(PASSWORD, salt, 32, { N: 16, r: 8, p: 1 }))}`,
};

const withHash = (id: string, value: string) => human(id, { hashedPassword: { value } });
const org = (...humanUsers: object[]) => ({ orgId: "1", org: { name: "Acme" }, humanUsers });

function signIn({ post }: MockClient, user: object, password: string) {
  return post("/v2/sessions", { checks: { user, password: { password } } });
}

test.each(Object.keys(hashes) as (keyof typeof hashes)[])("%s is really checked", async (kind) => {
  const client = await startMock({ verifiers: [kind], seed: { orgs: [org(withHash("a", hashes[kind]))] } });
  const right = await signIn(client, { userId: "a" }, PASSWORD);
  expect(right).toMatchObject({
    status: 201,
    body: { sessionId: expect.any(String), sessionToken: expect.any(String) },
  });
  const wrong = await signIn(client, { userId: "a" }, `${PASSWORD}?`);
  expect(wrong).toMatchObject({ status: 400, body: { code: 3, message: "Password is invalid (COMMAND-3M0fs)" } });
});

// service behaviour 0.7: an import accepts them, and no user can sign in.
test.each([
  ["argon2 without its verifier", hashes.argon2],
  ["too short a bcrypt hash", "$2b$10$short"],
  ["no hash at all", "plain"],
])("%s is an internal error for the right and the wrong password", async (_title, hash) => {
  const client = await startMock({ seed: { orgs: [org(withHash("a", hash))] } });
  for (const password of [PASSWORD, "wrong"]) {
    expect(await signIn(client, { userId: "a" }, password)).toMatchObject({
      status: 500,
      body: { code: 13, message: "An internal error occurred (COMMAND-CahN2)" },
    });
  }
});

test("the users API looks at the beginning of a hash, by what the instance verifies", async () => {
  const client = await startMock({ verifiers: ["bcrypt", "argon2"], seed: { orgs: [org()] } });
  const add = (userId: string, hash: string) =>
    client.post("/v2/users/human", {
      userId,
      organization: { orgId: "1" },
      profile: { givenName: "A", familyName: "B" },
      email: { email: `${userId}@example.com`, isVerified: true },
      hashedPassword: { hash },
    });
  expect((await add("a", hashes.argon2)).status).toBe(200);
  expect((await add("b", "$2b$10$short")).status).toBe(200);
  expect(await add("c", hashes.pbkdf2)).toMatchObject({
    status: 400,
    body: { code: 3, message: expect.stringContaining("(USER-JDk4t)") },
  });
});

test("what every first sign-in leaves: a check, and a hash of the instance's own (service behaviour 0.28)", async () => {
  const client = await startMock({ seed: { orgs: [org(withHash("a", hashes.bcrypt))] } });
  for (const _twice of [1, 2]) expect((await signIn(client, { userId: "a" }, PASSWORD)).status).toBe(201);
  const { body } = await client.post("/admin/v1/events/_search", { aggregate_id: "a", asc: true });
  const events = (body as { events: { type: { type: string }; payload: object }[] }).events;
  expect(events.map(({ type }) => type.type)).toEqual([
    "user.human.password.check.succeeded",
    "user.human.password.hash.updated",
    "user.human.password.check.succeeded",
  ]);
  expect(events[1]?.payload).toEqual({ encodedHash: expect.stringMatching(/^\$2a\$04\$/) });
  expect(await client.exportOf("1")).toMatchObject({
    humanUsers: [{ user: { hashedPassword: { value: expect.stringMatching(/^\$2a\$04\$/) } } }],
  });
});

test("by login name: with the organization's domain where its policy wants that, in any case of letters", async () => {
  const domainPolicy = { orgId: "1", userLoginMustBeDomain: true };
  const user = human("a", { userName: "ada", hashedPassword: { value: hashes.bcrypt } });
  const client = await startMock({ seed: { orgs: [{ ...org(user), domainPolicy }] } });
  const status = async (loginName: string) => (await signIn(client, { loginName }, PASSWORD)).status;
  expect(await status("ada@acme.127.0.0.1")).toBe(201);
  expect(await status("ADA@Acme.127.0.0.1")).toBe(201);
  expect(await status("ada")).toBe(404);
  expect(await status("ada@elsewhere.127.0.0.1")).toBe(404);
});

test("failed checks are counted until one succeeds", async () => {
  const client = await startMock({ seed: { orgs: [org(withHash("a", hashes.bcrypt))] } });
  const failed = async () => {
    const { body } = await signIn(client, { userId: "a" }, "wrong");
    return (body as { details: { failedAttempts: number }[] }).details[0]?.failedAttempts;
  };
  expect([await failed(), await failed()]).toEqual([1, 2]);
  expect((await signIn(client, { userId: "a" }, PASSWORD)).status).toBe(201);
  expect(await failed()).toBe(1);
});

test("a password longer than bcrypt reads is refused where it is set, and its first 72 bytes are checked", async () => {
  const long = `Aa1!${"x".repeat(70)}`;
  const value = await bcrypt({ password: long.slice(0, 72), salt, costFactor: 4, outputType: "encoded" });
  const client = await startMock({ seed: { orgs: [org(withHash("a", value))] } });
  expect((await signIn(client, { userId: "a" }, long)).status).toBe(201);
  const set = await client.post("/v2/users/a/password", { newPassword: { password: long } });
  expect(set).toMatchObject({ status: 500, body: { code: 2, message: expect.stringContaining("exceeds 72 bytes") } });
  const result = await client.importOrgs(org(human("b", { password: long })));
  expect(result.errors?.at(-1)).toEqual({
    type: "human_user",
    id: "b",
    message: "bcrypt: password length exceeds 72 bytes",
  });
});
