import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { required as pgvRequired, rules as pgvRules } from "@zitadel/proto/validate/validate_pb.js";
import * as admin from "@zitadel/proto/zitadel/admin_pb.js";
import * as org from "@zitadel/proto/zitadel/org/v2/org_service_pb.js";
import * as session from "@zitadel/proto/zitadel/session/v2/session_service_pb.js";
import * as user from "@zitadel/proto/zitadel/user/v2/user_service_pb.js";
import { expect, test } from "vitest";
import {
  createMessageTable,
  type FieldType,
  type MessageType,
  messageNamed,
  type Rules,
} from "../../src/mock/protojson/message-table.ts";

const table = createMessageTable();

test.each([
  ["ImportDataRequest", admin.ImportDataRequestSchema],
  ["ExportDataRequest", admin.ExportDataRequestSchema],
  ["ListEventsRequest", admin.ListEventsRequestSchema],
  ["ExportDataResponse", admin.ExportDataResponseSchema],
  ["ListEventsResponse", admin.ListEventsResponseSchema],
  ["ListOrgsRequest", admin.ListOrgsRequestSchema],
  ["org.ListOrganizationsRequest", org.ListOrganizationsRequestSchema],
  ["user.AddHumanUserRequest", user.AddHumanUserRequestSchema],
  ["user.UpdateHumanUserRequest", user.UpdateHumanUserRequestSchema],
  ["user.ListUsersRequest", user.ListUsersRequestSchema],
  ["user.SetEmailRequest", user.SetEmailRequestSchema],
  ["user.SetPasswordRequest", user.SetPasswordRequestSchema],
  ["user.AddIDPLinkRequest", user.AddIDPLinkRequestSchema],
  ["user.ListIDPLinksRequest", user.ListIDPLinksRequestSchema],
  ["user.SetUserMetadataRequest", user.SetUserMetadataRequestSchema],
  ["user.ListUserMetadataRequest", user.ListUserMetadataRequestSchema],
])("the mock knows %s as the real service declares it, with every message in it", (name, schema) => {
  const compared = compare(messageNamed(table, name), schema, new Set());
  expect(compared).toBeGreaterThanOrEqual(2);
});

test("of a sign-in the mock knows who it is and the password, as the real service declares them", () => {
  const parts: readonly (readonly [string, DescMessage])[] = [
    ["session.CreateSessionRequest", session.CreateSessionRequestSchema],
    ["session.Checks", session.ChecksSchema],
    ["session.CheckUser", session.CheckUserSchema],
    ["session.CheckPassword", session.CheckPasswordSchema],
  ];
  for (const [name, schema] of parts) {
    expect(schema.fields.map(realSummary), name).toEqual(
      expect.arrayContaining(messageNamed(table, name).fields.map(summary)),
    );
  }
});

/** Compares two descriptions of a message, and of all messages below it; gives how many there were. */
function compare(ours: MessageType, real: DescMessage, seen: Set<string>): number {
  if (seen.has(real.typeName)) return 0;
  seen.add(real.typeName);
  expect(ours.fields.map(summary), real.typeName).toEqual(real.fields.map(realSummary));
  let count = 1;
  for (const [index, field] of real.fields.entries()) {
    const kind = ours.fields[index]?.kind;
    const message = field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
    if (kind?.is === "message" && message !== undefined) count += compare(kind.message, message, seen);
  }
  return count;
}

function summary({ kind, go: _go, ...field }: FieldType): unknown {
  const type =
    kind.is === "scalar" ? kind.scalar : kind.is === "enum" ? Object.fromEntries(kind.enum.numberOf) : kind.is;
  return { oneof: undefined, ...field, type };
}

function realSummary(field: DescField): unknown {
  return {
    proto: field.name,
    json: field.jsonName,
    number: field.number,
    repeated: field.fieldKind === "list",
    type: realType(field),
    oneof: field.oneof?.name,
    oneofRequired:
      field.oneof !== undefined && hasOption(field.oneof, pgvRequired) && getOption(field.oneof, pgvRequired),
    optional: field.proto.proto3Optional,
    rules: realRules(field),
  };
}

function realType(field: DescField): unknown {
  if (field.enum !== undefined) return Object.fromEntries(field.enum.values.map(({ name, number }) => [name, number]));
  if (field.scalar !== undefined) return ScalarType[field.scalar].toLowerCase();
  const name = field.message?.typeName;
  return wellKnown[name ?? ""] ?? "message";
}

const wellKnown: Readonly<Record<string, string>> = {
  "google.protobuf.Duration": "duration",
  "google.protobuf.Timestamp": "timestamp",
  "google.protobuf.Struct": "struct",
};

const open = (min: bigint, max: bigint): Rules["length"] | undefined =>
  min === 0n && max === 0n ? undefined : { min: Number(min), max: max === 0n ? Number.POSITIVE_INFINITY : Number(max) };

function realRules(field: DescField): Rules {
  if (!hasOption(field, pgvRules)) return {};
  const { type, message } = getOption(field, pgvRules);
  const found: Record<string, unknown> = message?.required === true ? { required: true } : {};
  switch (type.case) {
    case "string": {
      const { minLen, maxLen, minBytes, maxBytes, prefix, wellKnown, ignoreEmpty } = type.value;
      Object.assign(found, { length: open(minLen, maxLen), bytes: open(minBytes, maxBytes) });
      Object.assign(found, { prefix: prefix || undefined, email: wellKnown.case === "email" ? true : undefined });
      Object.assign(found, { ignoreEmpty: ignoreEmpty || undefined });
      break;
    }
    case "bytes":
      Object.assign(found, { bytes: open(type.value.minLen, type.value.maxLen) });
      break;
    case "enum":
      Object.assign(found, {
        defined: type.value.definedOnly || undefined,
        notZero: type.value.notIn.includes(0) || undefined,
      });
      break;
    case "bool":
      Object.assign(found, { beTrue: type.value.const || undefined });
      break;
    case "duration":
      Object.assign(found, { seconds: { min: Number(type.value.gte?.seconds), max: Number(type.value.lte?.seconds) } });
      break;
    case "repeated":
      Object.assign(found, { maxItems: Number(type.value.maxItems) });
      break;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}
