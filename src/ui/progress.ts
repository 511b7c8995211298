import type { Writable } from "node:stream";
import type { Ora } from "ora";

/** Progress of one piece of work. Cheap to update: what is shown is drawn a few times a second at most. */
export interface Progress {
  /** `text` is built only when it is going to be shown. */
  update(text: () => string): void;
  /** Takes the progress off the screen; the caller says the result itself. */
  stop(): void;
}

export interface ProgressSettings {
  readonly stderr: Writable;
  readonly quiet: boolean;
  /** A spinner on a terminal; otherwise one plain line at intervals. */
  readonly animated: boolean;
}

const FIRST_SHOWN_MS = 1_000;
const SPINNER_EVERY_MS = 100;
const LINE_EVERY_MS = 5_000;

/** Nothing is shown in the first second, and nothing at all with --quiet. */
export function createProgress(title: string, { stderr, quiet, animated }: ProgressSettings): Progress {
  if (quiet) return { update() {}, stop() {} };
  let due = Date.now() + FIRST_SHOWN_MS;
  let spinner: Ora | undefined;
  let starting = false;
  let stopped = false;
  const startSpinner = async (): Promise<void> => {
    const { default: ora } = await import("ora");
    // isEnabled: ora would otherwise decide by CI variables of its own; discardStdin would swallow Ctrl-C.
    if (!stopped)
      spinner = ora({
        text: title,
        stream: stderr as NodeJS.WriteStream,
        discardStdin: false,
        isEnabled: true,
      }).start();
  };
  return {
    update(text) {
      const now = Date.now();
      if (now < due) return;
      if (!animated) {
        due = now + LINE_EVERY_MS;
        stderr.write(`${title}: ${text()}\n`);
        return;
      }
      due = now + SPINNER_EVERY_MS;
      if (!starting) {
        starting = true;
        void startSpinner();
      }
      if (spinner !== undefined) spinner.text = `${title}: ${text()}`;
    },
    stop() {
      stopped = true;
      spinner?.stop();
    },
  };
}
