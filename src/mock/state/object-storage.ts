import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { parsedJson } from "../http/json.ts";

/** Where an object is, as a request names it (spec: data_orgsv1_gcs object). */
export interface ObjectLocation {
  readonly bucket: string;
  readonly path: string;
  /** base64 of a service account file: any JSON object opens every bucket. */
  readonly serviceAccount: string;
}

/** Folders that stand for buckets, one below the other: `<root>/<bucket>/<path>`. */
export interface ObjectStorage {
  /** Rejects for wrong credentials, a missing object or a path that leads out of its bucket. */
  read(location: ObjectLocation): Promise<Buffer>;
  /** The object shows up whole or not at all. Rejects like `read`. */
  write(location: ObjectLocation, text: string): Promise<void>;
  /** Removes the folder if it was made up. */
  close(): Promise<void>;
}

/** Keeps objects below `<dataDir>/buckets`, or without one in a folder that goes away with the server. */
export function createObjectStorage(dataDir?: string): ObjectStorage {
  let madeUp: string | undefined;
  const root = async (): Promise<string> => {
    if (dataDir !== undefined) return join(dataDir, "buckets");
    madeUp ??= await mkdtemp(join(tmpdir(), "orgferry-mock-"));
    return madeUp;
  };
  return {
    read: async (location) => readFile(placeOf(await root(), location)),
    async write(location, text) {
      const place = placeOf(await root(), location);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      const temporary = `${place}.${process.pid}.tmp`;
      await writeFile(temporary, text, { mode: 0o600 });
      await rename(temporary, place);
    },
    async close() {
      if (madeUp !== undefined) await rm(madeUp, { recursive: true, force: true });
    },
  };
}

function placeOf(root: string, { bucket, path, serviceAccount }: ObjectLocation): string {
  const account = parsedJson(Buffer.from(serviceAccount, "base64").toString());
  if (typeof account !== "object" || account === null)
    throw new Error("credentials: not a base64-encoded service account file");
  const folder = resolve(root, bucket);
  const place = resolve(folder, path);
  const isInside = /^[a-z0-9][\w.-]*$/i.test(bucket) && place.startsWith(folder + sep);
  if (!isInside) throw new Error("storage: no such bucket or path");
  return place;
}
