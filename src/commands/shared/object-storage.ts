import * as z from "zod";
import { parseAs } from "../../admin/answer-json.ts";
import { Secret } from "../../admin/secret.ts";
import type { Context } from "../../context.ts";
import type { ObjectStorage } from "../../contract/object-storage.ts";
import { readText } from "../../io/input/text.ts";
import { ProblemError } from "../../problem.ts";

/** The flags that name a place in object storage. */
export interface StorageFlags {
  readonly gcsBucket?: string;
  readonly gcsPath?: string;
  readonly gcsServiceAccount?: string;
}

/** A place in object storage, and its key as a secret that the redactor removes from texts. */
export interface Storage {
  readonly location: ObjectStorage;
  readonly secret: Secret;
}

/** The key file of a service account (spec: data_orgsv1_gcs object). */
const KeyFile = z.looseObject({ type: z.literal("service_account"), private_key: z.string() });

/**
 * The place that the flags name, with the key file base64-encoded; undefined without any of the flags. Raises usage.invalid,
 * input.missing, input.unreadable, input.not-a-service-account.
 */
export async function readStorage(
  { gcsBucket, gcsPath, gcsServiceAccount }: StorageFlags,
  context: Context,
): Promise<Storage | undefined> {
  if (gcsBucket === undefined && gcsPath === undefined && gcsServiceAccount === undefined) return undefined;
  if (gcsBucket === undefined || gcsPath === undefined || gcsServiceAccount === undefined) {
    throw new ProblemError({
      code: "usage.invalid",
      message: "--gcs-bucket, --gcs-path and --gcs-service-account must be used together.",
    });
  }
  const text = await readText(gcsServiceAccount, { ...context, flag: "--gcs-service-account" });
  if (parseAs(KeyFile, text) === undefined)
    throw new ProblemError({ code: "input.not-a-service-account", file: gcsServiceAccount });
  const serviceaccount_json = Buffer.from(text).toString("base64");
  return { location: { path: gcsPath, bucket: gcsBucket, serviceaccount_json }, secret: new Secret(text) };
}
