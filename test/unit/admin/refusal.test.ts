import { expect, test } from "vitest";
import { refusalProblem } from "../../../src/admin/refusal.ts";

const NOW = new Date("2026-11-22T12:00:00Z");

function problemOf(status: number, code: number, message: string): unknown {
  const refusal = {
    host: "h",
    status,
    contentType: "application/json",
    location: "",
    retryAfter: undefined,
    role: "r",
    sentBytes: 7,
  };
  return refusalProblem(
    { ...refusal, text: JSON.stringify({ code, message, details: [{ message }] }) },
    (text) => text,
    NOW,
  );
}

// service behaviour 9.6: as 4.13.1 answers it.
test("a refusal inside an unknown error is read as the refusal itself", () => {
  const inner = "invalid ImportDataRequest.DataOrgs: embedded message failed validation";
  const wrapped = problemOf(500, 2, `rpc error: code = InvalidArgument desc = ${inner} ()`);
  expect(wrapped).toEqual(problemOf(400, 3, inner));
  expect(wrapped).toMatchObject({ code: "api.rejected", status: 400, message: inner });
});

test("a token that is missing inside an unknown error is a refused token", () => {
  expect(problemOf(500, 2, "rpc error: code = Unauthenticated desc = auth header missing ()")).toMatchObject({
    code: "auth.refused",
    message: "auth header missing",
  });
});

test.each([
  ["an unknown name", "rpc error: code = Strange desc = x ()", { code: "api.rejected", status: 500 }],
  ["a time limit with details", "context deadline exceeded ()", { code: "net.service-timeout" }],
])("%s stays what it is", (_, message, expected) => {
  expect(problemOf(500, 2, message)).toMatchObject(expected);
});

// service behaviour 9.7
test("an answer that is too large names its limit, and a call that is too large its size", () => {
  expect(problemOf(429, 8, "grpc: trying to send message larger than max (10780578 vs. 10485760)")).toEqual({
    code: "api.too-large",
    host: "h",
    sentBytes: 7,
    answerLimitBytes: 10_485_760,
  });
  expect(problemOf(429, 8, "grpc: received message larger than max (4410306 vs. 4194304)")).toEqual({
    code: "api.too-large",
    host: "h",
    sentBytes: 7,
  });
});
