/** So many pieces of work are under way at most, or wait for their turn. */
const WINDOW = 64;

/** Work side by side, as much as the window allows; after the first failure nothing is begun any more. */
export interface Pool {
  /** Begins some work as soon as there is room for it. Raises the first failure, and the signal's reason, once nothing is under way. */
  start(work: () => Promise<void>): Promise<void>;
  /** Waits until nothing is under way. Raises the first failure. */
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
