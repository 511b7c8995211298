import type { ColumnUse } from "../core/merge/counts.ts";
import { count } from "../problem/format.ts";

/** As many are named. */
const NAMED = 30;

/** What became of the columns of a table, in lines. */
export function describeColumns({ preset, isRecognized, unused }: ColumnUse): readonly string[] {
  const more = unused.length > NAMED ? `, and ${count(unused.length - NAMED)} more` : "";
  return [
    ...(preset === undefined || !isRecognized ? [] : [`columns        recognized as those of --preset ${preset}`]),
    ...(unused.length === 0
      ? []
      : [
          `not read       ${unused.slice(0, NAMED).join(", ")}${more}; --map metadata.<key>=<column> takes a column along`,
        ]),
  ];
}
