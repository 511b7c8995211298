import { describe, expect, test } from "vitest";
import type { ApiCall } from "../../../src/admin/client.ts";
import { createUserChanges } from "../../../src/admin/user-changes.ts";
import { ProblemError, type RunProblem } from "../../../src/problem.ts";

const { signal } = new AbortController();
const host = "id.example.com";

/** Calls against an instance that answers each with that, and what was asked. */
function answering(answer: unknown) {
  const asked: (readonly [method: string, path: string, body: unknown])[] = [];
  const request = async ({ method = "POST" as never, path, body }: ApiCall) => {
    asked.push([method, path, JSON.parse(body.toString())]);
    if (answer instanceof Error) throw answer;
    const text = typeof answer === "string" ? answer : JSON.stringify(answer);
    const bytes = async function* () {
      yield Buffer.from(text);
    };
    return { host, status: 200, contentType: "", text: async () => text, bytes } as never; // all that is read
  };
  return { changes: createUserChanges({ request }), asked };
}

const u1 = { userId: "u1", orgId: "org1" };
const refusal = (problem: Partial<RunProblem> & { code: string }): ProblemError =>
  new ProblemError({ host, ...problem } as RunProblem);
const rejected = (status: number, message: string) => refusal({ code: "api.rejected", status, message } as never);
const notFound = (message?: string) => refusal({ code: "api.not-an-instance", message } as never);

test("ids and keys are encoded in paths", async () => {
  const { changes, asked } = answering({});
  await changes.update("auth0|1", { username: "ada" }, signal);
  await changes.setState("a b", "lock", signal);
  await changes.removePhone("u1", signal);
  await changes.setMetadata(u1, [{ key: "plan", value: "Z29sZA==" }], signal);
  await changes.removeMetadata(u1, ["a&b", "c"], signal);
  await changes.remove("u 1", signal);
  expect(asked).toEqual([
    ["PUT", "/v2/users/human/auth0%7C1", { username: "ada" }],
    ["POST", "/v2/users/a%20b/lock", {}],
    ["DELETE", "/v2/users/u1/phone", {}],
    ["POST", "/v2/users/u1/metadata", { metadata: [{ key: "plan", value: "Z29sZA==" }] }],
    ["DELETE", "/v2/users/u1/metadata?keys=a%26b&keys=c", {}],
    ["DELETE", "/v2/users/u%201", {}],
  ]);
});

test("an id that is invalid in a path goes into the body", async () => {
  const { changes, asked } = answering({});
  await changes.remove("samlp|a/b", signal);
  await changes.update("jörg", { username: "jo" }, signal);
  await changes.setState("jörg", "reactivate", signal);
  await changes.removeMetadata({ userId: "a/b", orgId: "org1" }, ["k", "l"], signal);
  expect(asked).toEqual([
    ["POST", "/zitadel.user.v2.UserService/DeleteUser", { userId: "samlp|a/b" }],
    ["POST", "/zitadel.user.v2.UserService/UpdateHumanUser", { userId: "jörg", username: "jo" }],
    ["POST", "/zitadel.user.v2.UserService/ReactivateUser", { userId: "jörg" }],
    ["POST", "/zitadel.user.v2.UserService/DeleteUserMetadata", { userId: "a/b", keys: ["k", "l"] }],
  ]);
});

test("an older instance has another metadata call, which needs the organization", async () => {
  const { changes, asked } = answering({});
  const older = changes.withOlderMetadata();
  await older.setMetadata({ userId: "a|b", orgId: "org1" }, [{ key: "plan", value: "Z29sZA==" }], signal);
  await older.removeMetadata(u1, ["a&b"], signal);
  await older.removePhone("u1", signal);
  expect(asked).toEqual([
    ["POST", "/management/v1/users/a%7Cb/metadata/_bulk", { metadata: [{ key: "plan", value: "Z29sZA==" }] }],
    ["DELETE", "/management/v1/users/u1/metadata/_bulk", { keys: ["a&b"] }],
    ["DELETE", "/v2/users/u1/phone", {}],
  ]);
});

test.each<[string, ProblemError, boolean]>([
  ["that the id does not exist", notFound("User could not be found (COMMAND-ugjs0upun6)"), true],
  ["that the path is unknown", notFound("Not Found"), false],
  ["that the token has no right", refusal({ code: "auth.forbidden", role: "", message: "no" } as never), false],
  ["that the method is unknown", rejected(405, "Method Not Allowed"), false],
])("users can be changed when the answer is %s: %s", async (_, answer, expected) => {
  expect(await answering(answer).changes.probe(signal)).toBe(expected);
});

test("metadata are supported, unless the path is unknown", async () => {
  const knows = (answer: ProblemError) => answering(answer).changes.knowsMetadata(signal);
  expect(await knows(rejected(400, "User could not be found (COMMAND-uXHNj)"))).toBe(true);
  expect(await knows(notFound("Not Found"))).toBe(false);
});

test("the user of a token, if the instance reports it", async () => {
  expect(await answering({ sub: "ferry" }).changes.self(signal)).toBe("ferry");
  for (const answer of ["no JSON", {}, notFound()])
    expect(await answering(answer).changes.self(signal)).toBeUndefined();
  await expect(
    answering(refusal({ code: "auth.refused", message: "" } as never)).changes.self(signal),
  ).rejects.toThrow();
});

describe("a change without effect counts as done", () => {
  test.each<[string, (changes: ReturnType<typeof createUserChanges>) => Promise<unknown>]>([
    ["COMMAND-lgws8wtsqf", (changes) => changes.setState("u", "lock", signal)],
    ["COMMAND-olb9vb0oca", (changes) => changes.setState("u", "unlock", signal)],
    ["COMMAND-5gunjw0cd7", (changes) => changes.setState("u", "deactivate", signal)],
    ["COMMAND-s5qqcz97hf", (changes) => changes.setState("u", "reactivate", signal)],
    ["COMMAND-ieJ2e", (changes) => changes.removePhone("u", signal)],
  ])("%s", async (code, change) => {
    expect(await change(answering(rejected(400, `so it is (${code})`)).changes)).toEqual({ kind: "done" });
    expect(await change(answering(rejected(400, "no (COMMAND-other)")).changes)).toMatchObject({ kind: "refused" });
  });

  test("metadata that are not there", async () => {
    const { changes } = answering(notFound("One or more keys do not exist (META-2nnds)"));
    expect(await changes.removeMetadata(u1, ["k"], signal)).toEqual({ kind: "done" });
  });
});

test("a missing user is distinguished from an unknown call", async () => {
  const gone = answering(notFound("User could not be found (COMMAND-bd4ir1mblj)"));
  expect(await gone.changes.remove("u", signal)).toMatchObject({ kind: "gone" });
  expect(await answering(notFound("Not Found")).changes.remove("u", signal)).toMatchObject({
    kind: "refused",
    code: "",
  });
});

test("a problem with an unknown outcome is raised", async () => {
  for (const answer of [rejected(500, "broken"), rejected(408, ""), refusal({ code: "net.cut-off" })])
    await expect(answering(answer).changes.update("u", {}, signal)).rejects.toBe(answer);
  expect(await answering(rejected(501, "no")).changes.update("u", {}, signal)).toMatchObject({ kind: "refused" });
});

test.each(["", "<html>Please sign in</html>", "[]", "1e999", "null", '"done"', '{"details":'])(
  "the answer %j leaves the outcome unknown",
  async (text) => {
    const { changes } = answering(text);
    const unexpected = { problem: { code: expect.stringMatching(/^api\.(?:unexpected|not-json)$/), host } };
    await expect(changes.remove("u1", signal)).rejects.toMatchObject(unexpected);
    await expect(changes.setState("u1", "deactivate", signal)).rejects.toMatchObject(unexpected);
    await expect(changes.withOlderMetadata().setMetadata(u1, [], signal)).rejects.toMatchObject(unexpected);
    expect(await changes.probe(signal)).toBe(false);
  },
);
