import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import { authenticate, authorize, type Caller, type Permission } from "../../http/auth.ts";
import type { JsonObject } from "../../http/json.ts";
import { type MessageName, type MessageType, messageType } from "../../messages/message-type.ts";
import { type Call, headerOf, type Instance } from "../../state/instance.ts";
import type { Org, State } from "../../state/state.ts";

/** What a call needs, and what its path holds. */
export interface Expected {
  /** undefined: any valid token is enough. */
  readonly permission?: Permission;
  /** Error id for a missing permission; absent: the usual one. */
  readonly refusalId?: string;
  /** Values from the path. They replace those of the body. */
  readonly path?: JsonObject;
}

export interface Accepted {
  readonly caller: Caller;
  readonly request: JsonObject;
}

/**
 * Checks a call in the order of the real service: JSON, size, caller and context organization, rules of the message (service
 * behaviour 0.8, 2.8, 2.9). Raises Refusal.
 */
export async function accept(
  call: Call,
  instance: Instance,
  name: MessageName,
  expected: Expected = {},
): Promise<Accepted> {
  const type = await messageType(name, instance.traits.emailRule);
  const body = requestBody(call, instance);
  const message = Object.assign(type.decode(body), expected.path);
  // A JSON text is never shorter than the message it holds.
  if (body.length > instance.maxRequestBytes) checkSize(type.sizeOf(message), instance.maxRequestBytes, "received");
  const caller = acceptCaller(call, instance, expected);
  type.check(message);
  return { caller, request: type.toJson(message) };
}

/** The caller of a call, with its permission checked. For calls without a body. Raises Refusal. */
export function acceptCaller(call: Call, instance: Instance, expected: Omit<Expected, "path"> = {}): Caller {
  const caller = authenticate(headerOf(call, "authorization") ?? "", instance);
  checkOrgHeader(headerOf(call, "x-zitadel-orgid"), instance);
  if (expected.permission !== undefined) authorize(caller, expected.permission, expected.refusalId);
  return caller;
}

/** The context organization must exist (service behaviour 2.8). */
function checkOrgHeader(orgId: string | undefined, { store }: Instance): void {
  const { orgs, removedOrgs } = store.state;
  if (orgId === undefined || orgId === "" || orgs.has(orgId) || removedOrgs.has(orgId)) return;
  throw new Refusal("permissionDenied", "Organisation doesn't exist", "AUTH-Bs7Ds");
}

/** The organization in the header, or the default one. Raises Refusal for a missing one. */
export function ownOrg(call: Call, state: State): Org {
  const org = state.orgs.get(orgIdOf(call, state));
  if (org === undefined) throw new Refusal("notFound", "Organisation not found", "COMMA-aps2n");
  return org;
}

/** The id in the header, or of the default organization. */
export function orgIdOf(call: Call, { instance }: State): string {
  return headerOf(call, "x-zitadel-orgid") ?? instance?.defaultOrgId ?? "";
}

/** An answer that is not larger than the service can give. Raises Refusal. */
export function sizedAnswer(document: JsonObject, type: MessageType, { maxResponseBytes, traits }: Instance): Answer {
  const answer = jsonAnswer(document);
  // A JSON text is never shorter than the message it holds.
  if (answer.body.length > maxResponseBytes)
    checkSize(type.encode(document).length, maxResponseBytes, traits.tooLargeVerb);
  return answer;
}

/** The service's limit for requests and answers (service behaviour 0.9, 0.14). */
function checkSize(bytes: number, most: number, verb: string): void {
  if (bytes <= most) return;
  throw new Refusal("resourceExhausted", tooLargeText(bytes, most, verb));
}

export function tooLargeText(bytes: number, most: number, verb: string): string {
  return `grpc: ${verb} message larger than max (${bytes} vs. ${most})`;
}

/**
 * spec: Import request types data_orgsv1 as a string that holds an export; the real service accepts an object only (service
 * behaviour 2.4, 8). The mode of the specification accepts both.
 */
function requestBody({ body }: Call, { traits }: Instance): Uint8Array {
  const text = traits.takesExportAsString ? Buffer.from(body).toString() : "";
  if (!/"data_?orgs(?:v1)?"\s*:\s*"/i.test(text)) return body;
  try {
    const given: JsonObject = JSON.parse(text);
    const members = Object.entries(given).map(([key, value]) => [
      key,
      typeof value === "string" && /^data_?orgs(?:v1)?$/i.test(key) ? JSON.parse(value) : value,
    ]);
    return Buffer.from(JSON.stringify(Object.fromEntries(members)));
  } catch {
    return body; // decoding it raises the error
  }
}
