import { type KnownFile, recognize } from "../../core/document/recognize.ts";
import { BEGINNING_BYTES } from "../../core/json/first-keys.ts";
import { type Input, readBeginning } from "../../io/input/input.ts";
import type { RowInputs } from "../../io/rows/row-reader.ts";
import { ProblemError } from "../../problem.ts";
import type { Source, SourceInput } from "../../sources/source.ts";

/**
 * Recognizes an input by its first fields, and refuses another kind of file (the other input of the provider, an export of an instance,
 * a body) before its rows are read. A pipe is checked with its first read, so that the run does not wait for its writer. Raises
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
  if (first === undefined || expected.marks === undefined) return inputs;
  // Providers share field names, so the files of this provider come first.
  const own = known.filter((file) => file.source === source.id);
  const others = known.filter((file) => file.source !== source.id);
  const check = (beginning: Buffer): void => {
    const found = recognize(beginning, [...own, ...others], expected.marks);
    if (found === undefined) return;
    const wanted = { source: source.id, flag: expected.flag };
    throw new ProblemError({ code: "input.wrong-kind", file: name, found, wanted });
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
