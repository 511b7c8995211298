import type * as z from "zod";
import { endpoints } from "../contract/endpoints.ts";
import { UserAdded, UserFound } from "../contract/users.ts";
import { ProblemError, type RunProblem } from "../problem.ts";
import type { Answer } from "./call.ts";
import type { AdminApi } from "./client.ts";
import { userCall } from "./user-call.ts";

/** The users API of an instance: one person a call (service behaviour 0.3). Not every instance has it, or lets it be used. */
export interface UsersApi {
  /** Finds out whether users can be made this way, without making one. Raises net.* and auth.refused. */
  probe(signal: AbortSignal): Promise<"there" | Absence>;
  /** Makes a user. Raises what leaves the outcome open, and auth.refused. */
  add(body: Buffer, signal: AbortSignal): Promise<UserAnswer>;
  /** A user by id; undefined when the instance has none, or does not tell. What was just made may not be found yet (0.26). */
  find(userId: string, signal: AbortSignal): Promise<UserFound["user"] | undefined>;
  /** Takes a user out of use. Raises what leaves the outcome open, and auth.refused. */
  setState(userId: string, state: "deactivate" | "lock", signal: AbortSignal): Promise<StateAnswer>;
}

/** Why there is no users API for us. */
export type Absence = "missing" | "forbidden" | "nonsense";

/** What came of making a user. The words are the service's, without secrets; the code is the id of its error, "" where it gives none. */
export type UserAnswer =
  | { readonly kind: "made"; readonly userId: string; readonly date: Date | undefined }
  /** The id is there. */
  | { readonly kind: "there"; readonly words: string }
  /** Something of the user must be unique and is in use: the name, or the user is being made by another call (0.5). */
  | { readonly kind: "taken"; readonly words: string }
  | { readonly kind: "refused"; readonly code: string; readonly words: string }
  /** `problem`: what it would be if the API were there. A whole answer that makes no sense ("nonsense") may follow on work that was done. */
  | { readonly kind: "absent"; readonly why: Absence; readonly problem: RunProblem };

/** What came of changing a user's state; "already" when it had it. */
export type StateAnswer =
  | { readonly kind: "changed" | "already" }
  | { readonly kind: "refused"; readonly words: string };

const ROLE = "IAM_OWNER";
const NOTHING = Buffer.from("{}");

export function createUsersApi(api: Pick<AdminApi, "request">): UsersApi {
  return {
    async probe(signal) {
      // A user without a profile is refused by everybody who makes users at all.
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
          what: "no id of the user that was to be made",
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
        // An inactive user cannot be locked either, and is out of use all the same.
        return HAS_STATE.test(words) ? { kind: "already" } : { kind: "refused", words };
      }
    },
  };
}

/** COMMAND-5gunjw0cd7: already inactive. COMMAND-lgws8wtsqf: neither active nor new. Tried on versions 2.62 and 4. */
const HAS_STATE = /COMMAND-(?:5gunjw0cd7|lgws8wtsqf)/;

/** The problem of a refusal; everything else is raised on. */
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

/** Said before anything was done; of a broken service (5xx) nobody knows. */
function isRefusal(problem: RunProblem): boolean {
  return problem.code === "api.rejected"
    ? problem.status >= 400 && problem.status < 499 && problem.status !== 408
    : problem.code === "api.not-an-instance" || problem.code === "auth.forbidden";
}

/** A wrong organization is answered as if a right were missing (AUTH-Bs7Ds; tried). */
function isUnknownOrg(words: string): boolean {
  return codeIn(words) === "AUTH-Bs7Ds";
}

function refused(words: string): UserAnswer {
  const code = codeIn(words);
  if (code === "COMMAND-7yiox1isql" || words.includes("Errors.User.AlreadyExisting")) return { kind: "there", words };
  return code === "V3-DKcYh" ? { kind: "taken", words } : { kind: "refused", code, words };
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
