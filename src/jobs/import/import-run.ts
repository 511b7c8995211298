import type { AdminApi } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import type { Document } from "../../io/input/document.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { BatchFlags, JobFlags } from "./flags.ts";

/** One import, whatever it comes from. */
export interface ImportRun {
  readonly api: AdminApi;
  readonly input: Document;
  readonly flags: BatchFlags & { readonly report?: string; readonly json: boolean };
  readonly job: JobFlags;
  /** The command line that goes on with this job; undefined when it has no journal. */
  readonly resumeCommand: string | undefined;
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}
