import * as z from "zod";
import { parseDurationMs } from "../../contract/duration.ts";
import type { FaultEndpoint } from "../api.ts";
import type { Answer } from "./answer.ts";
import { faultEndpoints, faultKinds, faultRows } from "./fault-kinds.ts";

/** The flag gives texts, JSON gives numbers: the schema reads both, and reads its own output unchanged. */
const whole = z.union(
  [
    z.int().min(0),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ],
  { error: "must be a whole number" },
);
const chance = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^[\d.]+$/)
        .transform(Number),
    ],
    { error: "must be a number from 0 to 1" },
  )
  .pipe(z.number().min(0).max(1));
const kind = z.union([z.enum(faultKinds), z.int().transform(String).pipe(z.enum(faultKinds))], {
  error: `must be one of ${faultKinds.join(", ")}`,
});
/** Milliseconds, or a duration with a unit. */
const duration = z.union([z.number().min(0), z.string()]).transform((given, issue) => {
  const ms = typeof given === "number" ? given : parseDurationMs(given);
  if (ms !== undefined && ms >= 0) return ms;
  issue.addIssue({ code: "custom", message: "must be a duration with a unit, such as 200ms or 2s" });
  return z.NEVER;
});

/** One fault, as `FaultInput` describes it: the only schema for the flag, the seed file, the control path and the in-process API. */
export const Fault = z.strictObject({
  endpoint: z.enum(faultEndpoints),
  fault: kind,
  times: whole.optional(),
  skip: whole.default(0),
  probability: chance.default(1),
  seed: whole.default(1),
  delay: duration.default(50),
  retryAfter: whole.optional(),
  retryAfterDate: whole.optional(),
  users: whole.default(0),
  bytes: whole.optional(),
  handled: z.union([z.boolean(), z.stringbool()], { error: "must be true or false" }).default(false),
});
export type Fault = z.infer<typeof Fault>;
export type FaultInput = z.input<typeof Fault>;

/** Splits `<endpoint>:<fault>[,key=value…]`, the form of the flag. */
export function partsOfFault(text: string): Readonly<Record<string, string | undefined>> {
  const [head = "", ...pairs] = text.split(",");
  const [endpoint, fault] = head.split(":");
  const values = pairs.map((pair) => {
    const at = pair.indexOf("=");
    return at < 0 ? [pair, "true"] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { endpoint, fault, ...Object.fromEntries(values) };
}

/** The faults in force. */
export interface Faults {
  add(fault: Fault): void;
  clear(): void;
  /** Counts the call and returns the faults that strike it, in the order they were added. */
  strike(endpoint: FaultEndpoint): readonly Fault[];
  list(): readonly (Fault & { readonly calls: number; readonly struck: number })[];
}

interface Armed {
  readonly fault: Fault;
  readonly random: () => number;
  calls: number;
  struck: number;
}

export function createFaults(): Faults {
  let armed: Armed[] = [];
  return {
    add(fault) {
      armed.push({ fault, random: createRandom(fault.seed), calls: 0, struck: 0 });
    },
    clear() {
      armed = [];
    },
    strike(called) {
      const forCall = armed.filter(({ fault: { endpoint } }) => endpoint === "any" || endpoint === called);
      return forCall.filter(strikes).map(({ fault }) => fault);
    },
    list: () => armed.map(({ fault, calls, struck }) => ({ ...fault, calls, struck })),
  };
}

function strikes(armed: Armed): boolean {
  const { fault, random } = armed;
  armed.calls += 1;
  if (armed.calls <= fault.skip || armed.struck >= (fault.times ?? Number.POSITIVE_INFINITY)) return false;
  if (fault.probability < 1 && random() >= fault.probability) return false;
  armed.struck += 1;
  return true;
}

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The answer of a status fault, of the service or of a proxy in front of it (service behaviour 2.5, 2.8); undefined for other faults. */
export function statusAnswer(fault: Fault, now: Date): Answer | undefined {
  const answer = faultRows[fault.fault].status?.();
  const retryAfter =
    fault.retryAfterDate === undefined
      ? fault.retryAfter?.toString()
      : new Date(now.getTime() + fault.retryAfterDate * 1000).toUTCString();
  if (answer === undefined || retryAfter === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "retry-after": retryAfter } };
}
