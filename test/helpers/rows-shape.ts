import { findRows } from "../../src/core/merge/find-rows.ts";
import type { InputShape, RowsShape } from "../../src/core/merge/input-shape.ts";

/** The shape of an input with these bytes, as a run finds it. */
export function rowsShape(shape: InputShape, bytes: Buffer, strictLines = false): RowsShape {
  return shape.kind === "found" ? findRows({ file: "", bytes }, shape, { list: undefined, strictLines }).shape : shape;
}
