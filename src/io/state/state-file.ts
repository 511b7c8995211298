import { createHash, type Hash } from "node:crypto";
import { lstatSync, readSync } from "node:fs";
import { endianness } from "node:os";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { parsedJson } from "../../core/json/members.ts";
import { ProblemError } from "../../problem.ts";
import { attempt, outputProblem } from "../attempt.ts";
import { readFileBeginning, withFile } from "../input/file-beginning.ts";
import { refusePlanted } from "../links.ts";
import { type OutputOptions, openOutput } from "../output/output.ts";

/** The content of a state file: a head in the caller's form, and lists of 32-bit words. */
export interface StateContent {
  readonly head: unknown;
  readonly words: readonly Uint32Array[];
}

/** The format: a header line, lines of words in the order of their lists, and the checksum of all bytes before its line. */
const VERSION = 4;
const BEGINNING = '{"orgferry":"state","version":';
/** The binary files of earlier versions. */
const BINARY_BEGINNING = "orgferry state ";

const Header = z.object({ version: z.number(), lengths: z.array(z.number().int().nonnegative()), head: z.unknown() });
const Words = z.object({ words: z.string() });
const Checksum = z.object({ sha256: z.string() });

const NEWLINE = 0x0a;
/** The file holds the bytes of a word from the lowest to the highest. */
const IS_BIG_ENDIAN = endianness() === "BE";
/** Words of one line: 64 KiB of base64. */
const LINE_WORDS = 12_288;
const READ_BYTES = 2 ** 16;

/**
 * Reads a state file. Returns undefined for a missing or an empty file, "other-version" for a state that another version of orgferry wrote,
 * and "broken" for a file whose bytes have changed since. Raises state.not-one for any other file, which must not be written over,
 * output.planted, output.unwritable.
 */
export function readStateFile(
  path: string,
  { cwd }: { readonly cwd: string },
): StateContent | "broken" | "other-version" | undefined {
  const file = resolve(cwd, path);
  return attempt(() => {
    refusePlanted(dirname(file));
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isFile()) throw new ProblemError({ code: "state.not-one", file: path });
    if (stat.size === 0) return undefined;
    const beginning = beginningOf(file);
    if (isBeginning(beginning, BINARY_BEGINNING)) return "other-version";
    if (!isBeginning(beginning, BEGINNING)) throw new ProblemError({ code: "state.not-one", file: path });
    return withFile(file, "r", readContent) ?? "broken";
  }, outputProblem(path));
}

/** True for a regular file that begins as a state file, of this version or an earlier one. */
export function isStateFile(file: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const beginning = beginningOf(file);
  return beginning.startsWith(BEGINNING) || beginning.startsWith(BINARY_BEGINNING);
}

function beginningOf(file: string): string {
  return readFileBeginning(file, BEGINNING.length).toString("latin1");
}

/** True for a text that begins so, or that was cut off within the beginning. */
function isBeginning(text: string, beginning: string): boolean {
  return text.startsWith(beginning) || beginning.startsWith(text);
}

function readContent(descriptor: number): StateContent | "other-version" | undefined {
  const checksum = createHash("sha256");
  const lines = linesOf(descriptor);
  const first = takeLine(lines, checksum);
  const header = parse(Header, first);
  if (header === undefined) return undefined;
  if (header.version !== VERSION) return "other-version";
  const words: Uint32Array[] = [];
  for (const length of header.lengths) {
    const list = readWords(length, () => parse(Words, takeLine(lines, checksum))?.words);
    if (list === undefined) return undefined;
    words.push(list);
  }
  const { value: last } = lines.next();
  const isWhole = parse(Checksum, last)?.sha256 === checksum.digest("hex") && lines.next().done === true;
  return isWhole ? { head: header.head, words } : undefined;
}

function takeLine(lines: Iterator<Buffer, undefined>, checksum: Hash): Buffer | undefined {
  const { value: line } = lines.next();
  if (line !== undefined) checksum.update(line);
  return line;
}

/** Joins lines of words to one list; undefined where a line is missing, or has another length. */
function readWords(length: number, nextLine: () => string | undefined): Uint32Array | undefined {
  // No file is trusted to be as long as its header says.
  const pieces: Uint32Array[] = [];
  for (let at = 0; at < length; at += LINE_WORDS) {
    const piece = new Uint32Array(Math.min(LINE_WORDS, length - at));
    const bytes = Buffer.from(piece.buffer);
    if (bytes.write(nextLine() ?? "", "base64") !== bytes.length) return undefined;
    if (IS_BIG_ENDIAN) bytes.swap32();
    pieces.push(piece);
  }
  const list = new Uint32Array(length);
  for (const [at, piece] of pieces.entries()) list.set(piece, at * LINE_WORDS);
  return list;
}

/** The lines of a file with their ends; bytes behind the last end are a line, too. */
function* linesOf(descriptor: number): Generator<Buffer, undefined> {
  const chunk = Buffer.alloc(READ_BYTES);
  let pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const read = readSync(descriptor, chunk, 0, READ_BYTES, at);
    at += read;
    if (read === 0) break;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && end < read; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...pieces, chunk.subarray(start, end + 1)]);
      pieces = [];
      start = end + 1;
    }
    pieces.push(Buffer.from(chunk.subarray(start, read)));
  }
  const rest = Buffer.concat(pieces);
  if (rest.length > 0) yield rest;
  return undefined;
}

/** The value of a whole line; undefined for anything else. */
function parse<T extends z.ZodType>(schema: T, line: Buffer | undefined): z.infer<T> | undefined {
  return line?.at(-1) === NEWLINE ? schema.safeParse(parsedJson(line.toString())).data : undefined;
}

/** Writes a state file, private to the user (0600), whole or not at all. Raises output.unwritable, output.full, output.planted. */
export async function writeStateFile(
  path: string,
  { head, words }: StateContent,
  options: OutputOptions,
): Promise<void> {
  const checksum = createHash("sha256");
  const output = openOutput(path, options);
  const write = async (line: string): Promise<void> => {
    const bytes = Buffer.from(`${line}\n`);
    checksum.update(bytes);
    await output.write(bytes);
  };
  try {
    const lengths = words.map((list) => list.length);
    await write(`${BEGINNING}${VERSION},${JSON.stringify({ lengths, head }).slice(1)}`);
    for (const list of words) {
      for (let at = 0; at < list.length; at += LINE_WORDS) {
        await write(JSON.stringify({ words: base64Of(list.subarray(at, at + LINE_WORDS)) }));
      }
    }
    await output.write(Buffer.from(`${JSON.stringify({ sha256: checksum.digest("hex") })}\n`));
    await output.commit();
  } finally {
    output.discard();
  }
}

function base64Of(words: Uint32Array): string {
  const bytes = Buffer.from(words.slice().buffer);
  return (IS_BIG_ENDIAN ? bytes.swap32() : bytes).toString("base64");
}
