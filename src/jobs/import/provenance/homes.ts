import { isAlive, lifeEvents } from "../../../core/events/user-life.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Ui } from "../../../ui/ui.ts";
import type { Asking } from "../../shared/asking.ts";
import { readLog } from "../../shared/read-log.ts";
import { LOOKED_UP, lastLifeEvent } from "../../shared/user-life.ts";

/** The organizations of users, wherever they are on the target: the first ones are asked one by one, then the log is read once. */
export class Homes {
  readonly #asking: Asking;
  readonly #ui: Ui;
  readonly #asked = new Map<string, string | undefined>();
  readonly #orgIds: string[] = [];
  #all: Promise<IdTable> | undefined;

  constructor({ asking, ui }: { readonly asking: Asking; readonly ui: Ui }) {
    this.#asking = asking;
    this.#ui = ui;
  }

  /** undefined for a user who does not exist. Raises what reading events raises. */
  async of(userId: string): Promise<string | undefined> {
    if (this.#asked.has(userId)) return this.#asked.get(userId);
    if (this.#asked.size >= LOOKED_UP) {
      this.#all ??= this.#readAll();
      return this.#orgIds[(await this.#all).get(userId) ?? -1];
    }
    const last = await lastLifeEvent(userId, this.#asking);
    const home = isAlive(last) ? last.aggregate.resourceOwner : undefined;
    this.#asked.set(userId, home);
    return home;
  }

  /** The places of the users' organizations in the list; a place that the list does not have for a deleted user. */
  async #readAll(): Promise<IdTable> {
    const found = new IdTable();
    const places = new Map<string, number>();
    const reading = { ...this.#asking, ui: this.#ui };
    await readLog("looking for users", { eventTypes: lifeEvents, orgIds: [] }, reading, (event) => {
      const { id, resourceOwner } = event.aggregate;
      const place = places.get(resourceOwner) ?? this.#orgIds.push(resourceOwner) - 1;
      places.set(resourceOwner, place);
      found.set(id, isAlive(event) ? place : NOWHERE);
    });
    return found;
  }
}

const NOWHERE = 0xffff_ffff;
