import type { ServiceEvent } from "../../../contract/events.ts";
import type { FoldedEvent } from "../../../core/events/rebuild/user-fold.ts";
import { ExtentIndex } from "../../../core/tables/extent-index.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { CleanUp } from "../../../io/clean-up.ts";
import { Spool } from "../../../io/spool.ts";

/** The events of one object. */
export interface ObjectEvents {
  readonly id: string;
  readonly events: readonly FoldedEvent[];
}

/**
 * Events by object, in the order of the first event of each object. Payloads wait in an encrypted temporary file; memory holds about 100
 * bytes per object and 20 bytes per piece, which is a run of events of one object.
 */
export class EventStore {
  readonly #spool: Spool;
  /** The number of each object. */
  readonly #numbers = new IdTable();
  readonly #pieces = new ExtentIndex();
  #open: { readonly number: number; readonly id: string; readonly events: FoldedEvent[] } | undefined;

  constructor(cleanUp: CleanUp) {
    this.#spool = new Spool(cleanUp);
  }

  /** How many objects have events. */
  get size(): number {
    return this.#numbers.size;
  }

  /** Raises output.unwritable, output.full. */
  add({ aggregate: { id, resourceOwner }, sequence, type: { type }, payload }: ServiceEvent): void {
    const number = this.#numberOf(`${resourceOwner}\u0000${id}`);
    const event = { type, sequence: Number(sequence), payload };
    if (this.#open?.number === number && this.#open.events.length < RUN) this.#open.events.push(event);
    else {
      this.flush();
      this.#open = { number, id, events: [event] };
    }
  }

  /** The events of the objects [from, to). Raises output.unwritable. */
  *objects(from: number, to: number): Generator<ObjectEvents> {
    this.flush();
    for (let number = from; number < to; number += 1) {
      const pieces = this.#pieces.find(String(number)).map(({ start, end }) => this.#read(start, end));
      yield { id: pieces[0]?.id ?? "", events: pieces.flatMap(({ events }) => events) };
    }
  }

  /** Ends the open piece. */
  flush(): void {
    if (this.#open === undefined) return;
    const { number, id, events } = this.#open;
    const start = this.#spool.bytes;
    this.#spool.append(Buffer.from(JSON.stringify({ id, events })));
    this.#pieces.add(String(number), { item: 0, start, end: this.#spool.bytes });
    this.#open = undefined;
  }

  /** Frees memory and file. */
  remove(): void {
    this.#spool.remove();
  }

  #numberOf(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }

  #read(start: number, end: number): ObjectEvents {
    const bytes = Buffer.allocUnsafe(end - start);
    this.#spool.readAt(start, bytes);
    return JSON.parse(bytes.toString()) as ObjectEvents; // as `flush` wrote it
  }
}

/** The most events of one piece, so that one object with many events needs little memory while it is read. */
const RUN = 64;
