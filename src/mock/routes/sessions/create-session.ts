import { randomBytes } from "node:crypto";
import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import type { Caller } from "../../http/auth.ts";
import { isObject, type JsonObject, textAt, valueAt } from "../../http/json.ts";
import { generatedId } from "../../state/generated-id.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { type StoredUser, storedUser } from "../../state/lookup.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { gapsOf } from "../../users/gaps.ts";
import { stateOf } from "../../users/human-user.ts";
import { usersByLoginName } from "../../users/search.ts";
import { hashPassword, isHashable, needsNewHash, verifyPassword } from "../../users/verifiers.ts";
import { accept } from "../shared/accept.ts";
import { userNotFound } from "../users/read-users.ts";
import { changeUser, eventsOf, NO_RIGHT } from "../users/target.ts";

/** `POST /v2/sessions`: signs a user in and verifies the password (service behaviour 0.7, 0.26). */
export async function createSession(call: Call, instance: Instance): Promise<Answer> {
  const guard = instance.traits.guardsSessions ? ({ permission: "session.write", refusalId: NO_RIGHT } as const) : {};
  const { caller, request } = await accept(call, instance, "zitadel.session.v2.CreateSessionRequest", guard);
  const user = userIn(valueAt(request, "checks", "user"), call, instance);
  const password = valueAt(request, "checks", "password");
  if (isObject(password)) {
    if (user === undefined) throw new Refusal("failedPrecondition", "User ID missing", "COMMAND-Sfw3f");
    await checkPassword(textAt(password, "password"), user, caller, instance);
  }
  const { store } = instance;
  const sessionId = generatedId();
  const resourceOwner = store.state.instance?.id ?? "";
  const checkedAt = timestampOf(instance.now().getTime() * 1000);
  // Events of a session belong to the instance; their payload names the user (service behaviour 0.40).
  const where = { aggregateType: "session", aggregateId: sessionId, orgId: resourceOwner, editor: caller.userId };
  const payloads: Readonly<Record<string, JsonObject | undefined>> = {
    "session.added": {},
    "session.user.checked": user && { checkedAt, userID: user.id, userResourceOwner: user.org.id },
    "session.password.checked": isObject(password) ? { checkedAt } : undefined,
    "session.token.set": { tokenID: generatedId() },
  };
  const events = Object.entries(payloads).flatMap(([type, payload]) => (payload ? [{ ...where, type, payload }] : []));
  store.push(events);
  store.commit();
  const details = { sequence: String(events.length), changeDate: checkedAt, resourceOwner };
  return jsonAnswer({ details, sessionId, sessionToken: randomBytes(58).toString("base64url") }, 201);
}

/** The user in the request, if there is one. Raises Refusal for a user that is unknown, not returned yet, without that login name, or inactive. */
function userIn(check: JsonObject[string], call: Call, { store }: Instance): StoredUser | undefined {
  if (!isObject(check)) return undefined;
  const { state } = store;
  const { hidden, nameless } = gapsOf(state, call);
  const loginName = textAt(check, "loginName");
  const user =
    loginName === ""
      ? storedUser(state, textAt(check, "userId"))
      : usersByLoginName(state, loginName).find(({ id }) => !nameless.has(id));
  if (user === undefined || hidden.has(user.id)) throw userNotFound();
  if (["USER_STATE_LOCKED", "USER_STATE_INACTIVE"].includes(stateOf(user.entry))) {
    throw new Refusal("failedPrecondition", "Errors.User.NotActive", "SESSION-Gj4ko");
  }
  return user;
}

/** Verifies a password and writes the result; a hash with other parameters is replaced (service behaviour 0.28). Raises Refusal. */
async function checkPassword(password: string, found: StoredUser, caller: Caller, instance: Instance): Promise<void> {
  const hash = textAt(found.entry, "user", "hashedPassword", "value");
  if (hash === "") throw new Refusal("failedPrecondition", "User has not set a password", "COMMAND-3nJ4t");
  if (isLockedSince(found, instance)) {
    throw new Refusal("failedPrecondition", "Errors.User.Locked", "COMMAND-JLK35", checkDetail(instance, {}));
  }
  const check = await verifyPassword(password, hash, instance.verifiers);
  const again = check === "right" && needsNewHash(hash);
  if (check === "broken" || (again && !isHashable(password))) {
    throw new Refusal("internal", "An internal error occurred", "COMMAND-CahN2");
  }
  const fresh = again ? await hashPassword(password) : undefined;
  // The user may have been changed or deleted in the meantime.
  const user = storedUser(instance.store.state, found.id);
  if (user === undefined) throw userNotFound();
  const event = eventsOf(user, caller);
  if (check === "wrong") {
    changeUser(instance, user, { events: [event("user.human.password.check.failed")] });
    const detail = checkDetail(instance, { failedAttempts: failedChecks(user, instance) });
    throw new Refusal("invalidArgument", "Password is invalid", "COMMAND-3M0fs", detail);
  }
  const renewed = fresh === undefined ? [] : [event("user.human.password.hash.updated", { encodedHash: fresh })];
  changeUser(instance, user, {
    user: fresh === undefined ? undefined : { hashedPassword: { value: fresh } },
    events: [event("user.human.password.check.succeeded"), ...renewed],
  });
}

function checkDetail({ traits }: Instance, more: JsonObject) {
  return traits.countsFailedChecks ? { type: "CredentialsCheckError", more } : undefined;
}

/** The number of wrong passwords in a row. */
function failedChecks({ id }: StoredUser, { store }: Instance): number {
  let failed = 0;
  for (const { type } of store.state.events.ofAggregate(id)) {
    if (type === "user.human.password.check.failed") failed += 1;
    else if (/password\.(check\.succeeded|changed)$|^user\.(human\.added|unlocked)$/.test(type)) break;
  }
  return failed;
}

/** Locked and not unlocked since, even if another call changed the state: password checks still see the lock (probed on v4). */
function isLockedSince({ id }: StoredUser, { store }: Instance): boolean {
  return store.state.events.latest(id, "user.locked", "user.unlocked")?.type === "user.locked";
}
