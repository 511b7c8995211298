import { endpoints } from "../contract/endpoints.ts";
import type { ApiCall } from "./client.ts";

/** A call about a user. `name` is the variant of the call with the id in its body. */
export interface UserQuestion {
  readonly name: string;
  readonly method?: ApiCall["method"];
  /** The path before the id; default: that of users. */
  readonly path?: string;
  /** The path after the id. */
  readonly action?: string;
  readonly body?: object;
  /** Query of the path, or members of the body. */
  readonly query?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Builds a call about one user. The id goes into the body if it is not valid in a path: the service does not find a path with an encoded
 * slash, and answers other characters than ASCII with an internal error (tried on version 4; 2.62 refuses calls with the id in the body).
 */
export function userCall(userId: string, question: UserQuestion): Pick<ApiCall, "method" | "path" | "body"> {
  const { name, method, path = endpoints.users.path, action, body = {}, query = {} } = question;
  if (INVALID_IN_PATH.test(userId)) {
    const whole = { userId, ...body, ...query };
    return { path: `${endpoints.userService.path}/${name}`, body: Buffer.from(JSON.stringify(whole)) };
  }
  const values = Object.entries(query).flatMap(([key, all]) => all.map((one) => `${key}=${encodeURIComponent(one)}`));
  const place = [path, encodeURIComponent(userId), ...(action === undefined ? [] : [action])].join("/");
  return {
    ...(method === undefined ? {} : { method }),
    path: values.length === 0 ? place : `${place}?${values.join("&")}`,
    body: Buffer.from(JSON.stringify(body)),
  };
}

const INVALID_IN_PATH = /[^\x20-\x7e]|\//;
