import { randomBytes } from "node:crypto";
import { type Answer, jsonAnswer, Refusal } from "../../http/answer.ts";
import type { Caller } from "../../http/auth.ts";
import { isObject, type JsonObject, textAt, valueAt } from "../../http/json.ts";
import { generatedId } from "../../state/generated-id.ts";
import type { Call, Instance } from "../../state/instance.ts";
import { type StoredUser, storedUser } from "../../state/lookup.ts";
import type { NewEvent } from "../../state/store.ts";
import { timestampOf } from "../../state/timestamp.ts";
import { gapsOf } from "../../users/gaps.ts";
import { stateOf } from "../../users/human-user.ts";
import { usersByLoginName } from "../../users/search.ts";
import { hashPassword, isHashable, needsNewHash, type PasswordCheck, verifyPassword } from "../../users/verifiers.ts";
import { accept } from "../shared/accept.ts";
import { userNotFound } from "../users/read-users.ts";
import { changeUser, eventsOf, NO_RIGHT } from "../users/target.ts";

/** `POST /v2/sessions`: signs a user in and verifies the password (service behaviour 0.7, 0.26). */
export async function createSession(call: Call, instance: Instance): Promise<Answer> {
  const { traits } = instance;
  const guard = traits.guardsSessions ? ({ permission: "session.write", refusalId: NO_RIGHT } as const) : {};
  const { caller, request } = await accept(call, instance, "zitadel.session.v2.CreateSessionRequest", guard);
  const user = userIn(valueAt(request, "checks", "user"), call, instance);
  const password = valueAt(request, "checks", "password");
  if (isObject(password)) {
    if (user === undefined) throw new Refusal("failedPrecondition", "User ID missing", "COMMAND-Sfw3f");
    await checkPassword(textAt(password, "password"), user, { caller, instance });
  }
  const sessionId = generatedId();
  const resourceOwner = instance.store.state.instance?.id ?? "";
  const where = { aggregateType: "session", aggregateId: sessionId, orgId: resourceOwner, editor: caller.userId };
  const checkedAt = timestampOf(instance.now().getTime() * 1000);
  const events = sessionEvents({ user, hasPassword: isObject(password), checkedAt }, where);
  instance.store.push(events);
  instance.store.commit();
  return jsonAnswer(
    {
      details: { sequence: String(events.length), changeDate: checkedAt, resourceOwner },
      sessionId,
      sessionToken: randomBytes(58).toString("base64url"),
    },
    201,
  );
}

interface Checked {
  readonly user: StoredUser | undefined;
  readonly hasPassword: boolean;
  readonly checkedAt: string;
}

/** The events of a new session. They belong to the instance; their payload names the user (service behaviour 0.40). */
function sessionEvents({ user, hasPassword, checkedAt }: Checked, where: Omit<NewEvent, "type">): readonly NewEvent[] {
  const event = (type: string, payload: JsonObject): NewEvent => ({ ...where, type, payload });
  return [
    event("session.added", {}),
    ...(user === undefined
      ? []
      : [event("session.user.checked", { checkedAt, userID: user.id, userResourceOwner: user.org.id })]),
    ...(hasPassword ? [event("session.password.checked", { checkedAt })] : []),
    event("session.token.set", { tokenID: generatedId() }),
  ];
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

interface CheckContext {
  readonly caller: Caller;
  readonly instance: Instance;
}

async function checkPassword(password: string, user: StoredUser, { caller, instance }: CheckContext): Promise<void> {
  const hash = textAt(user.entry, "user", "hashedPassword", "value");
  if (hash === "") throw new Refusal("failedPrecondition", "User has not set a password", "COMMAND-3nJ4t");
  if (isLockedSince(user, instance)) {
    throw new Refusal("failedPrecondition", "Errors.User.Locked", "COMMAND-JLK35", checkDetail(instance, {}));
  }
  const check = await verifyPassword(password, hash, instance.verifiers);
  const again = needsNewHash(hash);
  if (check === "broken" || (check === "right" && again && !isHashable(password))) {
    throw new Refusal("internal", "An internal error occurred", "COMMAND-CahN2");
  }
  const fresh = check === "right" && again ? await hashPassword(password) : undefined;
  // The user may have been changed or deleted in the meantime.
  const now = storedUser(instance.store.state, user.id);
  if (now === undefined) throw userNotFound();
  recordCheck(now, check, { caller, instance }, fresh);
}

/** Writes the result; a hash with other parameters is replaced (service behaviour 0.28). Raises Refusal for a wrong password. */
function recordCheck(
  user: StoredUser,
  check: PasswordCheck,
  { caller, instance }: CheckContext,
  fresh: string | undefined,
): void {
  const event = eventsOf(user, caller);
  if (check === "wrong") {
    changeUser(instance, user, { events: [event("user.human.password.check.failed")] });
    const failedAttempts = failedChecks(user, instance);
    throw new Refusal(
      "invalidArgument",
      "Password is invalid",
      "COMMAND-3M0fs",
      checkDetail(instance, { failedAttempts }),
    );
  }
  changeUser(instance, user, {
    user: fresh === undefined ? undefined : { hashedPassword: { value: fresh } },
    events: [
      event("user.human.password.check.succeeded"),
      ...(fresh === undefined ? [] : [event("user.human.password.hash.updated", { encodedHash: fresh })]),
    ],
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
