import type { HashRule } from "../../problem.ts";
import { viewOf } from "../json/words.ts";
import { HASH_WORDS, packBcrypt } from "./join/bcrypt.ts";

/** The verifiers of the service, by its own names (service behaviour 4). Only bcrypt is enabled everywhere. */
export type Verifier =
  | "bcrypt"
  | "argon2"
  | "scrypt"
  | "pbkdf2"
  | "md5"
  | "md5plain"
  | "md5salted"
  | "sha2"
  | "phpass"
  | "drupal7";

/** Whether a hash is one that somebody can sign in with. */
export type JudgedHash =
  | { readonly kind: "none" }
  | { readonly kind: "good"; readonly text: string; readonly verifier: Verifier }
  | { readonly kind: "bad"; readonly rule: HashRule };

/** The service takes any hash unchecked and then nobody can sign in with it, so the check is ours (service behaviour 0.7, 2.6). */
export type JudgeHash = (hash: unknown) => JudgedHash;

const NONE = { kind: "none" } as const;
const scratch = new Uint32Array(HASH_WORDS);

/** Judges hashes by the forms of `verifiers`; a hash of any other form breaks the rule "prefix". */
export function createHashJudge(verifiers: ReadonlySet<Verifier>): JudgeHash {
  const others = otherForms.filter(({ verifier }) => verifiers.has(verifier));
  return (hash) => {
    if (hash === undefined) return NONE;
    if (typeof hash !== "string") return { kind: "bad", rule: "type" };
    const other = others.find(({ form }) => form.test(hash));
    if (other !== undefined) return { kind: "good", text: hash, verifier: other.verifier };
    if (!verifiers.has("bcrypt")) return { kind: "bad", rule: "prefix" };
    const view = viewOf(Buffer.from(hash));
    const rule = packBcrypt(view, 0, view.byteLength, scratch, 0);
    return rule === undefined ? { kind: "good", text: hash, verifier: "bcrypt" } : { kind: "bad", rule };
  };
}

/** The forms that the service's other verifiers read (service behaviour 4, 0.23). */
const otherForms: readonly { readonly verifier: Verifier; readonly form: RegExp }[] = [
  { verifier: "argon2", form: /^\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/ },
  {
    verifier: "scrypt",
    form: /^(\$scrypt\$ln=\d+,r=\d+,p=\d+\$[A-Za-z0-9+/]+={0,2}\$[A-Za-z0-9+/]+={0,2}|\$7\$[./A-Za-z0-9]{11}[^$]*\$[./A-Za-z0-9]+)$/,
  },
  { verifier: "pbkdf2", form: /^\$pbkdf2(-sha(224|256|384|512))?\$\d+\$[A-Za-z0-9+/.]+={0,2}\$[A-Za-z0-9+/.]+={0,2}$/ },
  { verifier: "md5", form: /^\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}$/ },
  { verifier: "md5plain", form: /^[0-9A-Fa-f]{32}$/ },
  { verifier: "md5salted", form: /^\$md5salted-(suffix|prefix)\$[^$]+\$[A-Za-z0-9+/]{22}(==)?$/ },
  { verifier: "sha2", form: /^\$[56]\$(rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}$/ },
  { verifier: "phpass", form: /^\$[PH]\$[./A-Za-z0-9]{31}$/ },
  { verifier: "drupal7", form: /^\$S\$[./A-Za-z0-9]{52}$/ },
];
