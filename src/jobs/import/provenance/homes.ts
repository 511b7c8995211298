import type { ServiceEvent } from "../../../contract/events.ts";
import { isAlive, lifeEvents, MACHINE_ADDED, ORG_REMOVED } from "../../../core/events/user-life.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Ui } from "../../../ui/ui.ts";
import type { Asking } from "../../shared/asking.ts";
import { readLog } from "../../shared/read-log.ts";
import { LOOKED_UP, lastLifeEvent } from "../../shared/user-life.ts";

/** Where a user is, and as what. */
export interface Home {
  readonly orgId: string;
  readonly isMachine: boolean;
}

/** The homes of users, wherever they are on the target: the first ones are asked one by one, then the log is read once. */
export class Homes {
  readonly #asking: Asking;
  readonly #ui: Ui;
  readonly #asked = new Map<string, Home | undefined>();
  /** undefined: with the users who were removed with their organization. */
  readonly #orgIds: (string | undefined)[] = [];
  #all: Promise<IdTable> | undefined;

  constructor({ asking, ui }: { readonly asking: Asking; readonly ui: Ui }) {
    this.#asking = asking;
    this.#ui = ui;
  }

  /** undefined for a user who does not exist. Raises what reading events raises. */
  async of(userId: string): Promise<Home | undefined> {
    if (this.#asked.has(userId)) return this.#asked.get(userId);
    if (this.#asked.size >= LOOKED_UP) {
      this.#all ??= this.#readAll();
      const mark = (await this.#all).get(userId) ?? NOWHERE;
      const orgId = this.#orgIds[mark >>> 1];
      return orgId === undefined ? undefined : { orgId, isMachine: mark % 2 === 1 };
    }
    const last = await lastLifeEvent(userId, this.#asking);
    const home = isAlive(last) ? { orgId: last.aggregate.resourceOwner, isMachine: isMachine(last) } : undefined;
    this.#asked.set(userId, home);
    return home;
  }

  /** By user, the place of the organization in the list and a bit for a machine user. */
  async #readAll(): Promise<IdTable> {
    const found = new IdTable();
    const places = new Map<string, number>();
    const reading = { ...this.#asking, ui: this.#ui };
    await readLog("looking for users", { eventTypes: [...lifeEvents, ORG_REMOVED], orgIds: [] }, reading, (event) => {
      const { id, resourceOwner } = event.aggregate;
      if (event.type.type === ORG_REMOVED) {
        const ended = places.get(id);
        if (ended !== undefined) this.#orgIds[ended] = undefined;
        places.delete(id);
        return;
      }
      const place = places.get(resourceOwner) ?? this.#orgIds.push(resourceOwner) - 1;
      places.set(resourceOwner, place);
      found.set(id, isAlive(event) ? place * 2 + (isMachine(event) ? 1 : 0) : NOWHERE);
    });
    return found;
  }
}

/** The mark of a deleted user: no list is that long. */
const NOWHERE = 0xffff_ffff;

function isMachine({ type }: ServiceEvent): boolean {
  return type.type === MACHINE_ADDED;
}
