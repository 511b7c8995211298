import { ProblemError, ReaderGone } from "../problem.ts";

/** Turns the failure of a file operation into a problem. A failure that the system did not report is a bug and is returned as it is. */
export type ToProblem = (cause: unknown) => unknown;

/** Runs a file operation whose failure becomes a problem. */
export function attempt<T>(operation: () => T, toProblem: ToProblem): T {
  try {
    return operation();
  } catch (cause) {
    throw toProblem(cause);
  }
}

/**
 * The problem of an input that cannot be opened or read: input.missing (with the flag that names it), input.directory, input.gzip,
 * input.unreadable.
 */
export function inputProblem(file: string, flag?: string): ToProblem {
  return (cause) => {
    const code = codeOf(cause);
    if (code === undefined) return cause;
    // Z_BUF_ERROR is zlib's "unexpected end of file".
    if (code.startsWith("Z_")) return problem({ code: "input.gzip", file, truncated: code === "Z_BUF_ERROR" }, cause);
    if (code === "EISDIR") return problem({ code: "input.directory", file }, cause);
    if (flag !== undefined && (code === "ENOENT" || code === "ENOTDIR")) {
      return problem({ code: "input.missing", file, flag }, cause);
    }
    return problem({ code: "input.unreadable", file, reason: code }, cause);
  };
}

/** The problem of an output that cannot be created or written: output.full, output.unwritable (with the flag that names it). "-" is stdout. */
export function outputProblem(path: string, flag?: string): ToProblem {
  return (cause) => {
    const code = codeOf(cause);
    if (code === undefined) return cause;
    if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") return new ReaderGone(path, { cause });
    const output = { file: path === "-" ? "stdout" : path, ...(flag === undefined ? {} : { flag }) };
    if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG")
      return problem({ code: "output.full", ...output }, cause);
    return problem({ code: "output.unwritable", reason: code, ...output }, cause);
  };
}

function problem(what: ProblemError["problem"], cause: unknown): ProblemError {
  return new ProblemError(what, { cause });
}

/** The system's code of an error; undefined for a problem and for a bug. */
function codeOf(cause: unknown): string | undefined {
  return cause instanceof ProblemError ? undefined : (cause as NodeJS.ErrnoException | undefined)?.code;
}
