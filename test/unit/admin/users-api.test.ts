import { expect, test } from "vitest";
import type { ApiCall } from "../../../src/admin/client.ts";
import { createUsersApi } from "../../../src/admin/users-api.ts";
import { ProblemError } from "../../../src/problem.ts";

const { signal } = new AbortController();

/** The calls that were made; each is refused with these words. */
function refusing(message: string): { readonly api: ReturnType<typeof createUsersApi>; readonly calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  const request = async (call: ApiCall): Promise<never> => {
    calls.push(call);
    throw new ProblemError({ code: "api.rejected", host: "h", status: 400, message });
  };
  return { api: createUsersApi({ request }), calls };
}

test.each(["auth0|1", "id with spaces?x=#%"])("the id %s stands in the path, encoded", async (id) => {
  const { api, calls } = refusing("");
  await api.setState(id, "lock", signal);
  await api.find(id, signal);
  const path = `/v2/users/${encodeURIComponent(id)}`;
  expect(calls.map((call) => call.path)).toEqual([`${path}/lock`, path]);
});

test.each(["a/b", "josé", "王", "tab\t"])("the id %j, which no path can hold, stands in the body", async (userId) => {
  const { api, calls } = refusing("");
  await api.setState(userId, "lock", signal);
  await api.setState(userId, "deactivate", signal);
  await api.find(userId, signal);
  const names = ["LockUser", "DeactivateUser", "GetUserByID"];
  expect(calls.map((call) => call.path)).toEqual(names.map((name) => `/zitadel.user.v2.UserService/${name}`));
  for (const { body } of calls) expect(JSON.parse(body.toString())).toEqual({ userId });
});

test("a user who is already in the state is distinguished from a refusal, in both forms of the answer", async () => {
  const words = "User is not active or initial (COMMAND-lgws8wtsqf)";
  const connect = JSON.stringify({ code: "failed_precondition", message: words, details: [{ value: "x" }] });
  for (const text of [words, connect])
    expect((await refusing(text).api.setState("1", "lock", signal)).kind).toBe("already");
  expect((await refusing("no").api.setState("1", "lock", signal)).kind).toBe("refused");
});
