import { type KnownFile, recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES, firstKeys } from "../../core/json/first-keys.ts";
import type { UnfitInput } from "../../core/rows/documents.ts";
import { type Input, readBeginning } from "../../io/input/input.ts";
import type { RowInputs } from "../../io/rows/row-reader.ts";
import { ProblemError } from "../../problem.ts";
import type { Source, SourceInput } from "../../sources/source.ts";

/**
 * Recognizes an input by its first fields, and refuses another kind of file (the other input of the provider, an export of an instance,
 * a body, a report; JSON or UTF-16 in place of a table) before its rows are read. A pipe is checked with its first read, so that the run does not wait for its writer. Raises
 * input.wrong-kind, for a pipe from its first read.
 */
export async function checkKind(
  inputs: RowInputs,
  expected: SourceInput,
  source: Source,
  known: readonly KnownFile[],
): Promise<RowInputs> {
  const {
    name,
    files: [first, ...rest],
  } = inputs;
  const isTable = expected.shape.kind === "table";
  if (first === undefined) return inputs;
  // Any JSON of users may have the fields of a provider.
  const isAny = expected.marks === undefined && !isTable;
  // Providers share field names, so the files of this provider come first.
  const own = known.filter((file) => file.source === source.id);
  const others = known.filter((file) => file.source !== source.id);
  const check = (beginning: Buffer): void => {
    const found = recognize(beginning, isAny ? [] : [...own, ...others], expected.marks);
    const wanted = { source: source.id, flag: expected.flag };
    if (found !== undefined) throw new ProblemError({ code: "input.wrong-kind", file: name, found, wanted });
    const other = isTable ? otherThanTable(beginning) : undefined;
    if (other !== undefined) throw new ProblemError({ code: "input.unfit", file: name, ...other });
  };
  if (first.path === undefined) return { name, files: [checkedOnRead(first, check), ...rest] };
  const probe = await first.again();
  try {
    check(await readBeginning(probe, BEGINNING_BYTES));
  } finally {
    await probe.close();
  }
  return inputs;
}

/** What a file is that cannot be a table in UTF-8; undefined: it may be one. */
function otherThanTable(beginning: Buffer): UnfitInput | undefined {
  if (firstKeys(beginning).size > 0) return { what: "JSON, not a table", instead: "Use orgferry migrate json." };
  const zeros = [0, 0];
  for (const [at, byte] of beginning.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Texts in Latin letters have a zero in every second byte.
  if (even + odd < beginning.length / 4) return undefined;
  const encoding = even > odd ? "UTF-16BE" : "UTF-16LE";
  return {
    what: `${encoding} without a byte order mark`,
    instead: `Save the table as "CSV UTF-8", or convert it: iconv -f ${encoding} -t UTF-8 <table> > <new table>`,
  };
}

function checkedOnRead(input: Input, check: (beginning: Buffer) => void): Input {
  let isChecked = false;
  return {
    ...input,
    async read(into) {
      const length = await input.read(into);
      if (!isChecked) check(into.subarray(0, length));
      isChecked = true;
      return length;
    },
  };
}
