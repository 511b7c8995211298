/** What was read of the target counts for so long. Then it is read again before the next user is changed or deleted. */
const FRESH_MS = 500;

/** Reads at most every half second; calls that need it at the same time share one reading. */
export function freshReading<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (last === undefined || performance.now() - last.atMs > FRESH_MS)
      last = { atMs: performance.now(), value: read() };
    return last.value;
  };
}
