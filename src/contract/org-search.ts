import * as z from "zod";

/** Body of `POST /admin/v1/orgs/_search`. assumed: service behaviour 0.16; offset is a 64-bit number, so it is written as text. */
export const OrgSearchRequest = z.strictObject({
  query: z.strictObject({ offset: z.string(), limit: z.number().int(), asc: z.boolean() }),
});
export type OrgSearchRequest = z.infer<typeof OrgSearchRequest>;

/** No hits: no `result`. A removed organization may still be listed for a while, with its state. */
export const OrgSearchResult = z.object({
  result: z
    .array(z.object({ id: z.string().min(1), name: z.string().optional(), state: z.string().default("") }))
    .default([]),
});
export type OrgSearchResult = z.infer<typeof OrgSearchResult>;
