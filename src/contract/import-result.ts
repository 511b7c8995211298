import * as z from "zod";

/** One entry of the errors array. assumed: service behaviour 1.6 and 2.2 (the specification does not show its shape). */
export const ImportError = z.object({
  type: z.string().default(""),
  id: z.string().default(""),
  message: z.string().default(""),
});
export type ImportError = z.infer<typeof ImportError>;

/** What one organization got. Lists besides the users are read only to be counted (service behaviour 1.6). */
export const ImportedOrg = z.looseObject({
  orgId: z.string().default(""),
  humanUserIds: z.array(z.string()).default([]),
  machineUserIds: z.array(z.string()).default([]),
});
export type ImportedOrg = z.infer<typeof ImportedOrg>;

/**
 * Answer of `POST /admin/v1/import`. Defaults are omitted on the wire, so `{}` is the answer of the object-storage variants, and
 * of nothing else that orgferry sends (service behaviour 2.7).
 */
export const ImportResult = z.object({
  errors: z.array(ImportError).optional(),
  success: z.object({ orgs: z.array(ImportedOrg).default([]) }).optional(),
});
export type ImportResult = z.infer<typeof ImportResult>;
