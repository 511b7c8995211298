import type { UnreadState } from "../../core/merge/counts.ts";
import { isOfOther, keyOf, plainName, usualNames } from "./usual-names.ts";
import { DELETED, isNone, toFlag, toState, withoutApostrophe } from "./values.ts";

const FIELDS = ["deleted", "state"] as const;

/** A place of which it is not known yet that it says that users are closed. */
interface Wanted {
  readonly field: UnreadState["field"];
  readonly name: string;
  /** Texts that do not say it, as many rows have them. */
  readonly open: Set<string>;
}

/** So many such texts are remembered. */
const MOST_TEXTS = 20;

/** The field that a plain name is read as. */
const FIELD_OF: ReadonlyMap<string, UnreadState["field"]> = new Map(
  FIELDS.flatMap((field) => (usualNames[field] ?? "").split("|").map((name) => [plainName(name), field] as const)),
);

/** Places that are not read, whose usual names say that they have states, and that say of a user who is written as open that the user is not. */
export class UnreadStates {
  readonly #now: number;
  /** By all places that were asked for; null: nothing is wanted of it, or nothing any more. */
  readonly #wanted = new Map<string, Wanted | null>();
  readonly #found: UnreadState[] = [];

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  get found(): readonly UnreadState[] {
    return this.#found;
  }

  /** True for a column or a path, with dots between its keys, that may have states and did not say one yet. */
  isWanted(place: string): boolean {
    return this.#of(place) !== null;
  }

  /** Takes what an open user has in a place. */
  take(place: string, given: string): void {
    const wanted = this.#of(place);
    if (wanted === null || wanted.open.has(given)) return;
    const { field, name, open } = wanted;
    const text = withoutApostrophe(given);
    const isClosed =
      field === "deleted"
        ? toFlag(text) !== false && !isNone(text)
        : DELETED.test(text) || (toState(text, name, this.#now) ?? "active") !== "active";
    if (isClosed) {
      this.#found.push({ place, field });
      this.#wanted.set(place, null);
    } else if (open.size < MOST_TEXTS) open.add(given);
  }

  #of(place: string): Wanted | null {
    const known = this.#wanted.get(place);
    if (known !== undefined) return known;
    const field = fieldOf(place);
    const wanted = field === undefined ? null : { field, name: keyOf(place), open: new Set<string>() };
    this.#wanted.set(place, wanted);
    return wanted;
  }
}

function fieldOf(place: string): UnreadState["field"] | undefined {
  const [, ...around] = place.split(".").reverse();
  return FIELD_OF.get(plainName(place)) ?? (around.some(isOfOther) ? undefined : FIELD_OF.get(plainName(keyOf(place))));
}
