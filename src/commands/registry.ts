import { declareCompletion, declareManPage } from "./completion/declare.ts";
import { declareCopy } from "./copy/declare.ts";
import { declareDiff } from "./diff/declare.ts";
import { declareDoctor } from "./doctor/declare.ts";
import { declareExport } from "./export/declare.ts";
import { declareFetch } from "./fetch/declare.ts";
import { declareImport } from "./import/declare.ts";
import { declareInvite } from "./invite/declare.ts";
import { migrateEntry } from "./migrate/declare.ts";
import { declareMock } from "./mock/declare.ts";
import { declareReportMerge } from "./report/declare.ts";
import { type CommandEntry, commandEntry } from "./shared/command-entry.ts";
import { declareStart } from "./start/declare.ts";
import { declareStatus } from "./status/declare.ts";
import { declareUndo } from "./undo/declare.ts";
import { declareVerify } from "./verify/declare.ts";

const ALL = { needsAll: true };

/**
 * Every command, in the order of the help. The code of a command is loaded when the command runs, so that `--help` takes as long as
 * Node itself.
 */
export const commands: readonly CommandEntry[] = [
  commandEntry("start", declareStart, async () => (await import("./start/command.ts")).start),
  migrateEntry(async () => (await import("./migrate/command.ts")).migrate),
  commandEntry("fetch", declareFetch, async () => (await import("./fetch/command.ts")).fetchAuth0),
  commandEntry("mock", declareMock, async () => (await import("./mock/command.ts")).mock),
  commandEntry("export", declareExport, async () => (await import("./export/command.ts")).exportOrgs),
  commandEntry("import", declareImport, async () => (await import("./import/command.ts")).importFiles),
  commandEntry("copy", declareCopy, async () => (await import("./copy/command.ts")).copyOrgs),
  commandEntry("diff", declareDiff, async () => (await import("./diff/command.ts")).diff),
  commandEntry("verify", declareVerify, async () => (await import("./verify/command.ts")).verify),
  commandEntry("report", declareReportMerge, async () => (await import("./report/command.ts")).mergeShards),
  commandEntry("undo", declareUndo, async () => (await import("./undo/command.ts")).undo),
  commandEntry("invite", declareInvite, async () => (await import("./invite/command.ts")).invite),
  commandEntry("status", declareStatus, async () => (await import("./status/command.ts")).status),
  commandEntry("doctor", declareDoctor, async () => (await import("./doctor/command.ts")).doctor),
  commandEntry("completion", declareCompletion, async () => (await import("./completion/command.ts")).completion, ALL),
  commandEntry("man-page", declareManPage, async () => (await import("./completion/command.ts")).printManPage, ALL),
];
