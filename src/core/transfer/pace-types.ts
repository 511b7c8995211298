/**
 * How many calls are made at a time, and how many users are in one. Pure: the caller reports when calls begin and end, by the caller's clock, and
 * knows nothing else.
 *
 * Without a best setting it begins with two small calls, lets calls grow until their fixed cost is small or they take about a second, doubles the calls at a
 * time while users per second rise, and then holds what was best. From time to time it tries something else, measures it against what
 * went before and after, and keeps what is better. It steps back at once when the service refuses, fails or runs out of time.
 */
export interface Pace {
  /** Calls at a time, as of now. */
  readonly calls: number;
  /** Users in a call, as of now. */
  readonly users: number;
  /** Users in the next call, about `users`, when that many are left: the last calls share the rest, so that all end at about the same time. */
  share(left: number): number;
  began(nowMs: number, users: number): PacedCall;
  ended(call: PacedCall, nowMs: number, ending: Ending): void;
}

/** A call under way. */
export interface PacedCall {
  readonly beganMs: number;
  readonly users: number;
  /** Of which setting it is. */
  readonly epoch: number;
}

/**
 * How a call ended: with an answer, refused because there were too many (429), in trouble (503, a lost connection, out of time), or in a way
 * that says nothing about the pace.
 */
export type Ending = "answered" | "busy" | "overloaded" | "untold";

export interface Range {
  readonly min: number;
  readonly max: number;
}

export interface PaceRanges {
  readonly calls: Range;
  readonly users: Range;
  /** The setting to begin with and to keep unless the service refuses; absent: the fastest is looked for. */
  readonly best?: Setting;
}

/** Calls at a time, and users in a call. */
export interface Setting {
  readonly calls: number;
  readonly users: number;
}
