import type { AdminApi } from "../../admin/client.ts";
import type { RetryContext } from "../../admin/with-retry.ts";
import type { Context } from "../../context.ts";
import type { Document } from "../../io/input/document.ts";
import type { Report } from "../../ui/report.ts";
import type { Ui } from "../../ui/ui.ts";
import type { ImportSettings, JournalSettings } from "./settings.ts";

/** What every part of an import may need: the target, the world outside, and who is told. */
export interface ImportWorld {
  readonly api: AdminApi;
  readonly context: Context;
  readonly ui: Ui;
  readonly report: Report;
}

/** How the target is asked something. */
export interface Asking {
  readonly api: AdminApi;
  readonly retry: RetryContext;
  readonly signal: AbortSignal;
}

/** One import, whatever it comes from. */
export interface ImportRun extends ImportWorld {
  readonly input: Document;
  readonly settings: ImportSettings;
  readonly journal: JournalSettings;
  /** The instance that the input was exported from, where it can be asked. */
  readonly source?: AdminApi;
  /** Organizations of the source, by their ids there, of which the export lacks anything; undefined: the source does not tell. */
  readonly lackingOrgs?: readonly string[] | undefined;
  /** The command line that goes on with this job; undefined when it has no journal. */
  readonly resumeCommand: string | undefined;
  /** The command line that compares what came of it; undefined where there is no file to compare with, or it is done anyway. */
  readonly checkCommand: string | undefined;
  /** Where faults beyond the first ones can be read: "the rejects", "the report"; undefined: nowhere. */
  readonly restOfFaults: string | undefined;
}
