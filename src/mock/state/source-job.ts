import * as z from "zod";

/** Body of the source provider's bulk export. spec: Source-provider input files; the rest is from the provider's documentation. */
export const ExportJob = z.object({
  connection_id: z
    .string()
    .regex(/^con_[A-Za-z0-9]{16}$/)
    .optional(),
  format: z.enum(["json", "csv"]).default("json"),
  limit: z.number().int().min(1).optional(),
  fields: z
    .array(z.object({ name: z.string().min(1).max(100), export_as: z.string().max(100).optional() }))
    .min(1)
    .optional(),
});
export type ExportJob = z.infer<typeof ExportJob>;

/** A bulk export job, and how often its status was requested. */
export interface SourceJob {
  readonly job: ExportJob;
  readonly file: string;
  readonly createdAt: Date;
  polls: number;
  isFailed: boolean;
}
