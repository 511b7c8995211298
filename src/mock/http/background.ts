/** Work that continues after its call was answered (service behaviour 2.7). */
export interface Background {
  /** Starts work. Its outcome is one line of the log: no call reports it. */
  start(title: string, work: () => Promise<string>): void;
  /** Resolves when no work is left. */
  settled(): Promise<void>;
}

export function createBackground(note: (line: string) => void): Background {
  const running = new Set<Promise<void>>();
  return {
    start(title, work) {
      const done = work().then(
        (outcome) => note(`${title}: ${outcome}`),
        (error: unknown) => note(`${title}: failed: ${error instanceof Error ? error.message : String(error)}`),
      );
      running.add(done);
      void done.finally(() => running.delete(done));
    },
    async settled() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
