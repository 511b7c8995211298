import { inspect } from "node:util";

const REDACTED = "[redacted]";

/** A token, password or key. It reveals itself only where it is sent; printed in any way it says [redacted]. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself, for the one place that sends it. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** Takes every known secret out of texts that come from outside, in each form a service or a proxy may send it back. */
export interface Redactor {
  /** From now on this secret is taken out. */
  add(secret: Secret): void;
  /** The text without secrets and control characters, cut to `maxLength` characters: fit for a terminal and a log. */
  clean(text: string, maxLength?: number): string;
}

/** Shorter secrets are not looked for: their letters would be found in every text. */
const MIN_SECRET_LENGTH = 6;
const MAX_TEXT = 500;

export function createRedactor(): Redactor {
  const forms = new Set<string>();
  return {
    add(secret) {
      const value = secret.reveal();
      if (value.length >= MIN_SECRET_LENGTH) for (const form of formsOf(value)) forms.add(form);
    },
    clean(text, maxLength = MAX_TEXT) {
      // Again after each way of taking control characters out: they may stand within a secret, or be part of it.
      const without = (dirty: string): string => {
        let clean = dirty;
        // Longest first: a form may contain another.
        for (const form of [...forms].sort((a, b) => b.length - a.length)) clean = clean.replaceAll(form, REDACTED);
        return clean;
      };
      const plain = without(text);
      const joined = plain.replace(CONTROL, "");
      const found = without(joined);
      const clean = (found === joined ? without(plain.replace(CONTROL, " ")) : found).trim();
      return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
    },
  };
}

/** Control characters of both sets and the marks that turn the reading direction. */
const CONTROL = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString("base64"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
}
