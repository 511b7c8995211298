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

/** An object of a list or a setting, by the names of its message. */
const Listed = z.record(z.string(), z.unknown());
/** An answer of which members are read by name. */
export const AnyObject = Listed;

/** The settings that a call answers with: an object, or the items of a list (service behaviour 9.20). */
export type SettingsAnswer = { readonly object: unknown } | { readonly items: readonly unknown[] };

/** A page of a list of the older API (`/management/v1/…/_search`): `{}` without hits; `totalResult` is a 64-bit number (service behaviour 0.61). */
export const ListPage = z.object({
  details: z.object({ totalResult: z.coerce.number().default(0) }).default({ totalResult: 0 }),
  result: z.array(Listed).default([]),
});
export type ListPage = z.infer<typeof ListPage>;

/** One object of the older API: a policy, a flow or custom texts (service behaviour 0.61). */
export const OneObject = z.object({
  policy: Listed.optional(),
  flow: Listed.optional(),
  customText: Listed.optional(),
});
export type OneObject = z.infer<typeof OneObject>;
