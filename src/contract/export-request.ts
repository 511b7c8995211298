import * as z from "zod";
import { ObjectStorage } from "./object-storage.ts";

/** Body of `POST /admin/v1/export`. spec: Export request; one of response_output and gcs_output says where the export goes. */
export const ExportRequest = z.strictObject({
  org_ids: z.array(z.string()),
  excluded_org_ids: z.array(z.string()),
  with_passwords: z.boolean(),
  with_otp: z.boolean(),
  timeout: z.string(),
  response_output: z.boolean().optional(),
  gcs_output: ObjectStorage.optional(),
});
export type ExportRequest = z.infer<typeof ExportRequest>;
