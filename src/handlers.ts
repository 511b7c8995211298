import type { Printed } from "./commands/completion/declare.ts";
import type { CopyOptions } from "./commands/copy/declare.ts";
import type { DoctorOptions } from "./commands/doctor/declare.ts";
import type { ExportOptions } from "./commands/export/declare.ts";
import type { FetchOptions } from "./commands/fetch/declare.ts";
import type { ImportOptions } from "./commands/import/declare.ts";
import type { MigrateOptions } from "./commands/migrate/declare.ts";
import type { MockCommandOptions } from "./commands/mock/declare.ts";
import type { ReportMergeOptions } from "./commands/report/declare.ts";
import type { CommandNode } from "./commands/shared/command-tree.ts";
import type { UndoOptions } from "./commands/undo/declare.ts";
import type { VerifyOptions } from "./commands/verify/declare.ts";
import type { ExitCode } from "./problem.ts";
import type { Source } from "./sources/source.ts";

/** What the commands do, apart from how they are called. Injected so that a test can look at the parsed options alone. */
export interface Handlers {
  migrate(source: Source, options: MigrateOptions): Promise<ExitCode>;
  fetchAuth0(options: FetchOptions): Promise<ExitCode>;
  mock(options: MockCommandOptions): Promise<ExitCode>;
  exportOrgs(options: ExportOptions): Promise<ExitCode>;
  importFiles(names: readonly string[], options: ImportOptions): Promise<ExitCode>;
  copyOrgs(options: CopyOptions): Promise<ExitCode>;
  doctor(options: DoctorOptions): Promise<ExitCode>;
  completion(what: Printed, program: CommandNode): Promise<ExitCode>;
  mergeShards(names: readonly string[], options: ReportMergeOptions): Promise<ExitCode>;
  undo(file: string, options: UndoOptions): Promise<ExitCode>;
  verify(file: string, options: VerifyOptions): Promise<ExitCode>;
}
