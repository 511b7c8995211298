import { expect, test } from "vitest";
import { parseAddress } from "../../../src/admin/address.ts";
import { createClient } from "../../../src/admin/client.ts";
import { createRedactor, Secret } from "../../../src/admin/secret.ts";
import { startRawServer } from "../../helpers/raw-server.ts";

const REFUSAL = '{"code":9,"message":"Errors.User.AlreadyExisting (COMMAND-7yiox1isql)"}';

/** What a refusal becomes of which only the beginning comes. */
async function refusedBy(status: string): Promise<unknown> {
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${REFUSAL.length}\r\n\r\n`;
  const { url } = await startRawServer((socket) => socket.end(head + REFUSAL.slice(0, 20)));
  const api = createClient({
    address: parseAddress(url, "target", false),
    credentials: { kind: "token", token: new Secret("token") },
    redactor: createRedactor(),
    env: {},
    now: () => new Date(),
    log: () => {},
  });
  const request = { path: "/v2/users/human", body: Buffer.from("{}"), role: "IAM_OWNER" };
  const problem = await api.request(request, new AbortController().signal).catch((error) => error.problem);
  await api.close();
  return problem;
}

test.each(["400 Bad Request", "404 Not Found", "409 Conflict"])(
  "a %s that is cut off says nothing: the call may have done its work",
  async (status) => {
    expect(await refusedBy(status)).toMatchObject({ code: "net.cut-off" });
  },
);

test.each([
  ["401 Unauthorized", "auth.refused"],
  ["403 Forbidden", "auth.forbidden"],
  ["503 Service Unavailable", "net.busy"],
])("a %s says enough by its status", async (status, code) => {
  expect(await refusedBy(status)).toMatchObject({ code });
});
