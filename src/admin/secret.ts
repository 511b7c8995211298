import { inspect } from "node:util";
import { cleanText, REDACTED } from "./redact/clean.ts";
import { type Finder, KnownSecrets } from "./redact/known-secrets.ts";
import { secretsOf } from "./redact/request-secrets.ts";

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

/**
 * A text of the service without secrets and control characters, cut to `maxLength` characters (500 unless told): fit for a terminal and a
 * log.
 */
export type Clean = (text: string, maxLength?: number) => string;

/** Takes every secret out of texts that come from outside, in each form a service or a proxy may send it back. */
export interface Redactor {
  /** From now on this secret is taken out. */
  add(secret: Secret): void;
  readonly clean: Clean;
  /** The same for what answers this request: without whatever was secret in it, too. Nothing is done before the first text comes. */
  cleanFor(body: Buffer): Clean;
}

const MAX_TEXT = 500;
/** Thousands of entries of one answer say the same. */
const REMEMBERED_TEXTS = 1_000;

/** Short ones, said again and again. */
const USUAL_TEXTS = 100;

/** A text without the secrets that are always looked for, and every form of it in which they were. */
interface CleanedText {
  readonly clean: string;
  readonly looked: readonly string[];
}

export function createRedactor(): Redactor {
  const known = new KnownSecrets();
  let usual = new Map<string, CleanedText>();
  // Every answer says some things in the same words: all that can differ is whether a secret of its request is among them.
  const usually = (text: string, maxLength: number, key: string): CleanedText => {
    const before = usual.get(key);
    if (before !== undefined) return before;
    const looked: string[] = [];
    const recorder: Finder = {
      find(one) {
        looked.push(one);
        return [];
      },
    };
    const cleaned = { clean: cleanText(text, [known, recorder], maxLength), looked };
    if (usual.size < USUAL_TEXTS && text.length < MAX_TEXT) usual.set(key, cleaned);
    return cleaned;
  };
  return {
    add(secret) {
      usual = new Map();
      const bytes = Buffer.from(secret.reveal());
      known.add(secret.reveal());
      // Also where they stand within a longer text of such letters.
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
        const { clean: usual, looked } = usually(text, maxLength, key);
        const clean = secrets.isIn(looked) ? cleanText(text, [known, secrets], maxLength) : usual;
        if (remembered.size < REMEMBERED_TEXTS) remembered.set(key, clean);
        return clean;
      };
    },
  };
}
