import { toAsciiAddress } from "../rules/email.ts";
import { userFields } from "../user-fields.ts";

/** What `--only`, `--where` and `--limit` say. */
export interface SelectionRules {
  /** Ids as they are, and user names and e-mail addresses in any case; undefined: all users. */
  readonly only: ReadonlySet<string> | undefined;
  /** All must hold. */
  readonly where: readonly Condition[];
  /** The number of users. */
  readonly limit: number | undefined;
}

/** A field and the values that it may have, or must not have. */
export interface Condition {
  readonly field: string;
  readonly form: RegExp;
  readonly isNot: boolean;
}

/** A field of a user as text; undefined: the user has no value there. */
export type ReadField = (field: string) => string | undefined;

const EXCLUDED: readonly string[] = ["password", "otpSecret", "idpLinks", "requestsPasswordless"];

/** The fields that `--where` knows. Of `hash` and `otpSecret` no value is compared: `hash=` finds users without a password. */
export const selectableFields: readonly string[] = [
  ...userFields.map(({ name }) => name).filter((name) => !EXCLUDED.includes(name)),
  "orgId",
];

/** True if users are selected at all. */
export function isSelective({ only, where, limit }: SelectionRules): boolean {
  return only !== undefined || where.length > 0 || limit !== undefined;
}

/** Selects users in the order in which they come. Each user is asked for once. */
export class Selection {
  readonly #rules: SelectionRules;
  /** The names of `only` as `nameKey` gives them: the service compares names without case, and ids exactly. */
  readonly #names: ReadonlySet<string>;
  /** The ids and names of `only` that a user has. */
  readonly #met = new Set<string>();
  #taken = 0;

  constructor(rules: SelectionRules) {
    this.#rules = rules;
    this.#names = new Set([...(rules.only ?? [])].map(nameKey));
  }

  /** Entries of `only` that are no id, user name or e-mail address of a user that was asked for. */
  get unmet(): readonly string[] {
    return [...(this.#rules.only ?? [])].filter((name) => !this.#met.has(name) && !this.#met.has(nameKey(name)));
  }

  takes(read: ReadField): boolean {
    const { only, where, limit = Number.POSITIVE_INFINITY } = this.#rules;
    if (only !== undefined && !this.#isNamed(only, read)) return false;
    if (this.#taken >= limit) return false;
    if (!where.every(({ field, form, isNot }) => form.test(textOf(field, read)) !== isNot)) return false;
    this.#taken += 1;
    return true;
  }

  #isNamed(only: ReadonlySet<string>, read: ReadField): boolean {
    const id = read("userId") ?? "";
    const names = NAMES.map((field) => nameKey(read(field) ?? "")).filter((name) => this.#names.has(name));
    const met = only.has(id) ? [id, ...names] : names;
    for (const name of met) this.#met.add(name);
    return met.length > 0;
  }
}

const NAMES = ["userName", "email"];

/** In lower case; an address of an international domain as it is written for the service, so that both of its forms are found. */
function nameKey(name: string): string {
  return toAsciiAddress(name.toLowerCase());
}

function textOf(field: string, read: ReadField): string {
  const text = read(field) ?? "";
  // The value of a hash is nothing to select by, and no message needs it.
  if (field === "hash") return text === "" ? "" : "*";
  return field === "state" ? (text === "" ? "active" : text.toLowerCase().replace(/^user_state_/, "")) : text;
}

/** A condition such as `email=*@example.com` or `state!=inactive`; undefined: it has no such form, or no such field. */
export function conditionOf(text: string): Condition | undefined {
  const [, name = "", not = "", value = ""] = /^\s*(\w+)\s*(!?)=(.*)$/s.exec(text) ?? [];
  const field = selectableFields.find((one) => one.toLowerCase() === name.toLowerCase());
  if (field === undefined) return undefined;
  const parts = value
    .trim()
    .split("*")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return { field, form: new RegExp(`^${parts.join(".*")}$`, "is"), isNot: not !== "" };
}
