import type { ServiceFault } from "../http/answer.ts";
import { isObject, type JsonObject, listAt, textAt, valueAt } from "../http/json.ts";
import { firstDocument } from "../messages/first-document.ts";
import { userEvent } from "../users/human-events.ts";
import { hashPassword, isKnownEncoding } from "../users/verifiers.ts";
import type { ImportContext } from "./import-context.ts";

const MOST = 10;

/** Copies the recovery codes of a body into its decoded message: the descriptors do not have this field. */
export function addRecoveryCodes(request: JsonObject, body: Uint8Array): void {
  const text = firstDocument(body) ?? "";
  if (!/"recovery_?codes"/i.test(text)) return;
  const given: JsonObject = JSON.parse(text);
  const givenOrgs = eachOf(either(given, "dataOrgs", "data_orgs"), "orgs", "orgs");
  for (const [at, org] of listAt(request["dataOrgs"], "orgs").entries()) {
    const givenUsers = eachOf(givenOrgs[at], "humanUsers", "human_users");
    for (const [index, { user }] of listAt(org, "humanUsers").entries()) {
      const codes = either(valueAt(givenUsers[index], "user"), "recoveryCodes", "recovery_codes");
      if (isObject(user) && codes !== undefined) user["recoveryCodes"] = codes;
    }
  }
}

function either(value: JsonObject[string], camel: string, snake: string): JsonObject[string] {
  return valueAt(value, camel) ?? valueAt(value, snake);
}

function eachOf(value: JsonObject[string], camel: string, snake: string): readonly JsonObject[] {
  return listAt({ list: either(value, camel, snake) }, "list");
}

/**
 * Adds the recovery codes of a user that was created. With too many codes, or with a hash of no known prefix, the user has none
 * (tried on v4.15).
 */
export async function setRecoveryCodes(context: ImportContext, given: JsonObject): Promise<void> {
  const userId = textAt(given, "userId");
  const codes = listAt(given["user"], "recoveryCodes");
  const fault = codesFault(codes, context);
  if (fault !== undefined) {
    context.fail("human_user_recovery_codes", userId, fault);
    return;
  }
  const hashes = await Promise.all(
    codes.map(({ hash, raw }) => (hash === undefined ? hashPassword(String(raw)) : hash)),
  );
  const where = { userId, orgId: context.org.id, editor: context.caller.userId };
  if (context.events) context.store.push([userEvent(where, "user.human.mfa.recoverycode.added", { codes: hashes })]);
}

function codesFault(codes: readonly JsonObject[], { verifiers }: ImportContext): ServiceFault | undefined {
  if (codes.length > MOST) return { id: "COMMAND-53cjw", key: "Errors.User.MFA.RecoveryCodes.MaxCountExceeded" };
  const isKnown = (code: JsonObject): boolean =>
    textAt(code, "raw") !== "" || isKnownEncoding(textAt(code, "hash"), verifiers);
  return codes.every(isKnown) ? undefined : { id: "DOMAIN-JDk4t", key: "Errors.Hash.NotSupported" };
}
