/** Why the service did not take something, in the terms people can act on. Each has its words in ui/describe-cause.ts. */
export type Cause =
  | "already-there"
  | "user-name-taken"
  | "domain-of-other-org"
  | "org-missing"
  | "org-refused"
  | "phone"
  | "email"
  | "password-policy"
  | "hash"
  | "identity-provider"
  | "reference-missing"
  | "permission"
  | "otp"
  | "invalid"
  | "other";

/** One entry of the errors array, read. assumed: service behaviour 2.2. */
export interface ReadMessage {
  /** Such as COMMAND-ziuna; empty when the message has no such form. */
  readonly code: string;
  /** Such as Errors.User.AlreadyExisting; the whole message when it has no such form. */
  readonly key: string;
}

/** Takes a message of the form `ID=<ID> Message=<key> Parent=(…)` apart, with whatever a version puts before it. */
export function readMessage(message: string): ReadMessage {
  const [, code, key] = /ID=(\S+) Message=(.*?)(?: Parent=|$)/s.exec(message) ?? [];
  return { code: code ?? "", key: key ?? message };
}

/** True for the entry that every existing organization yields; the import went on into it (service behaviour 2.3). */
export function isExistingOrg({ code, key }: ReadMessage): boolean {
  return code === "ORG-lapo2m" || /Errors\.Org\.AlreadyExist/.test(key);
}

/** True when the user's own id is already there; a user name taken by another id has another key (service behaviour 2.2). */
export function isExistingUser({ code, key }: ReadMessage): boolean {
  return code === "COMMAND-ziuna" || key === "Errors.User.AlreadyExisting";
}

/** True for an object of another kind that is already there. */
export function isExistingObject({ key }: ReadMessage): boolean {
  return /Already\.?Exist|Flow\.NoChanges/.test(key);
}

/** By error id first, which stays the same in every language, then by the key. */
const rules: readonly (readonly [RegExp, Cause])[] = [
  [/COMMAND-SFd21|DomainNotAllowedAsUsername/, "domain-of-other-org"],
  [/Errors\.User\.AlreadyExists|UserNameAlreadyExists|Username\.AlreadyExists/i, "user-name-taken"],
  [/PHONE-so0wa|User\.Phone/, "phone"],
  [/EMAIL-spblu|EMAIL-599BI|User\.Email/, "email"],
  [/PasswordComplexityPolicy/, "password-policy"],
  [/USER-JDk4t|CRYPT-|Hash\.NotSupported|Password hash encoding/, "hash"],
  [/IDPConfig|IDP\.NotExist|Idp\.NotFound|ExternalIDP/i, "identity-provider"],
  [/Permission|AUTH-5mWD2/, "permission"],
  [/NotFound|NotExist|PreconditionFailed\.NotFound/, "reference-missing"],
  [/Invalid|IDMissing|Empty/, "invalid"],
];

/** The cause of a failed entry of this type. */
export function causeOf(type: string, message: ReadMessage): Cause {
  if (type === "human_user_otp") return "otp";
  const text = `${message.code} ${message.key}`;
  const found = rules.find(([pattern]) => pattern.test(text))?.[1];
  if (type === "org")
    return found === "reference-missing" || found === "invalid" || found === undefined ? "org-missing" : "org-refused";
  return found ?? "other";
}
