import { type KnownFile, recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES, firstKeys } from "../../core/json/first-keys.ts";
import type { UnfitInput } from "../../core/rows/documents.ts";
import { type Input, readBeginning } from "../../io/input/input.ts";
import type { RowInputs } from "../../io/rows/row-reader.ts";
import { ProblemError } from "../../problem.ts";
import type { Source, SourceInput } from "../../sources/source.ts";
import { findTable, findUnfit } from "../shared/unfit.ts";

/**
 * Recognizes an input by its first fields, and refuses another kind of file (the other input of the provider, an export of an instance,
 * a body, a report, a table or JSON in place of the other, what holds no text) before its rows are read. A pipe is checked with its first read, so that the run does not wait for its writer. Raises
 * input.wrong-kind, input.unfit and input.no-rows, for a pipe from its first read.
 * @param isChosen flags say where the users of any JSON are: any fields are right
 */
export async function checkKind(
  inputs: RowInputs,
  expected: SourceInput,
  source: Source,
  { known, isChosen }: { readonly known: readonly KnownFile[]; readonly isChosen: boolean },
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
    if (beginning.length === 0 && rest.length === 0) throw new ProblemError({ code: "input.no-rows", file: name });
    const onStdin = `orgferry migrate ${source.id} … --${expected.flag} -`;
    const unfit = findUnfit(beginning, `Name the file for --${expected.flag}.`, onStdin);
    if (unfit !== undefined) throw new ProblemError({ code: "input.unfit", file: first.file, ...unfit });
    const found = isChosen ? undefined : recognize(beginning, isAny ? [] : [...own, ...others], expected.marks);
    const wanted = { source: source.id, flag: expected.flag };
    if (found !== undefined) throw new ProblemError({ code: "input.wrong-kind", file: first.file, found, wanted });
    const other = isTable ? jsonForTable(beginning) : tableForJson(beginning, expected, source);
    if (other !== undefined) throw new ProblemError({ code: "input.unfit", file: first.file, ...other });
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

function tableForJson(beginning: Buffer, { flag }: SourceInput, { credentials }: Source): UnfitInput | undefined {
  const found = findTable(beginning);
  if (found === undefined || flag !== credentials?.flag) return found;
  const instead = `--${flag} takes JSON. Is it the right file? A table of users with their hashes is read by orgferry migrate csv.`;
  return { what: found.what, instead };
}

function jsonForTable(beginning: Buffer): UnfitInput | undefined {
  return firstKeys(beginning).size === 0
    ? undefined
    : { what: "JSON, not a table", instead: "Use orgferry migrate json." };
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
