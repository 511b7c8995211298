import * as z from "zod";

/** Body of the source provider's bulk export. spec: Source-provider input files; `limit` and `export_as` as the provider documents them. */
export const ExportJob = z.object({
  connection_id: z.string().optional(),
  format: z.enum(["json", "csv"]).default("json"),
  limit: z.number().int().min(1).optional(),
  fields: z.array(z.object({ name: z.string(), export_as: z.string().optional() })).optional(),
});
export type ExportJob = z.infer<typeof ExportJob>;

/** A bulk export as it was asked for, and how often its status was. */
export interface SourceJob {
  readonly job: ExportJob;
  readonly file: string;
  polls: number;
}
