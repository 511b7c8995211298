import * as z from "zod";

/** Answer to a user that was made. assumed: service behaviour 0.3; it holds codes that are never looked at. */
export const UserAdded = z.object({ userId: z.string().min(1) });
export type UserAdded = z.infer<typeof UserAdded>;

/** Answer to a change of a user: details or a date, never looked at. What is no object comes from somebody else, such as a proxy. */
export const Changed = z.object({});

/** Whose token it is (OpenID Connect Core 1.0, 5.3.2). */
export const UserInfo = z.object({ sub: z.string().min(1) });

/** A user as `GET /v2/users/{id}` answers it, as little of it as is needed. 2.x does not tell when it was made. */
export const UserFound = z.object({
  user: z.object({ userId: z.string(), details: z.object({ creationDate: z.string().optional() }).default({}) }),
});
export type UserFound = z.infer<typeof UserFound>;
