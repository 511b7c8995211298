import * as z from "zod";

/** The report of an import or a copy, as far as it is held against the truth (design: The report). */
export const ImportReport = z.looseObject({
  exitCode: z.number(),
  users: z
    .object({
      read: z.number(),
      sent: z.number(),
      created: z.number(),
      alreadyThere: z.number(),
      failed: z.number(),
      unknown: z.number(),
      notSent: z.number(),
      skipped: z.number(),
    })
    .optional(),
  unknown: z.array(z.string()).optional(),
  resume: z.string().optional(),
  calls: z.number().optional(),
  failures: z
    .array(
      z.object({
        type: z.string(),
        id: z.string(),
        message: z.string(),
        cause: z.string(),
        line: z.number().optional(),
      }),
    )
    .optional(),
  otherObjects: z
    .record(
      z.string(),
      z.object({
        created: z.number(),
        alreadyThere: z.number(),
        failed: z.number(),
        leftOut: z.number().optional(),
        unknown: z.number().optional(),
      }),
    )
    .optional(),
  problems: z.array(z.looseObject({ code: z.string(), message: z.string() })),
});
export type ImportReport = z.infer<typeof ImportReport>;
export type ImportNumbers = NonNullable<ImportReport["users"]>;
