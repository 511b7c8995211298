import { fromJson, type JsonValue, toBinary } from "@bufbuild/protobuf";
import {
  ExportDataResponseSchema,
  ImportDataRequestSchema,
  ListEventsResponseSchema,
} from "@zitadel/proto/zitadel/admin_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/mock/protojson/json-value.ts";
import { createMessageTable, messageNamed } from "../../../../src/mock/protojson/message-table.ts";
import { protoSize } from "../../../../src/mock/protojson/proto-size.ts";
import { fullOrg, otherOrg } from "../../../helpers/full-org.ts";

const table = createMessageTable();
const text = fc.string({ unit: "binary", maxLength: 300 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((one) => Buffer.from(one).toString("base64"));

/** A member, or none: protobuf has no place for what is empty. */
const given = <Value>(key: string, value: fc.Arbitrary<Value>) =>
  fc
    .option(value, { nil: undefined })
    .map((one) => (one === undefined || (one as unknown) === "" ? {} : { [key]: one }));

const merged = (...parts: readonly fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all));

const user = merged(
  given("userName", text),
  given("profile", merged(given("firstName", text), given("gender", fc.constantFrom("GENDER_MALE", "GENDER_DIVERSE")))),
  given("email", merged(given("email", text), given("isEmailVerified", fc.constant(true)))),
  given("hashedPassword", merged(given("value", text))),
);
const org = merged(
  given("orgId", text),
  given("humanUsers", fc.array(merged(given("userId", text), given("user", user)), { maxLength: 200 })),
  given("userMetadata", fc.array(merged(given("key", text), given("value", bytes)), { maxLength: 5 })),
  given("lockoutPolicy", merged(given("maxPasswordAttempts", fc.integer({ min: 1, max: 2 ** 32 - 1 })))),
);

test("the bytes of a message are those that the real encoder writes", () => {
  fc.assert(
    fc.property(fc.array(org, { maxLength: 3 }), (orgs) => {
      const response = { orgs } as unknown as JsonObject;
      const real = toBinary(ExportDataResponseSchema, fromJson(ExportDataResponseSchema, response as JsonValue));
      expect(protoSize(messageNamed(table, "ExportDataResponse"), response)).toBe(real.length);
    }),
  );
});

test("also with every field of an organization, a time limit and a oneof", () => {
  const request = { dataOrgs: { orgs: [fullOrg, otherOrg] }, timeout: "5m0s" };
  const real = toBinary(ImportDataRequestSchema, fromJson(ImportDataRequestSchema, request as unknown as JsonValue));
  expect(protoSize(messageNamed(table, "ImportDataRequest"), request as unknown as JsonObject)).toBe(real.length);
});

test("a payload may hold anything", () => {
  const payload = fc.dictionary(text, fc.jsonValue() as fc.Arbitrary<JsonValue>);
  fc.assert(
    fc.property(payload, fc.nat(), (value, sequence) => {
      const events = [
        {
          ...(sequence === 0 ? {} : { sequence: String(sequence) }),
          creationDate: "2026-01-02T03:04:05.678901Z",
          payload: value,
          aggregate: { id: "a", type: { type: "user", localized: { key: "k", localizedMessage: "m" } } },
        },
      ];
      const answer = { events } as unknown as JsonObject;
      const real = toBinary(ListEventsResponseSchema, fromJson(ListEventsResponseSchema, answer as JsonValue));
      expect(protoSize(messageNamed(table, "ListEventsResponse"), answer)).toBe(real.length);
    }),
  );
});
