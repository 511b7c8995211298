import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { type OutputOptions, openOutput } from "../output/output.ts";
import { refusePlanted } from "../trusted-path.ts";

/** What a state file holds: a head of the caller's own form, and rows of words. */
export interface StateContent {
  readonly head: unknown;
  readonly words: readonly Uint32Array[];
}

const BEGINNING = "orgferry state 1\n";
const NEWLINE = 0x0a;
const WORD_BYTES = 4;

/** The second line: what follows it, and its SHA-256 in hex. */
const Envelope = z.object({ sha256: z.string(), lengths: z.array(z.number().int().nonnegative()), head: z.unknown() });

/**
 * Reads a state file; undefined when there is none, or it is empty; "broken" when it is not what was written. Raises state.not-one for
 * any other file, which must not be written over, output.planted, output.unwritable.
 */
export function readStateFile(path: string, { cwd }: { readonly cwd: string }): StateContent | "broken" | undefined {
  const file = resolve(cwd, path);
  return attempt(() => {
    refusePlanted(dirname(file));
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isFile()) throw new ProblemError({ code: "state.not-one", file: path });
    const bytes = readFileSync(file);
    if (bytes.length === 0) return undefined;
    const beginning = bytes.toString("latin1", 0, BEGINNING.length);
    if (!BEGINNING.startsWith(beginning)) throw new ProblemError({ code: "state.not-one", file: path });
    return parseState(bytes) ?? "broken";
  }, outputProblem(path));
}

function parseState(bytes: Buffer): StateContent | undefined {
  const end = bytes.indexOf(NEWLINE, BEGINNING.length);
  if (end === -1) return undefined;
  const envelope = parseEnvelope(bytes.toString("utf8", BEGINNING.length, end));
  const rest = bytes.subarray(end + 1);
  if (envelope === undefined || sha256Of([bound(envelope), rest]) !== envelope.sha256) return undefined;
  const words: Uint32Array[] = [];
  let at = 0;
  for (const length of envelope.lengths) {
    const row = new Uint32Array(length);
    for (let index = 0; index < length; index += 1) row[index] = rest.readUInt32LE(at + index * WORD_BYTES);
    words.push(row);
    at += length * WORD_BYTES;
  }
  return { head: envelope.head, words };
}

function parseEnvelope(text: string): z.infer<typeof Envelope> | undefined {
  try {
    return Envelope.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Writes a state file, private to the user (0600), whole or not at all. Raises output.unwritable, output.full, output.planted. */
export async function writeStateFile(
  path: string,
  { head, words }: StateContent,
  options: OutputOptions,
): Promise<void> {
  const rows = words.map((row) => {
    const bytes = Buffer.alloc(row.length * WORD_BYTES);
    for (const [index, word] of row.entries()) bytes.writeUInt32LE(word, index * WORD_BYTES);
    return bytes;
  });
  const lengths = words.map((row) => row.length);
  const sha256 = sha256Of([bound({ lengths, head }), ...rows]);
  const output = openOutput(path, options);
  try {
    await output.write(Buffer.from(`${BEGINNING}${JSON.stringify({ sha256, lengths, head })}\n`));
    for (const row of rows) await output.write(row);
    await output.commit();
  } finally {
    output.discard();
  }
}

/** What the checksum covers besides the words. */
function bound({ lengths, head }: { readonly lengths: readonly number[]; readonly head?: unknown }): string {
  return JSON.stringify([lengths, head]);
}

function sha256Of(parts: readonly (string | Buffer)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
