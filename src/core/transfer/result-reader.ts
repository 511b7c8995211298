import type { ImportError } from "../../contract/import-result.ts";
import type { Item } from "../document/items.ts";
import { HEAD } from "../document/org-sections.ts";
import type { BodyScan } from "../document/scan-types.ts";
import { userIdOf } from "../document/user-id.ts";
import type { AnswerListener } from "./answer-reader.ts";
import type { Batch } from "./batches.ts";
import {
  type Cause,
  causeOf,
  isExistingObject,
  isExistingOrg,
  isExistingUser,
  type ReadMessage,
  readMessage,
} from "./cause.ts";
import { successTypes } from "./success-types.ts";

/** Something the service did not take. */
export interface Failure {
  readonly type: string;
  readonly id: string;
  /** The service's own words, without secrets; empty where it said nothing about this very entry. */
  readonly message: string;
  readonly cause: Cause;
  /** Of a user: its place in the order of sending, and its line in the input. */
  readonly item?: number;
  readonly line?: number;
}

/** Something that was there before this call: made by an earlier attempt of the same job, or by somebody else. */
export interface Existing {
  readonly type: string;
  readonly id: string;
  readonly message: string;
  readonly item?: number;
  readonly line?: number;
}

export interface Counts {
  created: number;
  alreadyThere: number;
  failed: number;
}

/** What an answer says about each thing that was sent. */
export interface BatchResult {
  readonly created: number;
  readonly failures: Failure[];
  readonly existing: Existing[];
  /** Ids of users that the answer does not mention. */
  readonly unknown: string[];
  /** Everything that is no human user, by the service's name for its type. */
  readonly others: ReadonlyMap<string, Counts>;
}

/** Errors of an answer that fit nothing that was sent are counted, but only so many are kept. */
const KEPT_STRAY_ERRORS = 10_000;

/** Collects what the answer to one batch says. `clean` takes secrets out of the service's words. */
export class ResultReader implements AnswerListener {
  readonly #clean: (text: string) => string;
  readonly #created = new Map<string, number>();
  readonly #userErrors = new Map<string, ImportError[]>();
  readonly #otpErrors: ImportError[] = [];
  readonly #orgErrors = new Map<string, ImportError>();
  readonly #workedOn = new Set<string>();
  readonly #others = new Map<string, Counts>();
  readonly #failures: Failure[] = [];
  readonly #existing: Existing[] = [];

  constructor(clean: (text: string) => string) {
    this.#clean = clean;
  }

  error(entry: ImportError): void {
    const { id } = entry;
    const type = this.#clean(entry.type);
    if (type === "human_user") pushTo(this.#userErrors, id, entry);
    else if (type === "human_user_otp") this.#otpErrors.push(entry);
    else if (type === "org") this.#orgErrors.set(id, entry);
    else this.#other(entry);
  }

  org(orgId: string): void {
    this.#workedOn.add(orgId);
  }

  success(list: string, element: unknown): void {
    if (list === "humanUserIds") {
      const id = String(element);
      this.#created.set(id, (this.#created.get(id) ?? 0) + 1);
    } else if (Object.hasOwn(successTypes, list)) this.#count(successTypes[list] as string).created += 1;
  }

  /** What it comes to, once the whole answer has been read. */
  finish(batch: Pick<Batch, "items">, { orgs }: Pick<BodyScan, "orgs">): BatchResult {
    const unknown: string[] = [];
    let created = 0;
    const nameless: Item[] = [];
    for (const item of batch.items) {
      if (item.key === HEAD) this.#head(item, orgs[item.org]?.orgId ?? "");
      if (item.key !== "humanUsers") continue;
      const id = userIdOf(item.bytes);
      if (id === "") nameless.push(item);
      else if (this.#takeCreated(id)) created += 1;
      else if (!this.#failed(item, id, orgs[item.org]?.orgId ?? "")) unknown.push(id);
    }
    created += this.#settleNameless(nameless, orgs, unknown);
    this.#settleOtp(batch);
    this.#settleStrays(batch, orgs);
    return { created, failures: this.#failures, existing: this.#existing, unknown, others: this.#others };
  }

  #head({ line, index, bytes }: Item, orgId: string): void {
    const error = this.#orgErrors.get(orgId);
    if (error === undefined) {
      if (this.#workedOn.has(orgId)) this.#count("org").created += 1;
      return;
    }
    const message = readMessage(error.message);
    const place = { type: "org", id: orgId, message: this.#clean(error.message), line };
    // Without members there is no name, so no attempt of this job can have made it.
    if (isExistingOrg(message) && bytes.length === 0) this.#count("org").alreadyThere += 1;
    else if (isExistingOrg(message)) this.#existing.push({ ...place, item: index });
    else {
      this.#count("org").failed += 1;
      this.#failures.push({ ...place, cause: causeOf("org", message) });
    }
  }

  #takeCreated(id: string): boolean {
    const times = this.#created.get(id) ?? 0;
    if (times > 0) this.#created.set(id, times - 1);
    return times > 0;
  }

  /** Finds out why a user was not made; false when the answer does not say. */
  #failed(item: Item, id: string, orgId: string): boolean {
    const user = { type: "human_user", id, item: item.index, line: item.line };
    const errors = this.#userErrors.get(id);
    const error = errors !== undefined && errors.length > 1 ? errors.shift() : errors?.[0];
    if (error !== undefined) {
      const message = readMessage(error.message);
      const words = this.#clean(error.message);
      if (isExistingUser(message)) this.#existing.push({ ...user, message: words });
      else this.#failures.push({ ...user, message: words, cause: causeOf("human_user", message) });
      return true;
    }
    const orgError = this.#orgErrors.get(orgId);
    if (orgError === undefined || this.#workedOn.has(orgId) || isExistingOrg(readMessage(orgError.message)))
      return false;
    this.#failures.push({
      ...user,
      message: this.#clean(orgError.message),
      cause: causeOf("org", readMessage(orgError.message)),
    });
    return true;
  }

  /** Users without an id get one from the service: only the numbers can be matched (service behaviour 2.6). */
  #settleNameless(items: readonly Item[], orgs: BodyScan["orgs"], unknown: string[]): number {
    let made = 0;
    let spare = [...this.#created.values()].reduce((sum, times) => sum + times, 0);
    for (const item of items) {
      if (spare > 0) {
        spare -= 1;
        made += 1;
      } else if (!this.#failed(item, "", orgs[item.org]?.orgId ?? "")) unknown.push("");
    }
    return made;
  }

  /** The entry of a user that failed or was there says nothing new; that of a user that was made is worth telling. */
  #settleOtp({ items }: Pick<Batch, "items">): void {
    if (this.#otpErrors.length === 0) return;
    const lines = new Map<string, Item>();
    for (const item of items) if (item.key === "humanUsers") lines.set(userIdOf(item.bytes), item);
    for (const error of this.#otpErrors) {
      const item = lines.get(error.id);
      if (this.#userErrors.has(error.id) || (item !== undefined && !this.#created.has(error.id))) continue;
      this.#count("human_user_otp").failed += 1;
      const { type } = error;
      this.#failures.push({
        type,
        id: this.#clean(error.id),
        message: this.#clean(error.message),
        cause: "otp",
        ...lineOf(item),
      });
    }
  }

  /** What is said of things that are not in the batch; of a body that was sent as it is, that is everything. */
  #settleStrays({ items }: Pick<Batch, "items">, orgs: BodyScan["orgs"]): void {
    const sentOrgs = new Set(items.map(({ org }) => orgs[org]?.orgId));
    for (const [id, error] of this.#orgErrors) if (!sentOrgs.has(id)) this.#other(error);
    if (this.#userErrors.size > 0) {
      const sent = new Set(items.filter(({ key }) => key === "humanUsers").map(({ bytes }) => userIdOf(bytes)));
      for (const [id, errors] of this.#userErrors) if (!sent.has(id)) for (const error of errors) this.#other(error);
    }
    if (items.length > 0) return;
    for (const id of this.#workedOn) if (!this.#orgErrors.has(id)) this.#count("org").created += 1;
    for (const times of this.#created.values()) this.#count("human_user").created += times;
  }

  #other(entry: ImportError): void {
    const message = readMessage(entry.message);
    const [type, id] = [this.#clean(entry.type), this.#clean(entry.id)];
    const isThere = isExisting(type, message);
    if (this.#failures.length + this.#existing.length > KEPT_STRAY_ERRORS) {
      this.#count(type)[isThere ? "alreadyThere" : "failed"] += 1;
      return;
    }
    const words = this.#clean(entry.message);
    if (isThere) this.#existing.push({ type, id, message: words });
    else {
      this.#count(type).failed += 1;
      this.#failures.push({ type, id, message: words, cause: causeOf(type, message) });
    }
  }

  #count(type: string): Counts {
    const counts = this.#others.get(type) ?? { created: 0, alreadyThere: 0, failed: 0 };
    this.#others.set(type, counts);
    return counts;
  }
}

function isExisting(type: string, message: ReadMessage): boolean {
  if (type === "human_user") return isExistingUser(message);
  return type === "org" ? isExistingOrg(message) : isExistingObject(message);
}

function lineOf(item: Item | undefined): { line?: number } {
  return item === undefined ? {} : { line: item.line };
}

function pushTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
