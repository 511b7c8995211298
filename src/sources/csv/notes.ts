import type { Remark, RowFault } from "../../problem.ts";

/** Where the faults and remarks of the row at hand go. */
export class Notes {
  readonly faults: RowFault[] = [];
  /** Most rows have none. */
  remarks: Remark[] | undefined;

  tell(remark: Remark): void {
    this.remarks ??= [];
    this.remarks.push(remark);
  }
}
