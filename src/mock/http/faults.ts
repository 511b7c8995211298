import * as z from "zod";
import { parseDurationMs } from "../../contract/duration.ts";

/** What a fault can be laid upon: one endpoint, or all that a client calls. */
export const faultEndpoints = [
  ...(["import", "export", "events", "token", "health", "jobs"] as const),
  ...(["connections", "downloads", "users", "sessions", "orgs", "grpc-web", "any"] as const),
] as const;
export type FaultEndpoint = (typeof faultEndpoints)[number];

export const faultKinds = [
  "latency",
  "per-user",
  "lag",
  "nameless",
  "401",
  "403",
  "404",
  "405",
  "413",
  "429",
  "500",
  "501",
  "502",
  "503",
  "504",
  "timeout",
  "reset-before",
  "reset-during",
  "reset-after",
  "truncated",
  "half-json",
  "not-json",
  "trickle",
  "failed",
  "expired",
] as const;

/** The flag hands over texts, JSON numbers: both are read, and what was read is read again unchanged. */
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

/** One fault: the only schema for the flag, the seed file, the control path and the in-process API. */
export const Fault = z.strictObject({
  endpoint: z.enum(faultEndpoints),
  fault: kind,
  /** Calls it is laid upon; absent: every call. */
  times: whole.optional(),
  /** Calls let through before the first one. */
  skip: whole.default(0),
  /** Chance per call, decided by a generator that `seed` starts: the same seed gives the same calls. */
  probability: chance.default(1),
  seed: whole.default(1),
  /** `latency` and `trickle`: the wait, before the answer or between its pieces. `per-user`: what one user costs. */
  delay: duration.default(50),
  /** 429 and 503: Retry-After in seconds, or as a date that many seconds from now. */
  retryAfter: whole.optional(),
  retryAfterDate: whole.optional(),
  /**
   * `timeout`: users made before the time runs out. `lag`: the newest users that are not seen yet. `nameless`: the first users,
   * without a login name. At least one of these two.
   */
  users: whole.default(0),
  /** `trickle`: bytes per piece; `reset-during`: bytes of the request, `truncated`: of the answer, that still get through. */
  bytes: whole.optional(),
  /** Statuses: the work is done all the same, as when a proxy in front gives up first. */
  handled: z.union([z.boolean(), z.stringbool()], { error: "must be true or false" }).default(false),
});
export type Fault = z.infer<typeof Fault>;
export type FaultInput = z.input<typeof Fault>;

/** Takes `<endpoint>:<fault>[,key=value…]`, the flag's form, apart. */
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
  /** Those that strike this call, in the order they were added; counts the call. */
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
    strike: (endpoint) => armed.filter((one) => isFor(one.fault, endpoint) && strikes(one)).map(({ fault }) => fault),
    list: () => armed.map(({ fault, calls, struck }) => ({ ...fault, calls, struck })),
  };
}

function isFor({ endpoint }: Fault, called: FaultEndpoint): boolean {
  return endpoint === "any" || endpoint === called;
}

function strikes(armed: Armed): boolean {
  const { fault, random } = armed;
  armed.calls += 1;
  if (armed.calls <= fault.skip || armed.struck >= (fault.times ?? Number.POSITIVE_INFINITY)) return false;
  if (fault.probability < 1 && random() >= fault.probability) return false;
  armed.struck += 1;
  return true;
}

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
