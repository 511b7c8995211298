import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Notes } from "./findings.ts";

/** Part of a secret is enough to be one: its middle is looked for. */
const PART = 14;

/** The forms in which a secret may stand somewhere. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const middle = Math.max(0, Math.floor((secret.length - PART) / 2));
  const part = secret.slice(middle, middle + PART);
  return [
    part,
    encodeURIComponent(part),
    JSON.stringify(part).slice(1, -1),
    bytes.toString("base64").slice(4, 4 + PART),
    bytes.toString("base64url").slice(4, 4 + PART),
    bytes.toString("hex").slice(4, 4 + 2 * PART),
  ].filter((form) => form.length >= 10);
}

/** Notes each marked secret that stands in a text, in any form. */
export function findLeaks(where: string, text: string, secrets: ReadonlySet<string>, notes: Notes): void {
  const small = text.toLowerCase();
  for (const secret of secrets) {
    const form = formsOf(secret).find((one) => small.includes(one.toLowerCase()));
    if (form !== undefined) notes.what.push(`a secret in ${where}: ${form}`);
  }
}

export interface LeftOver {
  readonly name: string;
  readonly mode: number;
  readonly text: string;
}

/** Every file under a folder. */
export function filesIn(folder: string): LeftOver[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, path: join(folder, name) }))
    .filter(({ path }) => lstatSync(path).isFile())
    .map(({ name, path }) => ({ name, mode: lstatSync(path).mode & 0o777, text: readFileSync(path, "utf8") }));
}

/** What a job has made, for undoing it: it stays. */
export function isManifest(name: string): boolean {
  return name.endsWith(".manifest.ndjson") || name.endsWith(".cannot-sign-in.ndjson");
}
