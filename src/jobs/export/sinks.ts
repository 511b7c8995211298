import { tmpdir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Context } from "../../context.ts";
import { type Document, openDocument, spoolDocument } from "../../io/input/document.ts";
import { openOutput } from "../../io/output/output.ts";
import type { Output } from "../../io/output/sink.ts";
import { Spool, temporaryFiles } from "../../io/spool.ts";
import { orphanLine } from "../../problem/run.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CallWorld } from "../shared/asking.ts";
import type { ExportSink } from "./disk-room.ts";
import type { ExportFlags } from "./request.ts";
import { exportWhole } from "./whole-export.ts";

/** A file that an export is written to, completely or not at all. */
export function toFile(path: string, context: Context, ui: Ui): Output & ExportSink {
  const room = { folder: dirname(resolve(context.cwd, path)), file: path };
  const outputs = { ...context, onOrphan: (left: string) => ui.warn(orphanLine(left)) };
  return Object.assign(openOutput(path, outputs), { room });
}

/** An export that orgferry itself reads again. */
export interface SpooledExport extends ExportSink {
  /** The export as a document of this name. Closing it removes the temporary file. */
  finish(path: string): Document;
}

export function toSpool(context: Context): SpooledExport {
  const spool = new Spool(context.cleanUp);
  return {
    room: { folder: tmpdir(), ...temporaryFiles() },
    write: (bytes) => spool.append(bytes),
    finish: (path) => spoolDocument(path, spool),
    discard: () => spool.remove(),
  };
}

/** Exports to a file, or to a temporary one, and opens what was written: of a temporary file, as the document `name`. */
export async function exportToDocument(call: CallWorld, flags: ExportFlags, path: string | undefined, name: string) {
  const { context, ui } = call;
  if (path === undefined) {
    const { sink, ...exported } = await exportWhole(call, flags, () => toSpool(context));
    return { exported, document: sink.finish(name) };
  }
  const { sink, ...exported } = await exportWhole(call, flags, () => toFile(path, context, ui));
  await sink.commit();
  return { exported, document: await openDocument(path, context) };
}

/** Writes a complete export to stdout, which cannot take bytes back. */
export async function copyOut(input: Document, context: Context): Promise<void> {
  const output = openOutput("-", context);
  for await (const chunk of input.read({ start: 0, end: input.bytes })) await output.write(chunk);
}
