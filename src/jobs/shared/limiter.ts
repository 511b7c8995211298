/** Limits how much work runs at the same time; the rest waits in order. */
export interface Limiter {
  /** @param isFirst true: before all that waits. */
  run<T>(work: () => Promise<T>, isFirst?: boolean): Promise<T>;
}

/** @param most the limit, which may change; read when work begins or ends. */
export function createLimiter(most: () => number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(work, isFirst = false) {
      if (running >= most()) {
        await new Promise<void>((resolve) => (isFirst ? waiting.unshift(resolve) : waiting.push(resolve)));
      } else running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        for (let next = waiting[0]; next !== undefined && running < most(); next = waiting[0]) {
          waiting.shift();
          running += 1;
          next();
        }
      }
    },
  };
}
