import { ALL_METADATA_REMOVED, METADATA_REMOVED, METADATA_SET } from "../../../core/events/instance-log.ts";
import { type Fields, fieldsOf, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { Asking } from "../../shared/asking.ts";
import { GrowingLog } from "../../shared/read-log.ts";
import { readSelf } from "../../shared/user-life.ts";
import type { Ledger } from "../ledger.ts";
import type { Plan } from "../plan/plan.ts";

export const LINK_REMOVED = "user.human.externalidp.removed";

/** What was read counts for so long. The log is full of this job's own changes, so it is not read more often. */
const FRESH_MS = 2_000;
const ALL_KEYS = "\u0000all";

/** What the changes of others are read with. */
interface TouchedContext {
  readonly asking: Asking;
  readonly plan: Plan;
  readonly ledger: Ledger;
}

/** Metadata and links of users that other accounts have set or removed since the job began. */
export class TouchedParts {
  readonly #context: TouchedContext;
  readonly #keys = new IdTable();
  #log: GrowingLog | undefined;
  #self: Promise<string | undefined> | undefined;
  #reading: Promise<void> | undefined;
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(context: TouchedContext) {
    this.#context = context;
  }

  /** Reads again at the next question. */
  outdate(): void {
    this.#readMs = Number.NEGATIVE_INFINITY;
  }

  /** @param part a key of metadata, or a link (`linkKey`). Raises what reading events raises. */
  async has(userId: string, part: string): Promise<boolean> {
    if (performance.now() - this.#readMs > FRESH_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return [part, ALL_KEYS].some((one) => this.#keys.get(`${userId}\n${one}`) !== undefined);
  }

  async #read(): Promise<void> {
    const { asking, plan, ledger } = this.#context;
    const after = ledger.state.job?.mark;
    this.#self ??= after === undefined ? Promise.resolve(undefined) : readSelf(asking);
    const self = await this.#self;
    const begunMs = performance.now();
    if (after !== undefined && self !== undefined) {
      const eventTypes = [METADATA_SET, METADATA_REMOVED, ALL_METADATA_REMOVED, LINK_REMOVED];
      this.#log ??= new GrowingLog("", { eventTypes, orgIds: plan.scan.orgs.map(({ orgId }) => orgId), after });
      await this.#log.read(asking, ({ aggregate: { id }, type: { type }, editor, payload }) => {
        if (editor?.userId === self) return;
        const fields = fieldsOf(payload);
        const part = type === LINK_REMOVED ? linkKey(fields, "idpConfigId", "userId") : textMember(fields, "key");
        this.#keys.set(`${id}\n${type === ALL_METADATA_REMOVED ? ALL_KEYS : part}`, 1);
      });
    }
    this.#readMs = begunMs;
  }
}

/** A link beside the keys of metadata. */
export function linkKey(fields: Fields, idp: string, external: string): string {
  return `\u0000link\n${textMember(fields, idp)}\n${textMember(fields, external)}`;
}
