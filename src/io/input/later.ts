import { statSync } from "node:fs";
import { resolve } from "node:path";
import { attempt, inputProblem } from "../attempt.ts";
import { type Input, openInput } from "./input.ts";
import type { InputOptions } from "./open.ts";

/**
 * A file that is opened by its first read and closed after its last one, for folders with more files than a process may have open.
 * Raises input.missing and .unreadable at once if the file cannot be examined, and all other problems by the first read.
 */
export function openLater(path: string, options: InputOptions): Input {
  const { size } = attempt(() => statSync(resolve(options.cwd, path)), inputProblem(path, options.flag));
  let input: Input | undefined;
  let isOver = false;
  const close = async (): Promise<void> => {
    isOver = true;
    await input?.close();
    input = undefined;
  };
  return {
    file: path,
    path: resolve(options.cwd, path),
    sizeBytes: size,
    isCompressed: path.endsWith(".gz"), // a guess, for the estimate of the total size
    takenBytes: () => (isOver ? size : (input?.takenBytes() ?? 0)),
    async read(into) {
      if (isOver) return 0;
      input ??= await openInput(path, options);
      const length = await input.read(into);
      if (length === 0) await close();
      return length;
    },
    again: async () => openLater(path, options),
    close,
  };
}
