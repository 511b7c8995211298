import { inspect } from "node:util";
import { cleanText, REDACTED } from "./redact/clean.ts";
import { type Finder, KnownSecrets } from "./redact/known-secrets.ts";
import { secretsOf } from "./redact/request-secrets.ts";

/** A token, password or key. Printed in any way, it is [redacted]. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value, for the code that sends it. */
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

/**
 * A text of the service without secrets and control characters, cut to `maxLength` characters (default: 500), for a terminal or a log.
 */
export type Clean = (text: string, maxLength?: number) => string;

/** Removes secrets from texts from outside, in each form in which a service or a proxy may send them. */
export interface Redactor {
  /** Adds a secret to remove. */
  add(secret: Secret): void;
  readonly clean: Clean;
  /** The same for the answer to a request: also removes the request's secrets. Reads the request at the first text. */
  cleanFor(body: Buffer): Clean;
}

const MAX_TEXT = 500;
/** Thousands of entries of one answer have the same text. */
const REMEMBERED_TEXTS = 1_000;

/** Short texts that many answers have. */
const USUAL_TEXTS = 100;

/** A text without the known secrets, and every form of the text that was searched. */
interface CleanedText {
  readonly clean: string;
  readonly searched: readonly string[];
}

export function createRedactor(): Redactor {
  const known = new KnownSecrets();
  let usual = new Map<string, CleanedText>();
  // Many answers have the same texts, which differ only by the secrets of their requests.
  const usually = (text: string, maxLength: number, key: string): CleanedText => {
    const before = usual.get(key);
    if (before !== undefined) return before;
    const searched: string[] = [];
    const recorder: Finder = {
      find(one) {
        searched.push(one);
        return [];
      },
    };
    const cleaned = { clean: cleanText(text, [known, recorder], maxLength), searched };
    if (usual.size < USUAL_TEXTS && text.length < MAX_TEXT) usual.set(key, cleaned);
    return cleaned;
  };
  return {
    add(secret) {
      usual = new Map();
      const bytes = Buffer.from(secret.reveal());
      known.add(secret.reveal());
      // The encoded secret may be part of a longer text in the same alphabet.
      for (const form of ["base64", "base64url", "hex"] as const) known.add(bytes.toString(form).replace(/=+$/, ""));
    },
    clean: (text, maxLength = MAX_TEXT) => cleanText(text, [known], maxLength),
    cleanFor(body) {
      let secrets: KnownSecrets | undefined;
      const remembered = new Map<string, string>();
      return (text, maxLength = MAX_TEXT) => {
        if (text === "") return text;
        const key = `${maxLength} ${text}`;
        const before = remembered.get(key);
        if (before !== undefined) return before;
        secrets ??= secretsOf(body);
        const { clean: usual, searched } = usually(text, maxLength, key);
        const clean = secrets.isIn(searched) ? cleanText(text, [known, secrets], maxLength) : usual;
        if (remembered.size < REMEMBERED_TEXTS) remembered.set(key, clean);
        return clean;
      };
    },
  };
}
