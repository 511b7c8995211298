import type { Cause } from "../../../problem.ts";

export type { Cause } from "../../../problem.ts";

/** One entry of the errors array, read (service behaviour 2.2). */
export interface ReadMessage {
  /** Such as COMMAND-ziuna; empty when the message has no such form. */
  readonly code: string;
  /** Such as Errors.User.AlreadyExisting; the whole message when it has no such form. */
  readonly key: string;
}

/** Takes a message of the form `ID=<ID> Message=<key> Parent=(…)` apart, with any text before it. */
export function readMessage(message: string): ReadMessage {
  const [, code, key] = /ID=(\S+)\s+Message=(.*?)(?:\s+Parent=|$)/s.exec(message) ?? [];
  return { code: code ?? "", key: key ?? message };
}

/** A value that must be unique is in use: the id of this error for every type (service behaviour 0.5). */
export const UNIQUE = "V3-DKcYh";

/** Types with a unique name or address besides their id; another object may have it. */
const named = new Set(["machine_user", "project", "oidc_app", "api_app", "action", "oidc_idp", "jwt_idp", "domain"]);

/**
 * True when the message says that this very thing, by its id, exists already. The name of another one being in use is another
 * message (service behaviour 0.5), and a failure.
 */
export function isThere(type: string, { code, key }: ReadMessage): boolean {
  switch (type) {
    case "org":
      return /^ORG-lapo2[mn]$/.test(code) || key === "Errors.Org.AlreadyExisting";
    case "human_user":
      return code === "COMMAND-ziuna" || key === "Errors.User.AlreadyExisting";
    case "human_user_otp":
      return key === "Errors.User.MFA.OTP.AlreadyReady";
    default:
      // `Errors.Already.Exists` (V2-e1wse) is a domain that the organization has; a new one has its generated domain at once.
      // `Errors.Flow.NoChanges` (COMMAND-Nfh52) is a trigger that has these actions (service behaviour 0.31).
      return /Already\.?Exist|NoChange|NotChanged/.test(key) && !(named.has(type) && code === UNIQUE);
  }
}

/** By error id first, which stays the same in every language, then by the key. */
const rules: readonly (readonly [RegExp, Cause])[] = [
  [/COMMAND-SFd21|DomainNotAllowedAsUsername/, "domain-of-other-org"],
  [/Errors\.User\.AlreadyExists|UserNameAlreadyExists|Username\.AlreadyExists/i, "user-name-taken"],
  [/ExternalIDP\.AlreadyExists|External IDP already taken/, "link-taken"],
  [/V3-DKcYh|AlreadyExist/, "name-taken"],
  [/AUTH-Bs7Ds/, "org-missing"],
  [/PHONE-so0wa|User\.Phone|Request\.Phone/, "phone"],
  [/EMAIL-spblu|EMAIL-599(?:BI|GV)|User\.Email|Request\.Email/, "email"],
  [/PasswordComplexityPolicy|COMMA-(?:HuJf6|co3Xw|VoaRj|ZBv4H|ZDLwA)/, "password-policy"],
  [/COMMAND-gvx4kct9r2|COMMAND-M9dse/, "state"],
  [/HashedPassword\.Hash: value length/, "hash-long"],
  [/CRYPT-5uV9n/, "hash-cost"],
  [/CRYPT-r8Qm2|User\.Password\.Invalid/, "hash-unreadable"],
  [/USER-JDk4t|USER-oz74onzvqr|CRYPT-|Hash\.NotSupported|Password hash encoding/, "hash"],
  [/COMMAND-SJI3g|ExternalIDP\.CreationNotAllowed/, "idp-closed"],
  [/IDPConfig|IDP\.NotExist|Idp\.NotFound|ExternalIDP|COMMAND-39nf/i, "identity-provider"],
  [/Permission|AUTH-5mWD2/, "permission"],
  [/NotFound|NotExist|PreconditionFailed\.NotFound/, "reference-missing"],
  [/Invalid|IDMissing|Empty|^\s*invalid /i, "invalid"],
];

/** True for a cause that says that something which the item refers to does not exist. */
export function isReference(cause: Cause): boolean {
  return cause === "reference-missing" || cause === "role-missing" || cause === "project-missing";
}

/** The cause of a failed entry of this type; of an organization, why nothing went into it. */
export function causeOf(type: string, message: ReadMessage): Cause {
  if (type === "human_user_otp") return "otp";
  const text = `${message.code} ${message.key}`;
  if (type === "user_grant" && /NotFound$/.test(message.key)) {
    if (message.key === "Errors.Project.Role.NotFound") return "role-missing";
    if (message.key.startsWith("Errors.Project.")) return "project-missing";
  }
  const found = rules.find(([pattern]) => pattern.test(text))?.[1];
  return type === "org" ? orgCause(message, found) : (found ?? "other");
}

function orgCause({ key }: ReadMessage, found: Cause | undefined): Cause {
  if (key === "Errors.Org.AlreadyExists") return "org-name-taken";
  return found === "reference-missing" || found === "invalid" || found === undefined ? "org-missing" : "org-refused";
}
