import { endpoints } from "../contract/endpoints.ts";
import type { ApiCall } from "./client.ts";

/** What is asked of a user: the same in a path and, by `name`, in the call that takes the id in its body. */
export interface UserQuestion {
  readonly name: string;
  readonly method?: ApiCall["method"];
  /** Without one: the user itself. */
  readonly path?: string;
  /** Behind the id. */
  readonly action?: string;
  readonly body?: object;
  /** Goes into the path; in a body it stands as it is. */
  readonly query?: Readonly<Record<string, readonly string[]>>;
}

/**
 * A call about one user. An id that no path can hold goes into the body: with a slash the service does not find the path, and letters
 * beyond ASCII are its internal error (tried on version 4; 2.62 knows no such calls, and refuses).
 */
export function userCall(userId: string, question: UserQuestion): Pick<ApiCall, "method" | "path" | "body"> {
  const { name, method, path = endpoints.users.path, action, body = {}, query = {} } = question;
  if (UNFIT_FOR_PATHS.test(userId)) {
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

const UNFIT_FOR_PATHS = /[^\x20-\x7e]|\//;
