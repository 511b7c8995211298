import type { DescMessage, JsonValue as ProtobufJson } from "@bufbuild/protobuf";
import { LibraryError, Refusal } from "../http/answer.ts";
import type { JsonObject } from "../http/json.ts";
import type { Traits } from "../state/traits.ts";
import { firstDocument } from "./first-document.ts";
import { createRules } from "./rules.ts";

/** A decoded message in the form of `@bufbuild/protobuf`. */
export type Message = ReturnType<Protobuf["create"]>;

/** One message of the service, by its descriptor. */
export interface MessageType {
  readonly descriptor: DescMessage;
  /**
   * Decodes the first JSON value of a body; an empty body is an empty message. Ignores unknown fields and unknown enum names, as
   * the service does (service behaviour 1). Raises Refusal 400 code 3.
   */
  decode(body: Uint8Array): Message;
  /** Decodes a message in protobuf encoding; undefined for other bytes. */
  fromBytes(bytes: Uint8Array): JsonObject | undefined;
  /** Raises Refusal 400 code 3 for the first rule that the message breaks (service behaviour 2.4). */
  check(message: Message): void;
  /** The form in which the service answers: camel case, without default values. */
  toJson(message: Message): JsonObject;
  /** Encodes a message in that form as protobuf. */
  encode(json: JsonObject): Uint8Array;
  /** Bytes in protobuf encoding, which the service's limits refer to (service behaviour 0.9, 0.14). */
  sizeOf(message: Message): number;
}

type Protobuf = Awaited<ReturnType<typeof importProtobuf>>;

const importProtobuf = () => import("@bufbuild/protobuf");
const importRules = () => import("@zitadel/proto/validate/validate_pb.js");

/** The files of the messages that the mock reads and writes. */
const files = {
  "zitadel.admin.v1": () => import("@zitadel/proto/zitadel/admin_pb.js"),
  "zitadel.management.v1": () => import("@zitadel/proto/zitadel/management_pb.js"),
  "zitadel.user.v2": () => import("@zitadel/proto/zitadel/user/v2/user_service_pb.js"),
  "zitadel.org.v2": () => import("@zitadel/proto/zitadel/org/v2/org_service_pb.js"),
  "zitadel.session.v2": () => import("@zitadel/proto/zitadel/session/v2/session_service_pb.js"),
  "zitadel.v1.v1": () => import("@zitadel/proto/zitadel/v1_pb.js"),
} satisfies Record<string, () => Promise<object>>;

/** The full name of a message: `zitadel.admin.v1.ImportDataRequest`. */
export type MessageName = `${keyof typeof files}.${string}`;

const types = new Map<string, Promise<MessageType>>();

/** The message of that name. The first call for a file loads its descriptors: a third of a second for the administration API. */
export function messageType(name: MessageName, emailRule: Traits["emailRule"] = "message"): Promise<MessageType> {
  const key = `${name} ${emailRule}`;
  const known = types.get(key) ?? load(name, emailRule);
  types.set(key, known);
  return known;
}

async function load(name: MessageName, emailRule: Traits["emailRule"]): Promise<MessageType> {
  const at = name.lastIndexOf(".");
  const file = files[name.slice(0, at) as keyof typeof files]; // `MessageName` begins with such a key
  const [library, { rules, required, FieldRulesSchema }, messages] = await Promise.all([
    importProtobuf(),
    importRules(),
    file(),
  ]);
  const descriptor: unknown = Reflect.get(messages, `${name.slice(at + 1)}Schema`);
  if (!isMessage(descriptor)) throw new Error(`no message ${name}`);
  const email = "zitadel.management.v1.ImportHumanUserRequest.Email";
  const shortText = library.create(FieldRulesSchema, { type: { case: "string", value: { minLen: 1n, maxLen: 200n } } });
  const check = createRules(descriptor, {
    ruleOf(field) {
      if (emailRule === "parser" && field.parent.typeName === email && field.name === "email") return shortText;
      return library.hasOption(field, rules) ? library.getOption(field, rules) : undefined;
    },
    isRequired: (oneof) => library.hasOption(oneof, required) && library.getOption(oneof, required),
  });
  return typeOf(descriptor, library, check);
}

function isMessage(value: unknown): value is DescMessage {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "message";
}

function typeOf(descriptor: DescMessage, library: Protobuf, violationOf: ReturnType<typeof createRules>): MessageType {
  const toJson = (message: Message): JsonObject => library.toJson(descriptor, message) as JsonObject; // messages are objects
  return {
    descriptor,
    decode(body) {
      const text = firstDocument(body);
      if (text === undefined) return library.create(descriptor);
      try {
        return library.fromJsonString(descriptor, text, { ignoreUnknownFields: true });
      } catch (error) {
        throw new Refusal("invalidArgument", `proto: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    fromBytes(bytes) {
      try {
        return toJson(library.fromBinary(descriptor, bytes));
      } catch {
        return undefined;
      }
    },
    check(message) {
      const violation = violationOf(message);
      if (violation !== undefined) throw new LibraryError("invalidArgument", violation);
    },
    toJson,
    encode: (json) => library.toBinary(descriptor, library.fromJson(descriptor, json as ProtobufJson)), // kept as JSON
    sizeOf: (message) => library.toBinary(descriptor, message).length,
  };
}
