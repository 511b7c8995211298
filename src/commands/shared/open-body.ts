import type { Context } from "../../context.ts";
import { BEGINNING_BYTES, type KnownFile, recognize } from "../../core/document/recognize.ts";
import { type Document, openDocument } from "../../io/input/document.ts";
import { ProblemError } from "../../problem.ts";

/**
 * Opens a body or an export. Raises input.wrong-kind for a provider's file, which its field names reveal, and what opening raises.
 * @param known the files of all providers.
 */
export async function openBody(path: string, context: Context, known: readonly KnownFile[]): Promise<Document> {
  const input = await openDocument(path, context);
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of input.read({ start: 0, end: Math.min(input.bytes, BEGINNING_BYTES) })) {
      chunks.push(Buffer.from(chunk));
    }
    const found = recognize(Buffer.concat(chunks), known);
    if (found?.kind === "source") throw new ProblemError({ code: "input.wrong-kind", file: path, found });
    return input;
  } catch (error) {
    await input.close();
    throw error;
  }
}
