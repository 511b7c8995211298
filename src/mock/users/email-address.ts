import { Refusal, type ServiceFault } from "../http/answer.ts";

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const ADDRESS = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${LABEL}(?:\\.${LABEL})*$`);

/** The service's own check of an address that the rules of the message accept: no space, no name, ASCII alone. */
export function emailFault(email: string): ServiceFault | undefined {
  if (email === "") return { id: "EMAIL-spblu", key: "Errors.User.Email.Empty" };
  return ADDRESS.test(email) ? undefined : { id: "EMAIL-599BI", key: "Errors.User.Email.Invalid" };
}

/** Returns the address. Raises Refusal when the service refuses it. */
export function checkedEmail(email: string): string {
  const fault = emailFault(email);
  if (fault === undefined) return email;
  throw new Refusal("invalidArgument", email === "" ? "Email is empty" : "Email is invalid", fault.id);
}
