import { shellLine } from "../../ui/terminal/next-steps.ts";
import { DEFAULT_BATCH_BYTES, DEFAULT_CONCURRENCY, DEFAULT_MAX_CONCURRENCY } from "../shared/common-options.ts";
import type { ImportOptions } from "./declare.ts";

// Command lines that can be pasted. Tokens are not in them: they never are in flags.

/** The command line that goes on with an import: the same flags and `--resume`. */
export function resumeCommand(files: readonly string[], options: ImportOptions, target: string): string {
  const words = ["orgferry", "import", ...files, ...targetFlags(options, target)];
  const value = (flag: string, text: string | number | undefined): void => {
    if (text !== undefined) words.push(flag, String(text));
  };
  const flag = (name: string, on: boolean): void => {
    if (on) words.push(name);
  };
  value("--timeout", options.timeout);
  if (options.batchUsers !== "auto") value("--batch-users", options.batchUsers);
  if (options.batchBytes !== DEFAULT_BATCH_BYTES) value("--batch-bytes", `${options.batchBytes}B`);
  if (options.concurrency !== DEFAULT_CONCURRENCY) value("--concurrency", options.concurrency);
  if (options.maxConcurrency !== DEFAULT_MAX_CONCURRENCY) value("--max-concurrency", options.maxConcurrency);
  if (options.via !== "auto") value("--via", options.via);
  flag("--no-mail", !options.mail);
  value("--max-mails", options.maxMails);
  flag("--yes", options.yes);
  value("--from", options.from);
  if (options.shard !== undefined) {
    value("--shard", options.shard === "auto" ? "auto" : `${options.shard.index}/${options.shard.of}`);
  }
  for (const mapping of options.orgMap) value("--org-map", mapping);
  value("--journal", options.journal);
  value("--manifest", options.manifest);
  value("--rejects", options.rejects);
  value("--report", options.report);
  value("--html", options.html);
  flag("--insecure-http", options.insecureHttp);
  flag("--skip-invalid", options.skipInvalid);
  flag("--fail-on-existing", options.failOnExisting);
  flag("--fail-on-different", options.failOnDifferent);
  flag("--update", options.update);
  value("--prefer", options.prefer);
  flag("--verify", options.verify);
  flag("--html-anonymous", options.htmlAnonymous);
  flag("--json", options.json);
  return shellLine([...words, "--resume"]);
}

/**
 * The command line that compares what came of an import; undefined where it is done anyway, and where organizations have another id on
 * the target than in the file.
 */
export function checkCommand(file: string, options: ImportOptions, target: string): string | undefined {
  if (options.verify || options.orgMap.length > 0) return undefined;
  return shellLine(["orgferry", "verify", file, ...targetFlags(options, target)]);
}

function targetFlags({ tokenFile, insecureHttp }: ImportOptions, target: string): string[] {
  return [
    "--target",
    target,
    ...(tokenFile === undefined ? [] : ["--token-file", tokenFile]),
    ...(insecureHttp ? ["--insecure-http"] : []),
  ];
}
