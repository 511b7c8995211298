import type { MergeJob } from "../merge-job.ts";
import type { SourceUser } from "../source-user.ts";
import { EntryBuffer } from "./entry-buffer.ts";

/** Entries of an organization of its own that are collected before they are written. */
const WRITE_EVERY = 1_000;

/** Collects entries, and hands them over while the next ones are made. */
export class EntryWriter {
  readonly #write: MergeJob["write"];
  /** Filled while the other one is written. */
  #entries = new EntryBuffer();
  #handedOver = new EntryBuffer();
  #written: Promise<void> = Promise.resolve();
  /** Of users who do not go to the organization that the command line names. */
  readonly #others = new Map<string, EntryBuffer>();

  constructor(write: MergeJob["write"]) {
    this.#write = write;
  }

  /** Takes users of the organization that the command line names, until the next `flush`. */
  get entries(): EntryBuffer {
    return this.#entries;
  }

  add(user: SourceUser): void {
    if (user.orgId === undefined) this.#entries.add(user);
    else this.#of(user.orgId).add(user);
  }

  /** Hands over what was added, and continues while it is written. Raises what was raised by what was handed over before. */
  async flush(): Promise<void> {
    if (this.#entries.count > 0) {
      await this.#written;
      [this.#entries, this.#handedOver] = [this.#handedOver, this.#entries];
      this.#entries.clear();
      this.#written = this.#write(this.#handedOver, undefined);
      this.#written.catch(() => {}); // raised where it is awaited
    }
    await this.#flushOthers(WRITE_EVERY);
  }

  /** Hands over everything and waits until it is written. */
  async finish(): Promise<void> {
    await this.flush();
    await this.#flushOthers(1);
    await this.#written;
  }

  /** Harmless at any time: nothing is being written afterwards. */
  async close(): Promise<void> {
    await this.#written.catch(() => {}); // the next `add` or `finish` raises it
  }

  #of(orgId: string): EntryBuffer {
    const known = this.#others.get(orgId) ?? new EntryBuffer();
    this.#others.set(orgId, known);
    return known;
  }

  async #flushOthers(atLeast: number): Promise<void> {
    for (const [orgId, entries] of this.#others) {
      if (entries.count < atLeast) continue;
      await this.#written;
      await this.#write(entries, orgId);
      entries.clear();
    }
  }
}
