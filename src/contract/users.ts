import * as z from "zod";

/** Answer to the creation of a user. assumed: service behaviour 0.3; it holds codes, which orgferry does not read. */
export const UserAdded = z.object({ userId: z.string().min(1) });
export type UserAdded = z.infer<typeof UserAdded>;

/** Answer to a change of a user: details or a date, which orgferry does not read. A proxy may answer with something else. */
export const Changed = z.object({});

/** The user of the token (OpenID Connect Core 1.0, 5.3.2). */
export const UserInfo = z.object({ sub: z.string().min(1) });

/** The members of `GET /v2/users/{id}` that orgferry reads. 2.x does not give the time of creation. */
export const UserFound = z.object({
  user: z.object({ userId: z.string(), details: z.object({ creationDate: z.string().optional() }).default({}) }),
});
export type UserFound = z.infer<typeof UserFound>;
