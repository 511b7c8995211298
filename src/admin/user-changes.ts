import type * as z from "zod";
import { endpoints } from "../contract/endpoints.ts";
import { Changed, UserInfo } from "../contract/users.ts";
import { ProblemError } from "../problem.ts";
import type { Answer } from "./call.ts";
import { type AdminApi, type ApiCall, readJson } from "./client.ts";
import { type UserQuestion, userCall } from "./user-call.ts";

/** Calls of the users API that change a user who is there (service behaviour 0.28). Each may be made again: what is so already is done. */
export interface UserChanges {
  /** Finds out whether users can be changed this way, without changing one. Raises net.* and auth.refused. */
  probe(signal: AbortSignal): Promise<boolean>;
  /** Whether the instance knows metadata of users, as 4.x does and 2.x does not. */
  knowsMetadata(signal: AbortSignal): Promise<boolean>;
  /** The id of the user whose token this is; undefined where the instance does not tell. */
  self(signal: AbortSignal): Promise<string | undefined>;
  /** Changes what the body gives, and nothing else. Raises, as the others, what leaves the outcome open (api.not-json and api.unexpected for a page of a proxy), and auth.refused. */
  update(userId: string, body: object, signal: AbortSignal): Promise<ChangeAnswer>;
  setState(
    userId: string,
    step: "lock" | "unlock" | "deactivate" | "reactivate",
    signal: AbortSignal,
  ): Promise<ChangeAnswer>;
  removePhone(userId: string, signal: AbortSignal): Promise<ChangeAnswer>;
  /** Values in base64. */
  setMetadata(
    owner: MetadataOwner,
    entries: readonly { readonly key: string; readonly value: string }[],
    signal: AbortSignal,
  ): Promise<ChangeAnswer>;
  /** All of them or none. */
  removeMetadata(owner: MetadataOwner, keys: readonly string[], signal: AbortSignal): Promise<ChangeAnswer>;
  /** Removes a user for good. */
  remove(userId: string, signal: AbortSignal): Promise<ChangeAnswer>;
  /** The same, for an instance that knows no metadata of users but by the older management API. */
  withOlderMetadata(): UserChanges;
}

/** Whose metadata they are. */
export interface MetadataOwner {
  readonly userId: string;
  readonly orgId: string;
}

/** What came of a change. The words are the service's, without secrets; the code is the id of its error, "" where it gives none. */
export type ChangeAnswer =
  | { readonly kind: "done" }
  | { readonly kind: "gone"; readonly words: string }
  | { readonly kind: "refused"; readonly code: string; readonly words: string };

const ROLE = "IAM_OWNER";
/** An id that nobody has. */
const NOBODY = "orgferry-asks-whether-users-can-be-changed";

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
      const answer = await unlessNonsense(this.update(NOBODY, {}, signal));
      return answer?.kind === "gone";
    },
    async knowsMetadata(signal) {
      const owner = { userId: NOBODY, orgId: "" };
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
    removePhone: (userId, signal) =>
      change(userId, { name: "RemovePhone", method: "DELETE", action: "phone" }, signal, [NO_PHONE]),
    setMetadata: ({ userId }, metadata, signal) =>
      change(userId, { name: "SetUserMetadata", action: "metadata", body: { metadata } }, signal),
    async removeMetadata({ userId }, keys, signal) {
      const question = { name: "DeleteUserMetadata", method: "DELETE", action: "metadata", query: { keys } } as const;
      return noneLeft(await change(userId, question, signal));
    },
    // 2.62 knows them by an older call alone (tried).
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
    remove: (userId, signal) => change(userId, { name: "DeleteUser", method: "DELETE" }, signal),
  };
}

const UNKNOWN_CALL = "the instance does not know this call";

const STATES = {
  lock: "LockUser",
  unlock: "UnlockUser",
  deactivate: "DeactivateUser",
  reactivate: "ReactivateUser",
} as const;

/** What the service says to somebody who has the state already (tried on v4). */
const HAS_STATE = {
  lock: ["COMMAND-lgws8wtsqf"],
  unlock: ["COMMAND-olb9vb0oca"],
  deactivate: ["COMMAND-5gunjw0cd7"],
  reactivate: ["COMMAND-s5qqcz97hf"],
} as const;
const NO_PHONE = "COMMAND-ieJ2e";
const NO_METADATA = "META-2nnds";

/** Keys that are not there need not be removed. */
function noneLeft(answer: ChangeAnswer): ChangeAnswer {
  return answer.kind === "gone" && codeIn(answer.words) === NO_METADATA ? { kind: "done" } : answer;
}

/** Undefined for a whole answer that is none of a service's. */
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
      // An unknown path is answered without the id of an error.
      const words = problem.message ?? "";
      const code = codeIn(words);
      return code === "" ? { kind: "refused", code, words: UNKNOWN_CALL } : { kind: "gone", words };
    }
    case "auth.forbidden":
      return { kind: "refused", code: codeIn(problem.message), words: problem.message };
    case "api.rejected": {
      const { status, message: words } = problem;
      // Of a broken service nobody knows what it did.
      if (status >= 500 ? status !== 501 : status === 408 || status === 499) throw error;
      return { kind: "refused", code: codeIn(words), words };
    }
    default:
      throw error;
  }
}

/** The id of an error, which the service puts behind its words. */
function codeIn(words: string): string {
  return /\(([A-Z0-9]+-[A-Za-z0-9]+)\)\s*$/.exec(words)?.[1] ?? "";
}

async function readAs<T extends z.ZodType>(schema: T, answer: Answer): Promise<z.infer<T> | undefined> {
  const text = await answer.text();
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
