import type { SourceUser } from "../../core/merge/source-user.ts";
import { createLanguageReader } from "../../core/rules/language.ts";
import { type CountryCode, phoneOf } from "../../core/rules/phone.ts";
import type { Remark } from "../../problem.ts";
import { phoneLost } from "../shared/options.ts";
import type { Cells, Place } from "./cells.ts";
import type { Field } from "./fields.ts";
import type { Notes } from "./notes.ts";
import type { MappedSettings, Words } from "./options.ts";
import type { Plan } from "./plan.ts";
import { usualNames } from "./usual-names.ts";
import {
  emptyState,
  type State,
  toConfirmed,
  toFlag,
  toGender,
  toOtpSecret,
  toState,
  withoutApostrophe,
  wordOf,
} from "./values.ts";

const STATE_MEANINGS = "active, inactive, locked or deleted";
const STATES_OPEN = /^(?:active|aktiv|enabled)$/i;

/** What a user has besides an account and names. */
export interface Details {
  readonly isEmailVerified: boolean;
  readonly preferredLanguage: string | undefined;
  readonly gender: SourceUser["gender"];
  readonly phone: string | undefined;
  readonly isPhoneVerified: boolean | undefined;
  readonly otpSecret: string | undefined;
  readonly state: SourceUser["state"];
}

/**
 * Reads the details of the row that `cells` is at; values that the service would refuse are dropped, with a remark. `closed` is the state
 * of a user who is deleted, which no other column changes.
 */
export function createDetails<P extends Place>(
  { cells: of, preset }: Plan<P>,
  cells: Cells<P>,
  { words, phoneCountry }: Pick<MappedSettings, "words" | "phoneCountry">,
  now: number,
): (email: string | undefined, notes: Notes, closed?: SourceUser["state"]) => Details {
  const toPhone = preset?.hasBarePhones === true ? barePhoneOf : (text: string) => anyPhoneOf(text, phoneCountry);
  const toLanguage = createLanguageReader();
  const meaning = (field: Field, text: string): string => meaningOf(words, field, text);
  /** The text of the first cell that holds something, or what `--value` says of an empty one. */
  const textOf = (field: Field): string | undefined =>
    withoutApostrophe(cells.first(of[field])) ?? meaningOfEmpty(words, field);

  function optional<Value>(
    field: Field,
    convert: (text: string) => Value | undefined,
    lost: Remark,
    notes: Notes,
  ): Value | undefined {
    const text = textOf(field);
    if (text === undefined) return undefined;
    const value = convert(meaning(field, text));
    if (value === undefined) notes.tell(lost);
    return value;
  }

  /** @param value the text to look for in a list of confirmed values. */
  function isConfirmed(
    field: "emailVerified" | "phoneVerified",
    value: string | undefined,
    { faults }: Notes,
  ): boolean {
    const all = of[field];
    const text = textOf(field);
    if (text === undefined) return false;
    const { name = "" } =
      (all.length === 1 ? undefined : all.find((one) => withoutApostrophe(cells.text(one)) === text)) ?? all[0] ?? {};
    const confirmed = toConfirmed(meaning(field, text), name, value);
    if (confirmed === undefined) {
      const values = field === "emailVerified" ? "addresses" : "numbers";
      const expected = `true, false, a date, or a list of verified ${values}`;
      faults.push({
        code: "field.word",
        field: cells.columnOf(all),
        expected,
        word: { field, text: wordOf(text), meanings: "true or false" },
      });
    }
    return confirmed ?? false;
  }

  function isPhoneConfirmed(notes: Notes): boolean {
    const confirmed = isConfirmed("phoneVerified", withoutApostrophe(cells.first(of.phone)), notes);
    if (!confirmed) notes.tell("phone-unverified");
    return confirmed;
  }

  const isClosing = ({ name }: P): boolean => emptyState(name) === "active";
  const hasBoth = of.state.some(isClosing) && of.state.some(({ name }) => emptyState(name) === "unclear");

  /** The first state of several columns that is not "active"; undefined if none says one. */
  function stateOf(notes: Notes): SourceUser["state"] {
    const { faults } = notes;
    let said: SourceUser["state"];
    for (const cell of of.state) {
      const text = withoutApostrophe(cells.text(cell));
      if (text === undefined) continue;
      const given = meaning("state", text);
      // A word such as "x" means the opposite in the other column.
      const isTwoFaced = hasBoth && given !== text && isClosing(cell) && STATES_OPEN.test(given);
      const state: State | undefined = isTwoFaced ? undefined : toState(given, cell.name, now);
      if (state === undefined) {
        const expected = isTwoFaced
          ? `yes or no: --value gives this word the meaning ${given}, which is the opposite in other columns`
          : toFlag(text) === undefined
            ? "true, false, a date, or a word such as active, inactive or locked"
            : "a word such as active or inactive: the name of this column does not say what yes and no mean";
        const meanings = hasBoth ? "yes or no" : STATE_MEANINGS;
        faults.push({
          ...{ code: "field.word", field: cell.column, expected },
          word: { field: "state", text: wordOf(text), meanings },
        });
      } else if (state !== "active") return state;
      else said = state;
    }
    return faults.length === 0 ? stateWithEmpty(said, notes) : undefined;
  }

  /** The state with what empty cells say. A preset for one kind of input knows what its columns mean. */
  function stateWithEmpty(said: SourceUser["state"], notes: Notes): SourceUser["state"] {
    const given = meaningOfEmptyState(of.state, cells, words);
    const state = given === undefined ? undefined : toState(given, of.state[0]?.name ?? "", now);
    if (state !== undefined) return state;
    if (preset !== undefined && preset.fields.state !== usualNames.state) return said;
    const empty = of.state.filter((cell) => cells.text(cell) === undefined);
    const unclear = empty.find(({ name }) => emptyState(name) === "unclear");
    if (unclear !== undefined) {
      notes.faults.push({
        code: "field.word",
        field: unclear.column,
        expected: "true or false: an empty cell says neither",
        word: { field: "state", text: "", meanings: STATE_MEANINGS },
      });
    } else if (
      empty.some((cell) => !isClosing(cell)) &&
      of.state.every((cell) => isClosing(cell) || empty.includes(cell))
    )
      notes.tell("state-empty");
    return said;
  }

  return (email, notes, closed) => {
    const phone = optional("phone", toPhone, phoneLost(phoneCountry), notes);
    return {
      isEmailVerified: email !== undefined && isConfirmed("emailVerified", email, notes),
      preferredLanguage: optional("language", toLanguage, "language-lost", notes),
      gender: optional("gender", toGender, "gender-lost", notes),
      phone,
      isPhoneVerified: phone === undefined ? undefined : isPhoneConfirmed(notes),
      otpSecret: optional("totp", toOtpSecret, "otp-lost", notes),
      state: closed ?? (of.state.length === 0 ? undefined : stateOf(notes)),
    };
  };
}

/** What a text of the input means, with `--value`; otherwise the text. */
export function meaningOf(words: Words, field: Field, text: string): string {
  return words.get(field)?.get(text.toLowerCase()) ?? text;
}

/** What an empty cell means, with `--value <field>:=<word>`. */
export function meaningOfEmpty(words: Words, field: Field): string | undefined {
  return words.get(field)?.get("");
}

/**
 * What `--value` says of the empty cells of a row among those of states. In a column of locks, an empty cell says that there is no lock,
 * unless all columns are such, and empty.
 */
export function meaningOfEmptyState<P extends Place>(
  state: readonly P[],
  cells: Cells<P>,
  words: Words,
): string | undefined {
  const empty = state.filter((cell) => cells.text(cell) === undefined);
  const isMeant = empty.length === state.length || empty.some(({ name }) => emptyState(name) !== "active");
  return isMeant ? meaningOfEmpty(words, "state") : undefined;
}

/** Some tables have the international prefix in digits. */
function anyPhoneOf(text: string, country: CountryCode | undefined): string | undefined {
  return phoneOf(text.replace(/^00(?=[1-9])/, "+"), country);
}

function barePhoneOf(text: string): string | undefined {
  return phoneOf(/^\d/.test(text) ? `+${text}` : text);
}
