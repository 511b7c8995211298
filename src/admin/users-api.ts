import { endpoints } from "../contract/endpoints.ts";
import { UserAdded, UserFound } from "../contract/users.ts";
import { ProblemError, type RunProblem } from "../problem.ts";
import { errorIdIn, readAs } from "./answer-json.ts";
import type { AdminApi } from "./client.ts";
import { userCall } from "./user-call.ts";

/** The users API of an instance: one user per call (service behaviour 0.3). An instance may not have it, or may forbid it. */
export interface UsersApi {
  /** Checks whether the API can create users, without creating one. Raises net.* and auth.refused. */
  probe(signal: AbortSignal): Promise<"there" | Absence>;
  /** Creates a user. Raises problems with an unknown outcome, and auth.refused. */
  add(body: Buffer, signal: AbortSignal): Promise<UserAnswer>;
  /** A user by id; undefined if there is none, or the instance does not answer. A new user may not be found yet (0.26). */
  find(userId: string, signal: AbortSignal): Promise<UserFound["user"] | undefined>;
  /** Deactivates or locks a user. Raises problems with an unknown outcome, and auth.refused. */
  setState(userId: string, state: "deactivate" | "lock", signal: AbortSignal): Promise<StateAnswer>;
}

/** Why the users API is not available. */
export type Absence = "missing" | "forbidden" | "nonsense";

/** The outcome of creating a user. `words` is the service's message without secrets, `code` the id of its error or "". */
export type UserAnswer =
  | { readonly kind: "made"; readonly userId: string; readonly date: Date | undefined }
  /** The id exists. */
  | { readonly kind: "there"; readonly words: string }
  /** A unique value is in use: the name, or another call is creating the user (0.5). */
  | { readonly kind: "taken"; readonly words: string }
  | { readonly kind: "refused"; readonly code: string; readonly words: string }
  /** `problem`: the reason. The user may have been created although the answer is invalid ("nonsense"). */
  | { readonly kind: "absent"; readonly why: Absence; readonly problem: RunProblem };

/** The outcome of changing a user's state; "already" if the user was in the state. */
export type StateAnswer =
  | { readonly kind: "changed" | "already" }
  | { readonly kind: "refused"; readonly words: string };

const ROLE = "IAM_OWNER";
const NOTHING = Buffer.from("{}");

export function createUsersApi(api: Pick<AdminApi, "request">): UsersApi {
  return {
    async probe(signal) {
      // A service with this API refuses a user without a profile.
      const answer = await this.add(NOTHING, signal);
      if (answer.kind === "refused") return "there";
      return answer.kind === "absent" ? answer.why : "nonsense";
    },
    async add(body, signal) {
      try {
        const answer = await api.request({ path: endpoints.addUser.path, body, role: ROLE }, signal);
        const { date } = answer;
        const added = await readAs(UserAdded, answer);
        if (added !== undefined) return { kind: "made", userId: added.userId, date };
        const problem = {
          code: "api.unexpected",
          host: answer.host,
          what: "no id of the new user",
        } as const;
        return { kind: "absent", why: "nonsense", problem };
      } catch (error) {
        return toUserAnswer(problemOf(error));
      }
    },
    async find(userId, signal) {
      try {
        const call = userCall(userId, { name: "GetUserByID", method: "GET" });
        const answer = await api.request({ ...call, role: ROLE }, signal);
        return (await readAs(UserFound, answer))?.user;
      } catch (error) {
        const { code } = problemOf(error);
        if (code.startsWith("api.") || code === "auth.forbidden") return undefined;
        throw error;
      }
    },
    async setState(userId, state, signal) {
      try {
        const call = userCall(userId, { name: state === "lock" ? "LockUser" : "DeactivateUser", action: state });
        await (await api.request({ ...call, role: ROLE }, signal)).text();
        return { kind: "changed" };
      } catch (error) {
        const problem = problemOf(error);
        if (!isRefusal(problem)) throw error;
        const words = "message" in problem ? problem.message : problem.code;
        // An inactive user cannot be locked, but cannot sign in either.
        return HAS_STATE.test(words) ? { kind: "already" } : { kind: "refused", words };
      }
    },
  };
}

/** COMMAND-5gunjw0cd7: already inactive. COMMAND-lgws8wtsqf: neither active nor new. Tried on versions 2.62 and 4. */
const HAS_STATE = /COMMAND-(?:5gunjw0cd7|lgws8wtsqf)/;

/** The problem of a failure; raises other errors. */
function problemOf(error: unknown): RunProblem {
  if (error instanceof ProblemError) return error.problem;
  throw error;
}

function toUserAnswer(problem: RunProblem): UserAnswer {
  switch (problem.code) {
    case "api.not-an-instance":
      return { kind: "absent", why: "missing", problem };
    case "api.not-json":
    case "api.unexpected":
    case "api.redirected":
      return { kind: "absent", why: "nonsense", problem };
    case "auth.forbidden":
      return isUnknownOrg(problem.message) ? refused(problem.message) : { kind: "absent", why: "forbidden", problem };
    case "api.rejected":
      if (problem.status === 405 || problem.status === 501) return { kind: "absent", why: "missing", problem };
      if (!isRefusal(problem)) throw new ProblemError(problem);
      return refused(problem.message);
    default:
      throw new ProblemError(problem);
  }
}

/** True for a refusal before any work; after an internal error (5xx) the outcome is unknown. */
function isRefusal(problem: RunProblem): boolean {
  return problem.code === "api.rejected"
    ? problem.status >= 400 && problem.status < 499 && problem.status !== 408
    : problem.code === "api.not-an-instance" || problem.code === "auth.forbidden";
}

/** The service reports an unknown organization as a missing permission (AUTH-Bs7Ds; tried). */
function isUnknownOrg(words: string): boolean {
  return errorIdIn(words) === "AUTH-Bs7Ds";
}

function refused(words: string): UserAnswer {
  const code = errorIdIn(words);
  if (code === "COMMAND-7yiox1isql" || words.includes("Errors.User.AlreadyExisting")) return { kind: "there", words };
  return code === "V3-DKcYh" ? { kind: "taken", words } : { kind: "refused", code, words };
}
