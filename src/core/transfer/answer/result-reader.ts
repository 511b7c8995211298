import { camelKey } from "../../../contract/import-request.ts";
import type { ImportError } from "../../../contract/import-result.ts";
import type { Item } from "../../document/items.ts";
import { HEAD } from "../../document/org-sections.ts";
import type { BodyScan } from "../../document/scan-types.ts";
import { userIdOf } from "../../document/user-id.ts";
import { fieldsOf } from "../../json/members.ts";
import { type Batch, groupBy } from "../batches.ts";
import { type BatchResult, type Counts, countOne, type Existing, type Failure, type Open } from "./batch-result.ts";
import { type Cause, causeOf, isReference, isThere, readMessage } from "./cause.ts";
import { type ElementType, elementTypes, ownerIn, typeOfSection } from "./element-types.ts";
import { Mentions } from "./mentions.ts";

/** Errors of an answer that fit nothing that was sent are counted, but only so many are kept. */
const KEPT_STRAY_ERRORS = 10_000;

const OTP = "human_user_otp";

/** Something that was sent, as the answer may mention it. */
interface Sent {
  readonly item: Item;
  /** "" for something without an id: only the numbers can be matched (service behaviour 2.6). */
  readonly key: string;
  readonly orgId: string;
}

/** Finds the outcome of each object of a batch. */
export class ResultReader extends Mentions {
  readonly #created: Item[] = [];
  readonly #failures: Failure[] = [];
  readonly #existing: Existing[] = [];
  readonly #contradicted: number[] = [];
  readonly #unknown: string[] = [];
  readonly #open: Open[] = [];
  readonly #others = new Map<string, Counts>();
  readonly #orgErrors = new Map<string, ImportError>();
  /** Where each organization stands first in the document: several entries, of several files for example, may be of one. */
  readonly #firstPlaces = new Map<string, number>();
  /** Organizations that an entry of this very call has made, so that the next one found them there. */
  readonly #madeHere = new Set<string>();
  #leadsOut = (_: Item): boolean => false;

  /** What it comes to, once the whole answer has been read. */
  finish({ items }: Pick<Batch, "items">, { orgs, references }: Pick<BodyScan, "orgs" | "references">): BatchResult {
    for (const [place, { orgId }] of orgs.entries()) {
      if (!this.#firstPlaces.has(orgId)) this.#firstPlaces.set(orgId, place);
    }
    const orgIds = new Set(this.#firstPlaces.keys());
    this.#leadsOut = ({ key, org, bytes }) => references?.leadsOut(key, org, parsed(bytes), orgIds) === true;
    const orgIdOf = (item: Item): string => orgs[item.org]?.orgId ?? "";
    for (const [orgId, group] of groupBy(items, orgIdOf)) {
      const errors = this.takeErrors("org", orgId);
      for (const error of errors) this.#orgErrors.set(orgId, error);
      const entries = new Set(group.map(({ org }) => org)).size;
      if (this.workedOn(orgId) && errors.length < entries) this.#madeHere.add(orgId);
    }
    for (const [section, group] of groupBy(items, ({ key }) => key)) {
      if (section === HEAD) for (const item of group) this.#head(item, orgIdOf(item));
      else
        this.#elements(
          section,
          group.map((item) => ({ item, key: keyOf(section, item.bytes), orgId: orgIdOf(item) })),
        );
    }
    const rest = [...this.rest()];
    for (const error of rest) if (error.type !== OTP) this.#stray(error);
    for (const error of rest) if (error.type === OTP) this.#otp(error);
    if (items.length === 0) this.#countAll();
    for (const [list, count] of this.unknownMade()) this.#countMade(list, count);
    return {
      created: this.#created,
      failures: this.#failures,
      existing: this.#existing,
      ...(this.#contradicted.length === 0 ? {} : { contradicted: this.#contradicted }),
      unknown: this.#unknown,
      open: this.#open,
      others: this.#others,
    };
  }

  #head(item: Item, orgId: string): void {
    const error = this.#orgErrors.get(orgId);
    const cause = error === undefined ? undefined : this.#whyNothing(orgId, error);
    const place = { type: "org", id: orgId, message: error?.message ?? "", line: item.line, item: item.index };
    if (cause !== undefined) {
      countOne(this.#others, "org", "failed");
      this.#failures.push({ ...place, cause });
      return;
    }
    // Only one entry of several can have made it, and it counts once.
    const isFirst = this.#firstPlaces.get(orgId) === item.org;
    if (error === undefined && !this.workedOn(orgId)) this.#leaveOpen("org", orgId, item, orgId);
    else if (!isFirst) {
      // Settled by the first.
    } else if (error === undefined || this.#madeHere.has(orgId)) {
      countOne(this.#others, "org", "created");
      // Without members there is no name, so no attempt of this job can have made it.
    } else if (item.bytes.length === 0) countOne(this.#others, "org", "alreadyThere");
    else this.#existing.push(place);
    this.#headParts(item, orgId);
  }

  /** The lists of a head of which the answer names each element, and its policies, of which it names those that exist. */
  #headParts(item: Item, orgId: string): void {
    const members: unknown = JSON.parse(`{${item.bytes.toString()}}`);
    for (const [name, list] of Object.entries(fieldsOf(members))) {
      const section = camelKey(name);
      const type = typeOfSection(section);
      if (type !== undefined && !Array.isArray(list)) {
        const errors = this.takeErrors(type, orgId);
        for (const error of errors) this.#stray(error);
        if (errors.length === 0 && this.workedOn(orgId)) countOne(this.#others, type, "created");
      }
      if (!Array.isArray(list) || !Object.hasOwn(elementTypes, section)) continue;
      const { keyOf } = elementTypes[section] as ElementType; // has it
      this.#elements(
        section,
        list.map((element) => ({ item, key: keyOf(element), orgId })),
      );
    }
  }

  #elements(section: string, all: readonly Sent[]): void {
    const type = elementTypes[section] as ElementType; // every section that is sent apart has one
    const left: Sent[] = [];
    // One name in its errors may mean objects of several organizations, such as triggers.
    for (const group of groupBy(all, ({ key, orgId }) => (key === "" ? "" : type.errorId(key, orgId))).values())
      left.push(...this.#same(type, group));
    // The service gives objects without an id its own id, and triggers its own names.
    const nameless = section === "triggerActions" ? left : left.filter(({ key }) => key === "");
    const made = nameless.slice(0, this.takeAnyMade(type.type, nameless.length));
    for (const { item } of made) this.#made(type, item);
    const isMade = new Set(made);
    for (const sent of left) if (!isMade.has(sent)) this.#unmentioned(type, sent);
  }

  /** Settles what errors give one id: by what was made, then the last ones by what is said against them. Returns what is not mentioned. */
  #same(type: ElementType, group: readonly Sent[]): readonly Sent[] {
    const { key, orgId } = group[0] as Sent; // a group has members
    const errors = this.takeErrors(type.type, key === "" ? "" : type.errorId(key, orgId));
    const against = Math.min(errors.length, group.length);
    let most = key === "" ? 0 : group.length - against;
    const left: Sent[] = [];
    for (const sent of group) {
      const made = this.takeMade(type.type, sent.key, Math.min(most, 1));
      most -= made;
      if (made > 0) this.#made(type, sent.item);
      else left.push(sent);
    }
    const refused = left.splice(left.length - against);
    for (const [index, { item }] of refused.entries()) {
      this.#against(type, item, errors[index] as ImportError); // as many errors
    }
    if (type.type === "human_user" && key !== "" && against > 0 && this.takeMade(type.type, key, against) > 0)
      this.#contradicted.push(...refused.map(({ item }) => item.index));
    // Further errors are reported, and change no count.
    for (const error of errors.slice(against)) this.#stray(error);
    return left;
  }

  #made({ type }: ElementType, item: Item): void {
    if (type === "human_user") this.#created.push(item);
    else countOne(this.#others, type, "created");
  }

  #against({ type }: ElementType, item: Item, { id, message: words }: ImportError): void {
    const message = readMessage(words);
    const entry = {
      type,
      id: type === "human_user" ? userIdOf(item.bytes) : id,
      message: words,
      item: item.index,
      line: item.line,
    };
    const cause = isThere(type, message) ? undefined : causeOf(type, message);
    if (cause === undefined) this.#existing.push(entry);
    else if (isReference(cause) && this.#leadsOut(item)) countOne(this.#others, type, "leftOut");
    else this.#fail({ ...entry, ...ownerIn(type, item.bytes), cause });
  }

  #fail(failure: Failure): void {
    if (failure.type !== "human_user") countOne(this.#others, failure.type, "failed");
    this.#failures.push(failure);
  }

  /** An item that the answer does not name: the service skipped its organization, or its outcome is unknown. */
  #unmentioned(type: ElementType, { item, key, orgId }: Sent): void {
    const error = this.#orgErrors.get(orgId);
    const cause = error === undefined || this.workedOn(orgId) ? undefined : this.#whyNothing(orgId, error);
    const isUser = type.type === "human_user";
    const id = isUser ? key : type.errorId(key, orgId);
    if (error !== undefined && cause !== undefined) {
      const place = { item: item.index, line: item.line };
      this.#fail({ type: type.type, id, message: error.message, cause, ...ownerIn(type.type, item.bytes), ...place });
    } else if (isUser) this.#unknown.push(key);
    else this.#leaveOpen(type.type, id, item, orgId);
  }

  #leaveOpen(type: string, id: string, { index, line }: Item, orgId: string): void {
    countOne(this.#others, type, "unknown");
    this.#open.push({ type, id, orgId, item: index, line });
  }

  /** Why nothing, or nothing of use, went into an organization; undefined for one that is simply there. */
  #whyNothing(orgId: string, { message: words }: ImportError): Cause | undefined {
    const message = readMessage(words);
    const workedOn = this.workedOn(orgId);
    // The service answers that a removed organization exists and skips it (2.x), or refuses it and fills it nevertheless (4.x): 0.11.
    if (isThere("org", message)) return !workedOn && this.hasSuccesses ? "org-removed" : undefined;
    return workedOn ? "org-removed" : causeOf("org", message);
  }

  /** Errors about objects that were not sent as items; of a body that was sent as it is, these are all errors. */
  #stray(error: ImportError): void {
    const { type, id, message: words } = error;
    const message = readMessage(words);
    const cause =
      type === "org" ? this.#whyNothing(id, error) : isThere(type, message) ? undefined : causeOf(type, message);
    if (this.#failures.length + this.#existing.length > KEPT_STRAY_ERRORS) {
      countOne(this.#others, type, cause === undefined ? "alreadyThere" : "failed");
    } else if (cause === undefined) this.#existing.push({ type, id, message: words });
    else {
      countOne(this.#others, type, "failed");
      this.#failures.push({ type, id, message: words, cause });
    }
  }

  /** The entry of a user that failed or was there says nothing new; that of a user that was made is worth telling. */
  #otp(error: ImportError): void {
    const isUser = ({ type, id }: Existing): boolean => type === "human_user" && id === error.id;
    if (this.#failures.some(isUser) || this.#existing.some(isUser)) return;
    const item = this.#created.find(({ bytes }) => userIdOf(bytes) === error.id);
    const place = item === undefined ? {} : { line: item.line };
    this.#fail({ ...error, cause: causeOf(OTP, readMessage(error.message)), ...place });
  }

  #countAll(): void {
    for (const [type, count] of this.restMade()) this.#countMade(type, count);
    for (const id of this.orgs) if (!this.#mentionsOrg(id)) this.#countMade("org", 1);
  }

  #countMade(type: string, count: number): void {
    for (let times = 0; times < count; times += 1) countOne(this.#others, type, "created");
  }

  #mentionsOrg(id: string): boolean {
    return [...this.#existing, ...this.#failures].some((entry) => entry.type === "org" && entry.id === id);
  }
}

function keyOf(section: string, bytes: Buffer): string {
  if (section === "humanUsers") return userIdOf(bytes);
  return (elementTypes[section] as ElementType).keyOf(fieldsOf(parsed(bytes))); // every section that is sent apart has one
}

function parsed(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString());
}
