import { Refusal } from "../http/answer.ts";
import type { ServiceFault } from "./service-fault.ts";

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const ADDRESS = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`);

/** What the service itself says against an address that has the form of one for PGV: no space, no name, ASCII alone. */
export function emailFault(email: string): ServiceFault | undefined {
  if (email === "") return { id: "EMAIL-spblu", key: "Errors.User.Email.Empty" };
  return ADDRESS.test(email) ? undefined : { id: "EMAIL-599BI", key: "Errors.User.Email.Invalid" };
}

/** The address, if the service takes it. Raises Refusal. */
export function checkedEmail(email: string): string {
  const fault = emailFault(email);
  if (fault === undefined) return email;
  throw new Refusal("invalidArgument", email === "" ? "Email is empty" : "Email is invalid", fault.id);
}
