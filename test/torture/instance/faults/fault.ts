import type { Socket } from "node:net";
import type { Random } from "../../random.ts";
import type { EndpointName, PlainAnswer } from "../endpoints.ts";
import type { Asked, Head } from "../wire.ts";

/** One call that goes wrong. */
export interface Turn {
  readonly socket: Socket;
  readonly random: Random;
  readonly asked: Asked;
  readonly endpoint: EndpointName;
  /** What a sound instance would say. */
  readonly answer: PlainAnswer;
  readonly head: Head;
  readonly body: Buffer;
  /** Secrets of the request, and its token. */
  readonly secrets: readonly string[];
  /** What this endpoint has said before, for a server that repeats itself. */
  readonly earlier: readonly unknown[];
  /** Well-formed, with headers of its own. */
  say(answer: PlainAnswer, headers?: Readonly<Record<string, string>>): void;
}

export interface Fault {
  /** In one word or some, as a finding tells it. */
  readonly name: string;
  /** Calls that it may befall; all where it does not say. */
  readonly on?: readonly EndpointName[];
  /** What the instance does before: nothing, the first part of it, or everything. */
  readonly work: "none" | "part" | "all";
  /** What it says, once it is understood, is not so: then only sums, ends and leaks can be held against the truth. */
  readonly isLie?: boolean;
  /** It keeps the client waiting: the trial runs with a faster clock. */
  readonly isSlow?: boolean;
  /** Ends a run for good: the next one has to go on. */
  readonly endsRun?: boolean;
  readonly act: (turn: Turn) => void;
}

/** Faults that have much in common; what one of them says itself counts more. */
export function family(
  common: Omit<Fault, "name" | "act">,
  faults: readonly (Pick<Fault, "name" | "act"> & Partial<Fault>)[],
): readonly Fault[] {
  return faults.map((fault) => ({ ...common, ...fault }));
}
