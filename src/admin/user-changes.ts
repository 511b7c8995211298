import { endpoints } from "../contract/endpoints.ts";
import { Changed, UserInfo } from "../contract/users.ts";
import { ProblemError } from "../problem.ts";
import { errorIdIn, readAs } from "./answer-json.ts";
import { type AdminApi, type ApiCall, readJson } from "./client.ts";
import { type UserQuestion, userCall } from "./user-call.ts";

/** Calls of the users API that change an existing user (service behaviour 0.28). Each can be repeated. */
export interface UserChanges {
  /** Checks whether the instance supports these calls, without a change. Raises net.* and auth.refused. */
  probe(signal: AbortSignal): Promise<boolean>;
  /** Checks whether the instance has the metadata calls: 4.x has them, 2.x does not. */
  knowsMetadata(signal: AbortSignal): Promise<boolean>;
  /** The id of the token's user; undefined if the instance does not report it. */
  self(signal: AbortSignal): Promise<string | undefined>;
  /**
   * Changes only the fields in the body. Like the other calls, raises problems with an unknown outcome (api.not-json and api.unexpected
   * for a page of a proxy), and auth.refused.
   */
  update(userId: string, body: object, signal: AbortSignal): Promise<ChangeAnswer>;
  setState(
    userId: string,
    step: "lock" | "unlock" | "deactivate" | "reactivate",
    signal: AbortSignal,
  ): Promise<ChangeAnswer>;
  /** Sends an e-mail with a link by which the user sets a password (service behaviour 9.21). */
  sendCode(userId: string, by: "reset" | "invitation", signal: AbortSignal): Promise<ChangeAnswer>;
  removePhone(userId: string, signal: AbortSignal): Promise<ChangeAnswer>;
  /** Values in base64. */
  setMetadata(
    owner: MetadataOwner,
    entries: readonly { readonly key: string; readonly value: string }[],
    signal: AbortSignal,
  ): Promise<ChangeAnswer>;
  /** All of them or none. */
  removeMetadata(owner: MetadataOwner, keys: readonly string[], signal: AbortSignal): Promise<ChangeAnswer>;
  /** Takes a grant, a membership or a link from a user, who may be deleted (service behaviour 9.25). */
  takeAway(belonging: Belonging, signal: AbortSignal): Promise<ChangeAnswer>;
  /** Deletes a user. */
  remove(userId: string, signal: AbortSignal): Promise<ChangeAnswer>;
  /** The same calls for an instance with metadata calls only in the older management API. */
  withOlderMetadata(): UserChanges;
}

/** A grant, a membership or a link of a user, and the organization that it belongs to. */
export interface Belonging {
  readonly list: "userLinks" | "userGrants" | "orgMembers" | "projectMembers" | "projectGrantMembers";
  readonly orgId: string;
  /** The entry of an import. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Of a grant: its own id. */
  readonly grantId: string;
}

/** The path of a belonging in the older API, which every version has. */
const BELONGINGS: Readonly<Record<Belonging["list"], (of: (name: string) => string, grantId: string) => string[]>> = {
  userLinks: (of) => ["users", of("userId"), "idps", of("idpId"), of("providedUserId")],
  userGrants: (of, grantId) => ["users", of("userId"), "grants", grantId],
  orgMembers: (of) => ["orgs", "me", "members", of("userId")],
  projectMembers: (of) => ["projects", of("projectId"), "members", of("userId")],
  projectGrantMembers: (of) => ["projects", of("projectId"), "grants", of("grantId"), "members", of("userId")],
};

/** The user with the metadata. */
export interface MetadataOwner {
  readonly userId: string;
  readonly orgId: string;
}

/** The outcome of a change. `words` is the service's message without secrets, `code` the id of its error or "". */
export type ChangeAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "gone"; readonly words: string }
  | { readonly kind: "refused"; readonly code: string; readonly words: string };

const ROLE = "IAM_OWNER";
/** An id that no user has. */
const UNUSED_ID = "orgferry-asks-whether-users-can-be-changed";

export function createUserChanges(api: Pick<AdminApi, "request">): UserChanges {
  const change = (userId: string, question: UserQuestion, signal: AbortSignal, already: readonly string[] = []) =>
    ask(userCall(userId, question), signal, already);
  const ask = async (
    call: Omit<ApiCall, "role">,
    signal: AbortSignal,
    already: readonly string[] = [],
  ): Promise<ChangeAnswer> => {
    try {
      await readJson(
        await api.request({ ...call, role: ROLE }, signal),
        Changed,
        "something else than what a change came to",
      );
      return { kind: "done" };
    } catch (error) {
      const answer = toChangeAnswer(error);
      return answer.kind === "refused" && already.includes(answer.code) ? { kind: "done" } : answer;
    }
  };
  return {
    async probe(signal) {
      const answer = await unlessNonsense(this.update(UNUSED_ID, {}, signal));
      return answer?.kind === "gone";
    },
    async knowsMetadata(signal) {
      const owner = { userId: UNUSED_ID, orgId: "" };
      const answer = await unlessNonsense(this.setMetadata(owner, [{ key: "none", value: "" }], signal));
      return answer?.kind === "gone" || (answer?.kind === "refused" && answer.words !== UNKNOWN_CALL);
    },
    async self(signal) {
      try {
        const call = { method: "GET", path: endpoints.userInfo.path, body: Buffer.from("{}"), role: ROLE } as const;
        return (await readAs(UserInfo, await api.request(call, signal)))?.sub;
      } catch (error) {
        if (error instanceof ProblemError && error.problem.code.startsWith("api.")) return undefined;
        throw error;
      }
    },
    update: (userId, body, signal) =>
      change(userId, { name: "UpdateHumanUser", method: "PUT", path: endpoints.updateUser.path, body }, signal),
    setState: (userId, step, signal) => change(userId, { name: STATES[step], action: step }, signal, HAS_STATE[step]),
    sendCode: (userId, by, signal) => change(userId, CODES[by], signal),
    removePhone: (userId, signal) =>
      change(userId, { name: "RemovePhone", method: "DELETE", action: "phone" }, signal, [NO_PHONE]),
    setMetadata: ({ userId }, metadata, signal) =>
      change(userId, { name: "SetUserMetadata", action: "metadata", body: { metadata } }, signal),
    async removeMetadata({ userId }, keys, signal) {
      const question = { name: "DeleteUserMetadata", method: "DELETE", action: "metadata", query: { keys } } as const;
      return noneLeft(await change(userId, question, signal));
    },
    // 2.62 has only the older calls (tried).
    withOlderMetadata() {
      const call = ({ userId, orgId }: MetadataOwner, body: object) => ({
        path: `${endpoints.olderUsers.path}/${encodeURIComponent(userId)}/metadata/_bulk`,
        orgId,
        body: Buffer.from(JSON.stringify(body)),
      });
      return {
        ...this,
        setMetadata: (owner, metadata, signal) => ask(call(owner, { metadata }), signal),
        removeMetadata: async (owner, keys, signal) =>
          noneLeft(await ask({ ...call(owner, { keys }), method: "DELETE" }, signal)),
      };
    },
    takeAway({ list, orgId, entry, grantId }, signal) {
      const parts = BELONGINGS[list]((name) => String(entry[name] ?? ""), grantId);
      const path = ["/management/v1", ...parts.map(encodeURIComponent)].join("/");
      return ask({ method: "DELETE", path, orgId, body: Buffer.from("{}") }, signal);
    },
    remove: (userId, signal) => change(userId, { name: "DeleteUser", method: "DELETE" }, signal),
  };
}

const UNKNOWN_CALL = "the instance does not know this call";

const CODES = {
  reset: { name: "PasswordReset", action: "password_reset", body: { sendLink: {} } },
  invitation: { name: "CreateInviteCode", action: "invite_code", body: { sendCode: {} } },
} as const;

const STATES = {
  lock: "LockUser",
  unlock: "UnlockUser",
  deactivate: "DeactivateUser",
  reactivate: "ReactivateUser",
} as const;

/** The ids of errors for a user who is already in the state (tried on v4). */
const HAS_STATE = {
  lock: ["COMMAND-lgws8wtsqf"],
  unlock: ["COMMAND-olb9vb0oca"],
  deactivate: ["COMMAND-5gunjw0cd7"],
  reactivate: ["COMMAND-s5qqcz97hf"],
} as const;
const NO_PHONE = "COMMAND-ieJ2e";
const NO_METADATA = "META-2nnds";

/** Missing keys count as deleted. */
function noneLeft(answer: ChangeAnswer): ChangeAnswer {
  return answer.kind === "gone" && errorIdIn(answer.words) === NO_METADATA ? { kind: "done" } : answer;
}

/** undefined for an answer that does not come from the service. */
async function unlessNonsense(answer: Promise<ChangeAnswer>): Promise<ChangeAnswer | undefined> {
  try {
    return await answer;
  } catch (error) {
    const code = error instanceof ProblemError ? error.problem.code : "";
    if (code === "api.not-json" || code === "api.unexpected") return undefined;
    throw error;
  }
}

function toChangeAnswer(error: unknown): ChangeAnswer {
  if (!(error instanceof ProblemError)) throw error;
  const { problem } = error;
  switch (problem.code) {
    case "api.not-an-instance": {
      // The answer to an unknown path has no id of an error.
      const words = problem.message ?? "";
      const code = errorIdIn(words);
      return code === "" ? { kind: "refused", code, words: UNKNOWN_CALL } : { kind: "gone", words };
    }
    case "auth.forbidden":
      return { kind: "refused", code: errorIdIn(problem.message), words: problem.message };
    case "api.rejected": {
      const { status, message: words } = problem;
      // After an internal error the outcome is unknown.
      if (status >= 500 ? status !== 501 : status === 408 || status === 499) throw error;
      return { kind: "refused", code: errorIdIn(words), words };
    }
    default:
      throw error;
  }
}
