import { Refusal, type ServiceFault } from "../http/answer.ts";
import { isParsedAddress, isParsedWithName, LABEL } from "../messages/email.ts";
import type { Traits } from "../state/traits.ts";

const ADDRESS = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`);

/** The address as the service keeps it: its parser drops spaces around it. */
export function keptEmail(email: string, rule: Traits["emailRule"]): string {
  return rule === "parser" ? email.trim() : email;
}

/**
 * The service's own check of an address that the rules of the message accept: ASCII without a space or a name, or any address
 * that its parser reads, without a name (recording 05 of v413).
 */
export function emailFault(email: string, rule: Traits["emailRule"]): ServiceFault | undefined {
  const key = "Errors.User.Email.Invalid";
  if (email === "") return { id: "EMAIL-spblu", key: "Errors.User.Email.Empty" };
  if (rule === "message") return ADDRESS.test(email) ? undefined : { id: "EMAIL-599BI", key };
  const kept = keptEmail(email, rule);
  if (isParsedAddress(kept)) return undefined;
  return { id: isParsedWithName(kept) ? "EMAIL-599GV" : "EMAIL-599BI", key };
}

/** Returns the address as it is kept. Raises Refusal when the service refuses it. */
export function checkedEmail(email: string, rule: Traits["emailRule"]): string {
  const fault = emailFault(email, rule);
  if (fault === undefined) return keptEmail(email, rule);
  throw new Refusal("invalidArgument", email === "" ? "Email is empty" : "Email is invalid", fault.id);
}
