import { parseMoment } from "../../core/rules/moment.ts";

// What texts in a table mean.

const YES = new Set(["true", "t", "yes", "y", "1", "on", "ja", "j", "wahr", "x", "✓", "✔"]);
const NO = new Set(["false", "f", "no", "n", "0", "off", "nein", "falsch"]);

/** true, false, or undefined for a text that says neither. */
export function toFlag(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}

/** A word, a date or a number without the apostrophe by which a spreadsheet keeps it as a text. */
export function withoutApostrophe<Text extends string | undefined>(text: Text): Text {
  return (text !== undefined && text.length > 1 && text.startsWith("'") ? text.slice(1).trimStart() : text) as Text;
}

/** Letters with what stands between them, a short number or a few marks. */
const WORD = /^(?:[\p{L}\p{M}][\p{L}\p{M} ._/()&'’-]{0,99}|\d{1,3}|[^\p{L}\p{N}]{1,3})$/u;

/** A text that is a word, as many rows may have it; undefined for others: an id, an address, a date, a password. */
export function wordOf(text: string): string | undefined {
  return WORD.test(text) ? text : undefined;
}

/** States of an address or a number. */
const CONFIRMED: ReadonlyMap<string, boolean> = new Map([
  ["verified", true],
  ["confirmed", true],
  ["unverified", false],
  ["unconfirmed", false],
  ["pending", false],
  ["failed", false],
  ["expired", false],
  ["bestätigt", true],
  ["verifiziert", true],
  ["unbestätigt", false],
  ["nicht bestätigt", false],
  ["nicht verifiziert", false],
]);

/** `31.12.2023 14:33:00`, `31/12/2023`, `12/31/23 2:33 PM`. */
const DAY_FIRST = /^(\d{1,2})([./])(\d{1,2})\2(\d{4}|\d\d)(?:,? +(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AP])M)?)?$/i;

/** Milliseconds since 1970; databases write a blank for the T, and "infinity" for never. undefined: it is no moment. */
export function toMoment(text: string): number | undefined {
  if (/^infinity$/i.test(text)) return Number.POSITIVE_INFINITY;
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000;
  if (/^\d{12,14}$/.test(text)) return Number(text);
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) +/, "$1T").replace(/ *(UTC|GMT)$/i, "Z");
  return parseMoment(iso) ?? dayFirst(text) ?? legacyMoment(text);
}

/** With slashes, the month may come first; of two readings the later one: a lock ends too late rather than too early. */
function dayFirst(text: string): number | undefined {
  const [, first = "", mark, second = "", year = "", hours = "0", minutes = "0", seconds = "0", half] =
    DAY_FIRST.exec(text) ?? [];
  if (mark === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toUpperCase() === "P" ? 12 : 0);
  const at = (day: number, month: number): number | undefined => {
    const time = Date.UTC(Number(year) + (year.length === 2 ? 2000 : 0), month - 1, day);
    return new Date(time).getUTCDate() === day && month <= 12
      ? time + ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
      : undefined;
  };
  const readings = [at(Number(first), Number(second)), mark === "/" ? at(Number(second), Number(first)) : undefined];
  const known = readings.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** "Mon Jan 02 2023 10:00:00 GMT+0000 (…)", as JavaScript writes it. */
function legacyMoment(text: string): number | undefined {
  const ms = /\d{4}/.test(text) && /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** A text in a column of moments that says that there is none. */
export function isNone(text: string): boolean {
  return isNever(text) || /^(?:[-–—]|null|nil|none|nan|undefined|\(null\)|n\.?\/?a\.?|k\.?\s?a\.?|leer)$/i.test(text);
}

const DAY_MS = 86_400_000;

/** A moment that says "never": a zero date of MySQL, and the first day of the calendars of spreadsheets and of Unix. */
function isNever(text: string): boolean {
  return /^(?:0000-00-00|00\.0[01]\.(?:0000|1900))/.test(text) || (toMoment(text) ?? DAY_MS) < DAY_MS;
}

/**
 * Whether something was confirmed: a flag, the moment when it was (also as a number, in a column whose name says so), or a list in which
 * the confirmed value stands. undefined: it does not mention it.
 */
export function toConfirmed(text: string, column: string, value: string | undefined): boolean | undefined {
  if (text === value) return true;
  const flag = toFlag(text) ?? CONFIRMED.get(text.toLowerCase());
  if (flag !== undefined) return flag;
  if (isNever(text)) return false;
  const elements = text.split(/[|,]/).map((element) => element.trim().toLowerCase());
  if (value !== undefined && elements.includes(value.toLowerCase())) return true;
  const isNumber = /^\d+$/.test(text);
  if ((!isNumber || /(at|on|date|time)$/i.test(column)) && toMoment(text) !== undefined) return true;
  // A day that does not exist, or a date as a number of days, is in no list.
  const isListed = value?.includes("@") === true ? /@/ : /@|^\+?\d[\d\s().-]*$/;
  return !DAY_FIRST.test(text) && elements.every((element) => isListed.test(element)) ? false : undefined;
}

export type State = "active" | "inactive" | "locked";

/** Words of columns in which yes means that the user is closed, or a moment when that happened. */
const OFF = /inactive|disabled|block|ban|suspend|lock|deactivated|inaktiv|deaktiviert|sperr/g;

/** A negation, before one of these words or before `active`. */
const NEGATION =
  /(?:^|is|[\s_.-])(?:not|non|no|never|nicht|nie|kein[a-z]*|ohne)(?:[\s_.-]|$|(?=activ|aktiv|enabl|lock|block|ban|disabl|sperr|suspend|gesperr))/;

/** "off": yes means that the user is closed; "on": that the user is active. undefined: the name does not say it, or both. */
function polarityOf(name: string): "on" | "off" | undefined {
  const isOff = name.search(OFF) !== -1 && !/unb|unlock|entsperr/.test(name);
  const isOn = SAYS_ON.test(name.replaceAll(OFF, ""));
  if (NEGATION.test(name) || isOff === isOn) return undefined;
  return isOff ? "off" : "on";
}

/** What an empty cell of a column of states says: that the user is active; nothing; or neither yes nor no. */
export function emptyState(column: string): "active" | "nothing" | "unclear" {
  const polarity = polarityOf(column.toLowerCase());
  return polarity === "off" ? "active" : polarity === "on" ? "unclear" : "nothing";
}

/** A column in which yes means that the user is active. */
const SAYS_ON = /active|aktiv|enabled/;

/** A state that says that the user is gone. */
export const DELETED = /^(?:deleted|removed|gelöscht|geloescht)$/i;

const STATES: Readonly<Record<string, State>> = {
  active: "active",
  confirmed: "active",
  enabled: "active",
  external_provider: "active",
  force_change_password: "active",
  invited: "active",
  password_expired: "active",
  pending: "active",
  provisioned: "active",
  recovery: "active",
  reset_required: "active",
  staged: "active",
  unconfirmed: "active",
  unknown: "active",
  archived: "inactive",
  banned: "inactive",
  blocked: "inactive",
  compromised: "inactive",
  deactivated: "inactive",
  deprovisioned: "inactive",
  disabled: "inactive",
  inactive: "inactive",
  suspended: "inactive",
  aktiv: "active",
  aktiviert: "active",
  inaktiv: "inactive",
  deaktiviert: "inactive",
  blockiert: "inactive",
  locked: "locked",
  locked_out: "locked",
  gesperrt: "locked",
};

/**
 * The state in a cell, by the name of its column and the text: a word; true or false in `is_active` or in `blocked`; a time in `locked_at`,
 * or a future one in `banned_until`. undefined for an unknown text.
 */
export function toState(text: string, column: string, now: number): State | undefined {
  const word = text.toLowerCase().replace(/[\s-]+/g, "_");
  if (Object.hasOwn(STATES, word)) return STATES[word];
  const name = column.toLowerCase();
  const polarity = polarityOf(name);
  const off = /(?<!b)lock|sperr/.test(name) ? "locked" : "inactive";
  const flag = toFlag(text);
  if (flag !== undefined && polarity === "off") return flag ? off : "active";
  if (flag !== undefined) return polarity === "on" ? (flag ? "active" : "inactive") : undefined;
  if (isNever(text)) return "active";
  const moment = toMoment(text);
  if (moment === undefined || polarity !== "off") return undefined;
  return /until|end|expire|\bbis\b|ablauf/.test(name.replaceAll("_", " ")) && moment <= now ? "active" : off;
}

/** The state of a user who is closed, by one of its two words; undefined for other texts. */
export function closedState(word: string): "inactive" | "locked" | undefined {
  const state = STATES[word.toLowerCase()];
  return state === "inactive" || state === "locked" ? state : undefined;
}

const GENDERS: Readonly<Record<string, "GENDER_FEMALE" | "GENDER_MALE" | "GENDER_DIVERSE">> = {
  female: "GENDER_FEMALE",
  weiblich: "GENDER_FEMALE",
  w: "GENDER_FEMALE",
  f: "GENDER_FEMALE",
  woman: "GENDER_FEMALE",
  male: "GENDER_MALE",
  männlich: "GENDER_MALE",
  m: "GENDER_MALE",
  man: "GENDER_MALE",
  diverse: "GENDER_DIVERSE",
  divers: "GENDER_DIVERSE",
  d: "GENDER_DIVERSE",
  other: "GENDER_DIVERSE",
  "non-binary": "GENDER_DIVERSE",
  nonbinary: "GENDER_DIVERSE",
  x: "GENDER_DIVERSE",
};

/** undefined: the service has no word for it. */
export function toGender(text: string): "GENDER_FEMALE" | "GENDER_MALE" | "GENDER_DIVERSE" | undefined {
  const word = text.toLowerCase();
  return Object.hasOwn(GENDERS, word) ? GENDERS[word] : undefined;
}

/**
 * The key of one-time codes in base32, out of itself or an otpauth address; undefined when it is none, or belongs to codes that the
 * service does not check (service behaviour 0.25).
 */
export function toOtpSecret(text: string): string | undefined {
  const secret = text.startsWith("otpauth:") ? secretOf(text) : text;
  const key = secret?.replace(/[\s=-]+/g, "").toUpperCase();
  return key !== undefined && /^[A-Z2-7]{16,}$/.test(key) ? key : undefined;
}

function secretOf(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, searchParams } = new URL(address);
  const has = (name: string, usual: string): boolean => (searchParams.get(name) ?? usual).toUpperCase() === usual;
  const isUsual = has("algorithm", "SHA1") && has("digits", "6") && has("period", "30");
  return host === "totp" && isUsual ? (searchParams.get("secret") ?? undefined) : undefined;
}
