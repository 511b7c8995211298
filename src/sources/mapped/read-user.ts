import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import type { Grant, IdpLink, Metadata, SourceUser } from "../../core/merge/source-user.ts";
import { splitName } from "../../core/rules/names.ts";
import { spreadsheetFault, textFault } from "../../core/rules/text.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { type AddressFields, readAddress } from "../shared/address.ts";
import { type Granter, plainRole } from "../shared/grants.ts";
import { toIdpLinks } from "../shared/options.ts";
import { beginsLikeHash } from "../shared/plain-password.ts";
import type { Cells, Place } from "./cells.ts";
import { createDetails, meaningOf, meaningOfEmpty, meaningOfEmptyState } from "./details.ts";
import type { Field } from "./fields.ts";
import { createMetadata } from "./metadata.ts";
import { Notes } from "./notes.ts";
import type { MappedSettings } from "./options.ts";
import type { Plan } from "./plan.ts";
import { readPassword } from "./read-password.ts";
import { closedState, DELETED, isNone, toFlag, toState, withoutApostrophe } from "./values.ts";

/** Reads rows by a plan. */
export function createReader<P extends Place>(
  plan: Plan<P>,
  cells: Cells<P>,
  settings: MappedSettings,
  granter: Granter,
  now: Date,
): (row: object) => UserReading {
  const reader = new MappedReader(plan, cells, settings, granter, now.getTime());
  return (row) => reader.read(row);
}

class MappedReader<P extends Place> {
  readonly #plan: Plan<P>;
  readonly #settings: MappedSettings;
  readonly #cells: Cells<P>;
  readonly #details: ReturnType<typeof createDetails>;
  readonly #metadata: (notes: Notes) => readonly Metadata[] | undefined;
  readonly #addressFields: AddressFields["fields"];
  readonly #granter: Granter;
  readonly #now: number;
  #notes = new Notes();

  constructor(plan: Plan<P>, cells: Cells<P>, settings: MappedSettings, granter: Granter, now: number) {
    this.#granter = granter;
    this.#now = now;
    this.#plan = plan;
    this.#settings = settings;
    this.#cells = cells;
    this.#details = createDetails(plan, cells, settings, now);
    this.#metadata = createMetadata(plan, cells);
    const nameOf = (field: Field): string => this.#columnOf(field);
    this.#addressFields = { email: nameOf("email"), userName: nameOf("userName"), userId: nameOf("userId") };
  }

  read(row: object): UserReading {
    this.#cells.of(row);
    this.#notes = new Notes();
    const { faults } = this.#notes;
    const userId = this.#needed("userId", serviceLimits.userId);
    const gone = this.#gone();
    if (gone === "deleted" || gone === "anonymous")
      return { faults: [], user: undefined, userId, email: undefined, leftOut: gone };
    const given = this.#text("email", Number.POSITIVE_INFINITY);
    const details = this.#details(given, this.#notes, gone);
    const named = this.#text("userName", serviceLimits.userName);
    const address = readAddress(
      { email: given, isVerified: details.isEmailVerified, userName: named, userId, fields: this.#addressFields },
      this.#settings.emailDomain,
      faults,
    );
    const userName = named ?? address?.email;
    const names = this.#names(userName ?? "");
    const secret = readPassword(this.#plan, this.#settings, this.#cells, this.#notes);
    const { refusedHash, hashField } = secret;
    const email = address?.email;
    const idpLinks = this.#links();
    const metadata = this.#metadata(this.#notes);
    const orgId = this.#cells.first(this.#plan.cells.org);
    faults.push(...this.#cells.faults.values());
    if (faults.length > 0 || userId === undefined || address === undefined || userName === undefined) {
      return { faults, user: undefined, userId, email, refusedHash, hashField, isNamedByEmail: names.isByUserName };
    }
    const { state } = details;
    if (state === "locked") this.#notes.tell("stays-locked");
    else if (state === "inactive") this.#notes.tell("stays-inactive");
    const { firstName, lastName, nickName, displayName } = names;
    if ([firstName, lastName, nickName, displayName].some((name) => name !== undefined && beginsLikeHash(name)))
      this.#notes.tell("hash-as-name");
    if (address.isMadeUp) this.#notes.tell("email-made-up");
    if (address.isConverted && named === undefined) this.#notes.tell("domain-converted");
    const user: SourceUser = {
      userId,
      userName,
      email: address.email,
      isEmailVerified: address.isVerified,
      firstName,
      lastName,
      nickName,
      displayName,
      preferredLanguage: details.preferredLanguage,
      gender: details.gender,
      phone: details.phone,
      isPhoneVerified: details.isPhoneVerified,
      hash: secret.hash,
      plainPassword: secret.plainPassword,
      otpSecret: details.otpSecret,
      idpLinks,
      metadata,
      grants: this.#grants(),
      state,
      orgId,
    };
    const isGone = gone !== undefined || (state !== undefined && state !== "active" && this.#saysDeleted());
    const { remarks, providers, roles, metadata: lostKeys } = this.#notes;
    const fields = this.#cells.leftOut((state ?? "active") === "active");
    const notes = { remarks, providers, roles, fields, metadata: lostKeys };
    return {
      faults,
      user,
      userId,
      email,
      refusedHash,
      hashField,
      isNamedByEmail: names.isByUserName,
      isGone,
      ...notes,
    };
  }

  /** Of a row that is no person, or whose person is gone: what it is left out as, or the state that `--value` gives it. */
  #gone(): "deleted" | "anonymous" | "inactive" | "locked" | undefined {
    const { words } = this.#settings;
    for (const field of ["deleted", "anonymous"] as const) {
      const text = withoutApostrophe(this.#cells.first(this.#plan.cells[field])) ?? meaningOfEmpty(words, field);
      if (text === undefined) continue;
      const damage = spreadsheetFault(text, false);
      if (damage !== undefined)
        this.#notes.faults.push({ ...damage, field: this.#cells.columnOf(this.#plan.cells[field]) });
      const meaning = damage === undefined ? meaningOf(words, field, text) : "no";
      if (toFlag(meaning) === false || isNone(meaning)) continue;
      return closedState(meaning) ?? closedState(meaningOf(words, field, "yes")) ?? field;
    }
    const { state } = this.#plan.cells;
    const said = state.flatMap((cell) => {
      const text = withoutApostrophe(this.#cells.text(cell));
      return text === undefined ? [] : [{ name: cell.name, text: meaningOf(words, "state", text) }];
    });
    if (said.some(({ text }) => DELETED.test(text))) return "deleted";
    // An empty cell is left to a column that says that the user is closed.
    const isOpen = ({ name, text }: (typeof said)[number]) => (toState(text, name, this.#now) ?? "active") === "active";
    if (DELETED.test(meaningOfEmptyState(state, this.#cells, words) ?? "") && said.every(isOpen)) return "deleted";
    const { anonymousWithout } = this.#plan;
    const isVisitor = anonymousWithout.length > 0 && this.#cells.first(anonymousWithout) === undefined;
    return isVisitor ? "anonymous" : undefined;
  }

  /** True for a state that says that the user is gone, which `--value` gives another meaning. */
  #saysDeleted(): boolean {
    return this.#plan.cells.state.some((cell) => DELETED.test(withoutApostrophe(this.#cells.text(cell)) ?? ""));
  }

  #columnOf(field: Field): string {
    return this.#plan.cells[field][0]?.column ?? field;
  }

  /** A text with the service's limit. */
  #text(field: Field, limit: number): string | undefined {
    const cells = this.#plan.cells[field];
    const text = this.#cells.first(cells);
    if (text === undefined) return undefined;
    const fault = textFault(text, limit) ?? spreadsheetFault(text, IDS.has(field));
    if (fault !== undefined) this.#refuse({ ...fault, field: this.#cells.columnOf(cells) });
    return text;
  }

  /** Adds a fault of a column; the address may be the user name, too. */
  #refuse(fault: RowFault): void {
    const { faults } = this.#notes;
    if (!faults.some(({ code, field }) => code === fault.code && field === fault.field)) faults.push(fault);
  }

  /** One that every user must have. */
  #needed(field: Field, limit: number): string | undefined {
    const text = this.#text(field, limit);
    if (text === undefined) this.#notes.faults.push({ code: "field.missing", field: this.#columnOf(field) });
    return text;
  }

  /** What is missing of first and last name comes from the whole one; without any name the user name stands in for it. */
  #names(userName: string): Names {
    const given = this.#text("firstName", serviceLimits.firstName);
    const family = this.#text("lastName", serviceLimits.lastName);
    const whole = this.#text("name", serviceLimits.firstName);
    const displayName = this.#text("displayName", serviceLimits.displayName);
    const nickName = this.#text("nickName", serviceLimits.nickName);
    const isWhole = given !== undefined && family !== undefined;
    const said = isWhole ? undefined : [whole, displayName].find((name) => name !== undefined && !name.includes("@"));
    const split = said === undefined ? undefined : splitName(said);
    const firstName = given ?? split?.first ?? family ?? nickName ?? userName;
    const lastName = family ?? split?.last ?? given ?? nickName ?? userName;
    if (family === undefined && given === lastName) this.#notes.tell("last-name-missing");
    if (given === undefined && family === firstName) this.#notes.tell("first-name-missing");
    const isByUserName = given === undefined && family === undefined && split === undefined && nickName === undefined;
    // Otherwise the service shows both, and a single word twice.
    const shown = displayName ?? (firstName === lastName ? firstName : undefined);
    return { firstName, lastName, nickName, displayName: shown, isByUserName };
  }

  #grants(): readonly Grant[] | undefined {
    const { roles } = this.#plan.cells;
    if (roles.length === 0) return undefined;
    const names = roles.flatMap((place) => this.#cells.list(place)).map(plainRole);
    if (names.length === 0) return undefined;
    const remarks: Remark[] = [];
    const { grants, left } = this.#granter.read(names, remarks);
    for (const remark of remarks) this.#notes.tell(remark);
    this.#notes.roles = left;
    return grants;
  }

  #links(): readonly IdpLink[] | undefined {
    const identities = this.#cells.identities();
    if (identities.length === 0) return undefined;
    const { links: all, isLost, unlinked } = toIdpLinks(identities, this.#settings.idp);
    if (isLost) this.#notes.tell("link-lost");
    if (unlinked.length > 0) this.#notes.providers = unlinked;
    return all.length === 0 ? undefined : all;
  }
}

/** Fields that hold an id or an address. */
const IDS: ReadonlySet<Field> = new Set(["userId", "userName", "email"]);

interface Names {
  readonly firstName: string;
  readonly lastName: string;
  readonly nickName: string | undefined;
  readonly displayName: string | undefined;
  readonly isByUserName: boolean;
}
