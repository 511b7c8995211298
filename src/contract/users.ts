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

/**
 * What the service compares of a user name: two users must not have the same (service behaviour 0.5). Letter by letter, unlike
 * `toLowerCase` alone: İ is i, and Σ is σ at the end of a word too.
 */
export function uniqueUserName(userName: string): string {
  return userName.trim().replaceAll("İ", "i").replaceAll("Σ", "σ").toLowerCase();
}

/** One condition of a search for users; "or" and "not" combine several. */
export type UserCondition =
  | {
      readonly loginNameQuery: {
        readonly loginName: string;
        readonly method: "TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE";
      };
    }
  | {
      readonly userNameQuery: {
        readonly userName: string;
        readonly method: "TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE";
      };
    }
  | { readonly inUserIdsQuery: { readonly userIds: readonly string[] } }
  | { readonly organizationIdQuery: { readonly organizationId: string } }
  | { readonly typeQuery: { readonly type: "TYPE_HUMAN" } }
  | { readonly orQuery: { readonly queries: readonly UserCondition[] } }
  | { readonly notQuery: { readonly query: UserCondition } };

/** Body of `POST /v2/users`: users that match all conditions (service behaviour 0.41; tried on versions 2.62 and 4). */
export interface UserSearchRequest {
  /** `offset` is a 64-bit number, so it is written as text. */
  readonly query: { readonly offset: string; readonly limit: number };
  readonly queries: readonly UserCondition[];
}

/** No hits: neither `totalResult` nor `result`. A user without login names has no `preferredLoginName`. */
export const UserSearchResult = z.object({
  details: z.object({ totalResult: z.coerce.number().default(0) }).default({ totalResult: 0 }),
  result: z
    .array(
      z.object({
        userId: z.string().min(1),
        details: z.object({ resourceOwner: z.string().default("") }).default({ resourceOwner: "" }),
        preferredLoginName: z.string().default(""),
      }),
    )
    .default([]),
});
export type UserSearchResult = z.infer<typeof UserSearchResult>;
