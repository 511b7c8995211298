import { createHash } from "node:crypto";
import { type FoundOrgs, OrgsFinder } from "../../core/document/orgs-finder.ts";
import type { Extent } from "../../core/document/scan-types.ts";
import { ProblemError } from "../../problem.ts";
import type { Document } from "./document.ts";

/** A file of a joined document. */
export interface JoinedFile {
  readonly path: string;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** The bytes of a file; text between files has none. */
  readonly from?: { readonly document: Document; readonly start: number };
  readonly text?: Buffer;
  /** The line on which the piece begins, in the joined document and in the file. */
  readonly line: number;
  readonly ownLine: number;
}

/**
 * Joins several bodies, or several exports, into one document with the organizations of all, in the given order. Copies none and reads
 * each once. Closing the document closes the files. Raises input.not-joinable for a file of another kind than the first, and what reading
 * raises.
 */
export async function joinDocuments(
  documents: readonly Document[],
  signal: AbortSignal,
): Promise<{ readonly document: Document; readonly files: readonly JoinedFile[] }> {
  const files: JoinedFile[] = [];
  const found: { readonly document: Document; readonly orgs: FoundOrgs }[] = [];
  for (const document of documents) {
    const { orgs, sha256 } = await look(document, signal);
    if (found[0] !== undefined && found[0].orgs.field !== orgs.field) {
      throw new ProblemError({ code: "input.not-joinable", file: document.path });
    }
    found.push({ document, orgs });
    files.push({ path: document.path, bytes: document.bytes, sha256 });
  }
  return { document: toDocument(documents, toPieces(found)), files };
}

async function look(document: Document, signal: AbortSignal): Promise<{ orgs: FoundOrgs; sha256: string }> {
  if (document.bytes === 0) throw new ProblemError({ code: "input.empty", file: document.path });
  const finder = new OrgsFinder(document.path);
  const hash = createHash("sha256");
  for await (const chunk of document.read({ start: 0, end: document.bytes })) {
    signal.throwIfAborted();
    hash.update(chunk);
    finder.push(chunk);
  }
  return { orgs: finder.end(), sha256: hash.digest("hex") };
}

function toPieces(found: readonly { readonly document: Document; readonly orgs: FoundOrgs }[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let [at, line] = [0, 1];
  const add = (bytes: number, lineBreaks: number, piece: Pick<Piece, "from" | "text" | "ownLine">): void => {
    pieces.push({ ...piece, start: at, end: at + bytes, line });
    at += bytes;
    line += lineBreaks;
  };
  const addText = (text: string): void => {
    add(Buffer.byteLength(text), text.split("\n").length - 1, { text: Buffer.from(text), ownLine: 1 });
  };
  const field = found[0]?.orgs.field ?? "dataOrgs";
  const timeout = found.find(({ orgs }) => orgs.timeout !== undefined)?.orgs.timeout;
  // Each file begins on a new line, so that each line belongs to one file.
  addText(field === "orgs" ? '{"orgs":[\n' : `{"${field}":{"orgs":[\n`);
  let isFirst = true;
  for (const { document, orgs } of found) {
    if (orgs.isEmpty) continue;
    if (!isFirst) addText(",\n");
    isFirst = false;
    const { start, end } = orgs.inside;
    add(end - start, orgs.lineBreaks, { from: { document, start }, ownLine: orgs.line });
  }
  // The timeout is copied with its escapes.
  addText(`]${field === "orgs" ? "" : "}"}${timeout === undefined ? "" : `,"timeout":"${timeout}"`}}`);
  return pieces;
}

function toDocument(documents: readonly Document[], pieces: readonly Piece[]): Document {
  const [first] = documents;
  const others = documents.length - 1;
  const path = `${first?.path ?? ""}${others === 0 ? "" : ` and ${others} more`}`;
  return {
    path,
    bytes: pieces.at(-1)?.end ?? 0,
    read: (extent) => readPieces(pieces, extent),
    place(line) {
      const piece = pieces.findLast(({ from, line: begins }) => from !== undefined && begins <= line);
      if (piece?.from === undefined) return { file: path, line };
      return { file: piece.from.document.path, line: piece.ownLine + line - piece.line };
    },
    close: async () => {
      for (const document of documents) await document.close();
    },
  };
}

async function* readPieces(pieces: readonly Piece[], { start, end }: Extent): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    const [from, to] = [Math.max(start, piece.start), Math.min(end, piece.end)];
    if (from >= to) continue;
    if (piece.text !== undefined) yield piece.text.subarray(from - piece.start, to - piece.start);
    if (piece.from === undefined) continue;
    const shift = piece.from.start - piece.start;
    yield* piece.from.document.read({ start: from + shift, end: to + shift });
  }
}
