import { ProblemError } from "../../problem.ts";

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

const MOST_LOOKS = 3;

/**
 * A look at the target before a call: one whose answers took longer than they count for is repeated, since others may have acted meanwhile.
 * The third one counts in any case. Raises what `look` raises.
 */
export async function lookQuickly<T>(look: () => Promise<T>): Promise<T> {
  for (let looks = 1; ; looks += 1) {
    const begunMs = performance.now();
    const seen = await look();
    if (looks === MOST_LOOKS || performance.now() - begunMs <= FRESH_MS) return seen;
  }
}

const MOST_BEFORE_HARM_MS = 5_000;

/**
 * The look before a call that deletes, changes or e-mails a user: if even the third one took more than five seconds, the call is not
 * made. Raises net.slow-look, and what `look` raises.
 */
export async function lookBeforeHarm<T>({ host }: { readonly host: string }, look: () => Promise<T>): Promise<T> {
  let tookMs = 0;
  const seen = await lookQuickly(async () => {
    const begunMs = performance.now();
    const answer = await look();
    tookMs = performance.now() - begunMs;
    return answer;
  });
  if (tookMs > MOST_BEFORE_HARM_MS) throw new ProblemError({ code: "net.slow-look", host, tookMs });
  return seen;
}
