/** At most so many pieces of work run, or wait for their turn. */
const WINDOW = 64;

/** Work in parallel, as much as the window allows; after the first failure no work is started. */
export interface Pool {
  /** Starts some work as soon as there is room for it. Raises the first failure, or the signal's reason, when no work is running. */
  start(work: () => Promise<void>): Promise<void>;
  /** Waits until no work is running. Raises the first failure. */
  end(): Promise<void>;
}

/** A pool with nothing in it. */
export function createPool(signal: AbortSignal): Pool {
  const underWay = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(underWay);
    if (failures.length > 0) throw failures[0];
  };
  return {
    async start(work) {
      while (underWay.size >= WINDOW) await Promise.race(underWay);
      if (failures.length > 0 || signal.aborted) {
        await end();
        signal.throwIfAborted();
      }
      const running: Promise<void> = work()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(running));
      underWay.add(running);
    },
    end,
  };
}
