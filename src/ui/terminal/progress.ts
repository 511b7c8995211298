import type { Writable } from "node:stream";
import type { Ora } from "ora";
import { printable, withoutHashes } from "../../problem/format.ts";
import { type ProgressState, type ProgressUnit, plainLine, terminalLine } from "./progress-line.ts";
import { type Amount, ProgressModel } from "./progress-model.ts";

/** Progress of one piece of work. Cheap to update: the text is built when it is drawn. */
export interface Progress {
  /** Sets the note, further information. */
  update(note: () => string): void;
  /** Removes the progress from the screen; the caller prints the result. May be called twice. */
  stop(): void;
}

/** Work that can be measured. */
export interface Measured {
  readonly unit: ProgressUnit;
  /** The progress so far; called for each drawing. */
  amount(): Amount;
}

export interface ProgressSettings {
  readonly stderr: Writable & { readonly columns?: number };
  readonly quiet: boolean;
  /** A spinner on a terminal; otherwise one plain line at intervals. */
  readonly animated: boolean;
  /** Whether the spinner has one: ora would decide without NO_COLOR. */
  readonly hasColour: boolean;
  /** In front of a plain line: the time of day, or nothing. */
  stamp(): string;
}

/** Shorter work draws nothing. */
const FIRST_DRAWN_MS = 300;
const DRAWN_EVERY_MS = 200;
const LINE_EVERY_MS = 15_000;

/** Progress on the screen that makes room for other lines. */
export interface Drawn extends Progress {
  /** Writes whole lines above what is drawn. */
  above(write: () => void): void;
  /** Removes it from the screen for the time of `work`, such as a question. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Draws by a timer: on a terminal several times per second, elsewhere a line every 15 seconds; nothing with
 * --quiet.
 */
export function createProgress(title: string, settings: ProgressSettings, measured?: Measured): Drawn {
  if (settings.quiet) return { update() {}, stop() {}, above: (write) => write(), hold: (work) => work() };
  const amount = measured?.amount ?? ((): Amount => ({ done: 0 }));
  const model = new ProgressModel(amount(), performance.now());
  let note = (): string => "";
  const state = (): ProgressState => {
    const nowMs = performance.now();
    model.report(amount(), nowMs);
    return {
      title: printable(withoutHashes(title)),
      unit: measured?.unit ?? "events",
      view: model.view(nowMs),
      note: printable(withoutHashes(note())),
    };
  };
  const drawing = settings.animated ? spin(state, settings) : print(state, settings);
  return {
    ...drawing,
    update(text) {
      note = text;
    },
  };
}

function print(state: () => ProgressState, { stderr, stamp }: ProgressSettings): Omit<Drawn, "update"> {
  const timer = setInterval(() => stderr.write(`${stamp()}${plainLine(state())}\n`), LINE_EVERY_MS).unref();
  return { stop: () => clearInterval(timer), above: (write) => write(), hold: (work) => work() };
}

function spin(state: () => ProgressState, { stderr, hasColour }: ProgressSettings): Omit<Drawn, "update"> {
  let spinner: Ora | undefined;
  let isStopped = false;
  let isHeld = false;
  const draw = (): void => {
    // The model measures from the first moment on, also while nothing is drawn.
    const text = terminalLine(state(), stderr.columns ?? 80);
    if (spinner !== undefined) spinner.text = text;
  };
  const start = async (): Promise<void> => {
    const { default: ora } = await import("ora");
    if (isStopped || isHeld) return;
    const text = terminalLine(state(), stderr.columns ?? 80);
    // isEnabled: ora would otherwise decide by CI variables of its own; discardStdin would swallow Ctrl-C.
    const look = { text, color: hasColour && ("cyan" as const) };
    spinner = ora({ ...look, stream: stderr as NodeJS.WriteStream, discardStdin: false, isEnabled: true }).start();
  };
  const first = setTimeout(() => void start(), FIRST_DRAWN_MS).unref();
  const timer = setInterval(draw, DRAWN_EVERY_MS).unref();
  return {
    stop() {
      isStopped = true;
      clearTimeout(first);
      clearInterval(timer);
      spinner?.stop();
    },
    above(write) {
      spinner?.clear();
      write();
      if (!isStopped && !isHeld) spinner?.render();
    },
    async hold(work) {
      isHeld = true;
      spinner?.stop();
      try {
        return await work();
      } finally {
        isHeld = false;
        if (!isStopped && spinner !== undefined) spinner.start();
        else if (!isStopped) void start();
      }
    },
  };
}
