import * as z from "zod";

/** Where in object storage an export is written or read. spec: data_orgsv1_gcs object; the key file is base64-encoded. */
export const ObjectStorage = z.strictObject({
  path: z.string(),
  bucket: z.string(),
  serviceaccount_json: z.string(),
});
export type ObjectStorage = z.infer<typeof ObjectStorage>;
