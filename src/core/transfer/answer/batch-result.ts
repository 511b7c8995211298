import type { Item } from "../../document/items.ts";
import type { Cause } from "./cause.ts";

/** Something the service did not take. */
export interface Failure {
  readonly type: string;
  readonly id: string;
  /** The service's own words, without secrets; empty where it said nothing about this very entry. */
  readonly message: string;
  readonly cause: Cause;
  /** Who has the user name on the target: `user 5 of organization 7`. */
  readonly holder?: string;
  /** Of an existing user: the fields that were changed nevertheless. */
  readonly changed?: readonly string[];
  /** Of a role grant: the user, and the roles of the input. */
  readonly userId?: string;
  readonly roleKeys?: readonly string[];
  /** Of an object that was sent as an item: its place in the order of sending, and its line in the input. */
  readonly item?: number;
  readonly line?: number;
}

/** An object that existed before this call: created by an earlier attempt of the same job, or by another user. */
export type Existing = Omit<Failure, "cause">;

/** Something other than a user that the answer does not mention. */
export interface Open {
  readonly type: string;
  readonly id: string;
  readonly orgId: string;
  readonly item: number;
  readonly line: number;
}

/** How many of a type that is no human user came to what. */
export interface Counts {
  readonly created: number;
  readonly alreadyThere: number;
  readonly failed: number;
  /** Refers to something that the input does not hold and the target does not have: it cannot be carried (core/document/references.ts). */
  readonly leftOut?: number;
  /** Not sent: it would change a user who existed before. */
  readonly heldBack?: number;
  /** The answer does not mention it. */
  readonly unknown?: number;
}

/** What an answer says about each thing that was sent. */
export interface BatchResult {
  /** Users that were made by this call. */
  readonly created: readonly Item[];
  readonly failures: readonly Failure[];
  readonly existing: readonly Existing[];
  /** Places of users that the answer names among the created ones and among the errors. */
  readonly contradicted?: readonly number[];
  /** Ids of users that the answer does not mention. */
  readonly unknown: readonly string[];
  /** Everything else that the answer does not mention. */
  readonly open: readonly Open[];
  /** Everything that is no human user, by the service's name for its type. */
  readonly others: ReadonlyMap<string, Counts>;
}

/** Nothing, to put something in. */
export const NO_RESULT: BatchResult = {
  created: [],
  failures: [],
  existing: [],
  unknown: [],
  open: [],
  others: new Map(),
};

/** Adds one to a count, and the type to the map where it is new. */
export function countOne(counts: Map<string, Counts>, type: string, what: keyof Counts): void {
  counts.set(type, addCounts(counts.get(type), { ...NONE, [what]: 1 }));
}

const NONE: Counts = { created: 0, alreadyThere: 0, failed: 0 };

/** The sum of two counts; what neither has stays away. */
export function addCounts(a: Counts = NONE, b: Counts): Counts {
  const leftOut = (a.leftOut ?? 0) + (b.leftOut ?? 0);
  const heldBack = (a.heldBack ?? 0) + (b.heldBack ?? 0);
  const unknown = (a.unknown ?? 0) + (b.unknown ?? 0);
  return {
    created: a.created + b.created,
    alreadyThere: a.alreadyThere + b.alreadyThere,
    failed: a.failed + b.failed,
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(heldBack === 0 ? {} : { heldBack }),
    ...(unknown === 0 ? {} : { unknown }),
  };
}
