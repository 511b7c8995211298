import * as z from "zod";

/** One condition of a search for users; "or" and "not" combine several. */
export type UserCondition =
  | {
      readonly loginNameQuery: {
        readonly loginName: string;
        readonly method: "TEXT_QUERY_METHOD_CONTAINS_IGNORE_CASE";
      };
    }
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
