import type { Context } from "../../context.ts";
import { type KnownFile, recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";
import { type Document, openDocument } from "../../io/input/document.ts";
import { ProblemError } from "../../problem.ts";
import { findTable, findUnfit } from "./unfit.ts";

/**
 * Opens a body or an export. Raises input.unfit for a table, an image or another file that is neither, input.empty, input.wrong-kind for a report or a provider's file, which the field names reveal, and what opening raises.
 * @param known the files of all providers.
 */
export async function openBody(path: string, context: Context, known: readonly KnownFile[]): Promise<Document> {
  const input = await openDocument(path, context);
  try {
    const beginning = await beginningOf(input);
    const other = findUnfit(beginning, "Name the body or the export.", "orgferry … -") ?? findTable(beginning);
    if (other !== undefined) throw new ProblemError({ code: "input.unfit", file: path, ...other });
    const text = beginning.toString("latin1").trimStart();
    if (text === "" && input.bytes <= BEGINNING_BYTES) throw new ProblemError({ code: "input.empty", file: path });
    const found = recognize(beginning, known);
    if (found?.kind === "source" || found?.kind === "report")
      throw new ProblemError({ code: "input.wrong-kind", file: path, found });
    return input;
  } catch (error) {
    await input.close();
    throw error;
  }
}

/** Raises input.wrong-kind if a body, an export or a report was given in place of a manifest. */
export async function refuseOtherThanManifest(input: Document): Promise<void> {
  const found = recognize(await beginningOf(input), []);
  if (found !== undefined)
    throw new ProblemError({ code: "input.wrong-kind", file: input.path, found, wanted: "manifest" });
}

async function beginningOf(input: Document): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input.read({ start: 0, end: Math.min(input.bytes, BEGINNING_BYTES) })) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}
