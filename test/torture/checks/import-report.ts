import * as z from "zod";

const Changed = z.object({ userId: z.string(), fields: z.array(z.string()), updated: z.array(z.string()).optional() });

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
      updated: z.number().optional(),
      unchanged: z.number().optional(),
      conflict: z.number().optional(),
    })
    .optional(),
  unknown: z.array(z.string()).optional(),
  resume: z.string().optional(),
  cannotSignIn: z.array(z.string()).optional(),
  cannotSignInCount: z.number().optional(),
  healed: z.object({ users: z.number() }).partial().optional(),
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
  update: z
    .object({
      create: z.array(z.string()),
      update: z.array(Changed),
      remake: z.array(z.string()),
      delete: z.array(z.string()),
      deactivate: z.array(z.string()),
      conflict: z.array(Changed),
      tooMany: z.array(z.string()),
      notOurs: z.array(z.string()),
      unchanged: z.number(),
    })
    .optional(),
  problems: z.array(z.looseObject({ code: z.string(), message: z.string() })),
});
export type ImportReport = z.infer<typeof ImportReport>;
export type ImportNumbers = NonNullable<ImportReport["users"]>;
