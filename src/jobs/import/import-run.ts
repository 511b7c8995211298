import type { AdminApi } from "../../admin/client.ts";
import type { Report } from "../../ui/report.ts";
import type { CallWorld } from "../shared/asking.ts";
import type { ComparedInput } from "../verify/by-events.ts";
import type { ImportSettings, JobFiles } from "./settings.ts";

/** The target, and what a job uses of the world outside. */
export interface ImportWorld extends CallWorld {
  readonly report: Report;
}

/** The document that is imported. */
export interface ImportInput extends ComparedInput {
  /** Of an export: the organizations of which it lacks anything, by their ids on the source; undefined: the source does not say. */
  readonly lackingOrgs?: readonly string[] | undefined;
  /** Of an export: the users that it has, and that the source has deleted. */
  readonly deletedUsers?: readonly string[];
}

/** One import, from files or from another instance. */
export interface ImportRun extends ImportWorld {
  readonly input: ImportInput;
  readonly settings: ImportSettings;
  readonly files: JobFiles;
  /** The instance that the input was exported from, if it can be read. */
  readonly source?: AdminApi;
}
