import type { Verifier } from "../../contract/verifiers.ts";
import type { HashRule } from "../../problem.ts";

/** A form of hashes that are not bcrypt. */
export type HashForm =
  | {
      readonly form: RegExp;
      readonly verifier: Verifier;
      /** The form that the service reads; undefined when this one cannot be given it. Absent: it is that form. */
      readonly convert?: (match: RegExpExecArray) => string | undefined;
    }
  | {
      readonly form: RegExp;
      /** Why no verifier of the service ever reads it. */
      readonly rule: HashRule;
    };

const B64 = "[A-Za-z0-9+/]+";

/** The forms that the service's verifiers read (service behaviour 4, 0.23), the first that fits counts. */
export const otherHashForms: readonly HashForm[] = [
  { verifier: "argon2", form: new RegExp(`^\\$argon2id?\\$v=19\\$m=\\d+,t=\\d+,p=\\d+\\$${B64}\\$${B64}$`) },
  { verifier: "scrypt", form: new RegExp(`^\\$scrypt\\$ln=\\d+,r=\\d+,p=\\d+\\$${B64}\\$${B64}$`) },
  { verifier: "pbkdf2", form: /^\$pbkdf2(-sha(224|256|384|512))?\$\d+\$[A-Za-z0-9+/.]+={0,2}\$[A-Za-z0-9+/.]+={0,2}$/ },
  { verifier: "md5", form: /^\$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}$/ },
  { verifier: "md5salted", form: /^\$md5salted-(suffix|prefix)\$[^$\s]+\$[A-Za-z0-9+/]{22}==$/ },
  { verifier: "sha2", form: /^\$[56]\$(rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43,86}$/ },
  { verifier: "phpass", form: /^\$[PH]\$[./A-Za-z0-9]{31}$/ },
  { verifier: "drupal7", form: /^\$S\$[./A-Za-z0-9]{52}$/ },
  { verifier: "md5plain", form: /^[0-9A-Fa-f]{32}$/ },
  { rule: "argon2d", form: /^\$argon2d\$/ },
  // Without a version it is the first one, too.
  { rule: "argon2-version", form: /^\$argon2id?\$(?!v=19\$)/ },
  { rule: "unknown-kind", form: /^\$(?!2)[^$]+\$/ },
];

/** What the service needs to check a password hash; "none": no version of it can. */
export type HashKind = Verifier | "none";

const BCRYPT = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;
/** Without those of other systems, which would have to be converted first. */
const ownForms = otherHashForms.filter((form) => !("convert" in form));

/** The kind of a hash, by its whole form (service behaviour 4). */
export function hashKindOf(hash: string): HashKind {
  if (BCRYPT.test(hash)) return "bcrypt";
  const own = ownForms.find(({ form }) => form.test(hash));
  return own !== undefined && "verifier" in own ? own.verifier : "none";
}
