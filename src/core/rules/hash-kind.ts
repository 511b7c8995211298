import type { Verifier } from "../../contract/verifiers.ts";
import { otherHashForms } from "./hash-forms.ts";

/** What the service needs to check a password hash; "none": no version of it can. */
export type HashKind = Verifier | "none";

const BCRYPT = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;
/** Without those of other systems, which would have to be converted first. */
const forms = otherHashForms.filter(({ convert }) => convert === undefined);

/** The kind of a hash, by its whole form (service behaviour 4). */
export function hashKindOf(hash: string): HashKind {
  if (BCRYPT.test(hash)) return "bcrypt";
  return forms.find(({ form }) => form.test(hash))?.verifier ?? "none";
}
