import type { Remark, RowFault } from "../../problem.ts";

/** Where the faults and remarks of the row at hand go. */
export class Notes {
  readonly faults: RowFault[] = [];
  /** Most rows have none. */
  remarks: Remark[] | undefined;
  /** Roles that no `--grant` names. */
  roles: readonly string[] | undefined;
  /** Keys of metadata that the service does not accept. */
  metadata: readonly string[] | undefined;
  /** Providers without a counterpart on the target. */
  providers: readonly string[] | undefined;

  tell(remark: Remark): void {
    this.remarks ??= [];
    this.remarks.push(remark);
  }
}
