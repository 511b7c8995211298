import { type FieldForm, type UserField, userFields, type WrittenField } from "../../user-fields.ts";
import type { SourceUser } from "../source-user.ts";
import { toEntry } from "./entry-layout.ts";
import { type EntryTemplate, entryTemplate, SEPARATOR } from "./entry-template.ts";

/**
 * What a field is to an entry. "text": it stands there as it is. "choice": one of a few values, each with fixed bytes. "list": a user
 * who has one gets no template. A new form is an error of the compiler here.
 */
const ROLES = {
  id: "text",
  email: "text",
  name: "text",
  text: "text",
  secret: "text",
  language: "text",
  phone: "text",
  hash: "text",
  password: "text",
  gender: "choice",
  state: "choice",
  verified: "choice",
  flag: "choice",
  links: "list",
} as const satisfies Readonly<Record<FieldForm, "text" | "choice" | "list">>;

function writtenAs(role: (typeof ROLES)[FieldForm]): readonly WrittenField[] {
  return userFields.flatMap(
    (field: UserField) => (field.isReadOnly !== true && ROLES[field.form] === role ? [field.name as WrittenField] : []), // the table holds it as a name
  );
}

const TEXTS = writtenAs("text");
const CHOICES = writtenAs("choice");
const LISTS = writtenAs("list");
const MARKS = TEXTS.map((field) => `<${field}>`);
/** Values of one choice, at most; a user with any other gets no template. */
const MOST_VALUES = 8;

/**
 * Writes entries, each as `JSON.stringify` writes what `toEntry` makes of the user, in half of the time: users who have the same
 * fields and choices share a template.
 */
export class UserEntries {
  readonly #templates = new Map<number, EntryTemplate>();
  /** The values that each choice has had. */
  readonly #values = CHOICES.map((): unknown[] => []);

  /** The entry behind a separator. */
  write(user: SourceUser): string {
    const key = this.#keyOf(user);
    if (key === undefined) return SEPARATOR + JSON.stringify(toEntry(user));
    const template = this.#templates.get(key) ?? this.#learn(user, key);
    const { texts, holes } = template;
    let entry = texts[0] as string; // one more than there are holes
    for (let hole = 0; hole < holes.length; hole += 1) {
      entry += inner(user[TEXTS[holes[hole] as number] as WrittenField] as string) + texts[hole + 1];
    }
    return entry;
  }

  /** Equal for users who share a template; undefined: the user gets none. */
  #keyOf(user: SourceUser): number | undefined {
    for (const field of LISTS) if (user[field] !== undefined) return undefined;
    let key = 0;
    for (let at = 0; at < TEXTS.length; at += 1)
      key = 2 * key + (user[TEXTS[at] as WrittenField] === undefined ? 0 : 1);
    for (let at = 0; at < CHOICES.length; at += 1) {
      const values = this.#values[at] as unknown[];
      const value = user[CHOICES[at] as WrittenField];
      let number = values.indexOf(value);
      if (number === -1) number = values.push(value) - 1;
      if (number >= MOST_VALUES) return undefined;
      key = MOST_VALUES * key + number;
    }
    return key;
  }

  #learn(user: SourceUser, key: number): EntryTemplate {
    const marks = TEXTS.flatMap((field, at) => (user[field] === undefined ? [] : [[field, MARKS[at]]]));
    const template = entryTemplate({ ...user, ...Object.fromEntries(marks) }, MARKS);
    this.#templates.set(key, template);
    return template;
  }
}

/** A text as it stands between the quotes of a JSON string. */
function inner(text: string): string {
  return AS_IT_IS.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** Neither quotes, backslashes, control characters nor halves of surrogate pairs, which JSON writes otherwise (or whole pairs). */
const AS_IT_IS = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
