import { serviceLimits } from "../../contract/service-limits.ts";
import type { UserReading } from "../../core/merge/reading.ts";
import type { IdpLink, Metadata, SourceUser } from "../../core/merge/source-user.ts";
import { emailProblem } from "../../core/rules/email.ts";
import { languageOf } from "../../core/rules/language.ts";
import { toMetadata } from "../../core/rules/metadata.ts";
import { splitName } from "../../core/rules/names.ts";
import { phoneOf } from "../../core/rules/phone.ts";
import { isLongerThan, textFault } from "../../core/rules/text.ts";
import type { Remark, RowFault } from "../../problem.ts";
import { Cells } from "./cells.ts";
import type { Cell } from "./columns.ts";
import type { Field } from "./fields.ts";
import type { CsvSettings } from "./options.ts";
import type { Plan } from "./plan.ts";
import { readPassword } from "./read-password.ts";
import { type State, toConfirmed, toFlag, toGender, toOtpSecret, toState } from "./values.ts";

/** Reads the rows of a table by the plan of its columns. */
export function createReader(plan: Plan, settings: CsvSettings, now: Date): (row: object) => UserReading {
  const cells = new Cells(plan.preset?.hasApostrophes === true);
  // A row of a table is a list of texts (RowFile.columns).
  return (row) => new Row(plan, settings, now.getTime(), cells.of(row as readonly string[])).read();
}

/** Languages are few, and each costs more to look up than the rest of its row. */
const languages = new Map<string, string | undefined>();

/** One row while it is read. */
class Row {
  readonly #plan: Plan;
  readonly #settings: CsvSettings;
  readonly #now: number;
  readonly #cells: Cells;
  readonly #faults: RowFault[] = [];
  readonly #remarks: Remark[] = [];

  constructor(plan: Plan, settings: CsvSettings, now: number, cells: Cells) {
    this.#plan = plan;
    this.#settings = settings;
    this.#now = now;
    this.#cells = cells;
  }

  read(): UserReading {
    const userId = this.#text("userId", Number.POSITIVE_INFINITY);
    const email = this.#email();
    const reading = { faults: this.#faults, userId, email };
    const leftOut = this.#leftOut();
    if (leftOut !== undefined) return { ...reading, user: undefined, leftOut };
    const userName = this.#text("userName", serviceLimits.userName) ?? email;
    const names = this.#names(email ?? "");
    const { password, ...rest } = readPassword(this.#plan, this.#settings, this.#cells, this.#faults);
    const details = this.#details(email);
    if (this.#faults.length > 0 || userId === undefined || email === undefined || userName === undefined) {
      return { ...reading, user: undefined, isNamedByEmail: names.isByEmail };
    }
    const user: SourceUser = { userId, userName, ...names.profile, ...details, ...password };
    return { ...reading, user, isNamedByEmail: names.isByEmail, remarks: this.#remarks, ...rest };
  }

  /** Rows that are no people: soft-deleted ones, and visitors without an account. */
  #leftOut(): "deleted" | "anonymous" | undefined {
    for (const field of ["deleted", "anonymous"] as const) {
      const found = this.#found(field);
      if (found !== undefined && toFlag(found.text) !== false) return field;
    }
    const { anonymousWithout } = this.#plan;
    const isVisitor = anonymousWithout.length > 0 && this.#cells.first(anonymousWithout) === undefined;
    return isVisitor ? "anonymous" : undefined;
  }

  #found(field: Field): { readonly text: string; readonly cell: Cell } | undefined {
    return this.#cells.first(this.#plan.cells[field]);
  }

  #columnOf(field: Field): string {
    return this.#plan.cells[field][0]?.column ?? field;
  }

  /** A text with the service's limit; an id or address that is not there is a fault. */
  #text(field: Field, limit: number): string | undefined {
    const found = this.#found(field);
    if (found === undefined) {
      if (field === "userId" || field === "email")
        this.#faults.push({ code: "field.missing", field: this.#columnOf(field) });
      return undefined;
    }
    const fault = textFault(found.text, limit);
    if (fault !== undefined) this.#faults.push({ ...fault, field: found.cell.column });
    return found.text;
  }

  #email(): string | undefined {
    const email = this.#text("email", Number.POSITIVE_INFINITY);
    const rule = email === undefined ? undefined : emailProblem(email);
    const field = this.#found("email")?.cell.column ?? this.#columnOf("email");
    if (rule !== undefined) this.#faults.push({ code: "field.email", field, rule });
    return email;
  }

  /** What is missing of first and last name comes from the whole one; without any name the address stands in for it. */
  #names(email: string): { readonly profile: Names; readonly isByEmail: boolean } {
    const { firstName: first, lastName: last } = serviceLimits;
    const [given, family, whole] = [
      this.#text("firstName", first),
      this.#text("lastName", last),
      this.#text("name", first),
    ];
    const displayName = this.#text("displayName", serviceLimits.displayName);
    const nickName = this.#text("nickName", serviceLimits.nickName);
    const said = [whole, displayName].find((name) => name !== undefined && name !== email);
    const split = said === undefined ? undefined : splitName(said);
    const firstName = given ?? split?.first ?? family ?? nickName ?? email;
    const lastName = family ?? split?.last ?? given ?? nickName ?? email;
    // Otherwise the service shows both, and a single word twice.
    const shown = displayName ?? (firstName === lastName ? firstName : undefined);
    const isByEmail = firstName === email && lastName === email;
    const profile: Names = {
      firstName,
      lastName,
      ...(nickName === undefined ? {} : { nickName }),
      ...(shown === undefined || isByEmail ? {} : { displayName: shown }),
    };
    return { profile, isByEmail };
  }

  #details(email: string | undefined): Partial<SourceUser> {
    return {
      ...(email === undefined ? {} : { email, isEmailVerified: this.#confirmed("emailVerified", email) }),
      ...this.#optional("preferredLanguage", "language", cachedLanguageOf, "language-lost"),
      ...this.#optional("gender", "gender", toGender, "gender-lost"),
      ...this.#phone(),
      ...this.#optional("otpSecret", "totp", toOtpSecret, "otp-lost"),
      ...this.#state(),
      ...this.#org(),
      ...this.#metadata(),
      ...this.#links(),
    };
  }

  /** Something that is left out, and told of, where the service would not take it. */
  #optional<Key extends keyof SourceUser>(
    key: Key,
    field: Field,
    convert: (text: string) => SourceUser[Key] | undefined,
    lost: Remark,
  ): Partial<Pick<SourceUser, Key>> {
    const found = this.#found(field);
    if (found === undefined) return {};
    const value = convert(found.text);
    if (value === undefined) this.#remarks.push(lost);
    return value === undefined ? {} : ({ [key]: value } as Partial<Pick<SourceUser, Key>>); // the one key
  }

  #phone(): Partial<SourceUser> {
    const bare = this.#plan.preset?.hasBarePhones === true;
    const toPhone = (text: string): string | undefined =>
      phoneOf(bare && /^\d/.test(text) ? `+${text}` : text.replace(/^00(?=[1-9])/, "+"));
    const found = this.#optional("phone", "phone", toPhone, "phone-lost");
    if (found.phone === undefined) return {};
    const isPhoneVerified = this.#confirmed("phoneVerified", this.#found("phone")?.text);
    if (!isPhoneVerified) this.#remarks.push("phone-unverified");
    return { ...found, isPhoneVerified };
  }

  /** @param value what would stand in a list of confirmed ones. */
  #confirmed(field: Field, value: string | undefined): boolean {
    const found = this.#found(field);
    if (found === undefined) return false;
    const isConfirmed = toConfirmed(found.text, found.cell.column, value);
    if (isConfirmed === undefined) {
      this.#faults.push({ code: "field.type", field: found.cell.column, expected: "true, false, a date, or a list" });
    }
    return isConfirmed ?? false;
  }

  /** Of several columns the first that says anything but "active". */
  #state(): { readonly state?: "inactive" | "locked" } {
    for (const cell of this.#plan.cells.state) {
      const text = this.#cells.text(cell);
      const state: State | undefined = text === undefined ? "active" : toState(text, cell.column, this.#now);
      if (state === undefined) {
        const expected = "true, false, a date, or a word such as active, inactive or locked";
        this.#faults.push({ code: "field.type", field: cell.column, expected });
      }
      if (state === "inactive" || state === "locked") return { state };
    }
    return {};
  }

  #org(): { readonly orgId?: string } {
    const org = this.#found("org");
    return org === undefined ? {} : { orgId: org.text };
  }

  #metadata(): { readonly metadata?: readonly Metadata[] } {
    const values: Record<string, string> = {};
    for (const { key, cells } of this.#plan.metadata) {
      const text = this.#cells.first(cells)?.text;
      if (text !== undefined && !EMPTY_JSON.has(text)) values[key] = text;
    }
    for (const { key, cells, besides } of this.#plan.others) {
      const own = this.#found(besides)?.text.toLowerCase();
      const others = cells.flatMap((cell) => this.#cells.list(cell)).filter((text) => text.toLowerCase() !== own);
      values[key] = [...new Set(others)].join(",");
    }
    const { metadata, lost } = toMetadata(values, "");
    if (lost > 0) this.#remarks.push("metadata-lost");
    return metadata.length === 0 ? {} : { metadata };
  }

  #links(): { readonly idpLinks?: readonly IdpLink[] } {
    const idpLinks = this.#plan.links.flatMap(({ key: idpId, cells }) => {
      const externalUserId = this.#cells.first(cells)?.text;
      if (externalUserId === undefined) return [];
      if (!isLongerThan(externalUserId, MAX_EXTERNAL_ID))
        return [{ idpId, externalUserId, displayName: externalUserId }];
      this.#remarks.push("link-lost");
      return [];
    });
    return idpLinks.length === 0 ? {} : { idpLinks };
  }
}

type Names = Pick<SourceUser, "firstName" | "lastName" | "nickName" | "displayName">;

const MAX_EXTERNAL_ID = 200;

/** Says nothing. */
const EMPTY_JSON = new Set(["{}", "[]", "null"]);

function cachedLanguageOf(text: string): string | undefined {
  if (!languages.has(text) && languages.size < 1_000) languages.set(text, languageOf(text));
  return languages.has(text) ? languages.get(text) : languageOf(text);
}
