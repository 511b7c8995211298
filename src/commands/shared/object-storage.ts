import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { Secret } from "../../admin/secret.ts";
import type { Context } from "../../context.ts";
import type { ObjectStorage } from "../../contract/object-storage.ts";
import { ProblemError } from "../../problem.ts";

/** The flags that name a place in object storage. */
export interface StorageFlags {
  readonly gcsBucket?: string;
  readonly gcsPath?: string;
  readonly gcsServiceAccount?: string;
}

/** spec: data_orgsv1_gcs object; a key file of a service account says so itself. */
const KeyFile = z.looseObject({ type: z.literal("service_account"), private_key: z.string() });

/**
 * The place the flags name, with the key file base64-encoded, and the key as a secret to be taken out of texts; undefined without
 * any of the flags. Raises usage.invalid, input.missing, input.unreadable, input.not-a-service-account.
 */
export function readStorage(
  { gcsBucket, gcsPath, gcsServiceAccount }: StorageFlags,
  { cwd }: Context,
): { readonly location: ObjectStorage; readonly secret: Secret } | undefined {
  if (gcsBucket === undefined && gcsPath === undefined && gcsServiceAccount === undefined) return undefined;
  if (gcsBucket === undefined || gcsPath === undefined || gcsServiceAccount === undefined) {
    throw new ProblemError({
      code: "usage.invalid",
      message: "--gcs-bucket, --gcs-path and --gcs-service-account must be given together.",
    });
  }
  const text = readKeyFile(gcsServiceAccount, resolve(cwd, gcsServiceAccount));
  const key = parseKey(text);
  if (key === undefined) throw new ProblemError({ code: "input.not-a-service-account", file: gcsServiceAccount });
  const serviceaccount_json = Buffer.from(text).toString("base64");
  return { location: { path: gcsPath, bucket: gcsBucket, serviceaccount_json }, secret: new Secret(text) };
}

function parseKey(text: string): z.infer<typeof KeyFile> | undefined {
  try {
    return KeyFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function readKeyFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new ProblemError(
      code === "ENOENT"
        ? { code: "input.missing", file: name, flag: "--gcs-service-account" }
        : { code: "input.unreadable", file: name, reason: code },
      { cause },
    );
  }
}
