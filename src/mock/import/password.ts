import { pbkdf2Sync, randomBytes } from "node:crypto";
import { parseStored, valueAt } from "../protojson/json-value.ts";
import type { Org } from "../state/state.ts";
import type { ServiceFault } from "./import-context.ts";

interface Complexity {
  readonly minLength: number;
  readonly hasLowercase: boolean;
  readonly hasUppercase: boolean;
  readonly hasNumber: boolean;
  readonly hasSymbol: boolean;
}

const instanceDefault: Complexity = {
  minLength: 8,
  hasLowercase: true,
  hasUppercase: true,
  hasNumber: true,
  hasSymbol: true,
};

/** What the organization's policy, or the instance's, says against a plain password (service behaviour 2.2). */
export function complexityFault(org: Org, password: string): ServiceFault | undefined {
  const policy = complexityOf(org);
  const fault = (id: string, rule: string): ServiceFault => ({
    id: `DOMAIN-${id}`,
    key: `Errors.User.PasswordComplexityPolicy.${rule}`,
  });
  if (Buffer.byteLength(password) < policy.minLength) return fault("HuJf6", "MinLength");
  if (policy.hasLowercase && !/[a-z]/.test(password)) return fault("co3Xw", "HasLower");
  if (policy.hasUppercase && !/[A-Z]/.test(password)) return fault("VoaRj", "HasUpper");
  if (policy.hasNumber && !/[0-9]/.test(password)) return fault("ZBv4H", "HasNumber");
  return policy.hasSymbol && !/[^A-Za-z0-9]/.test(password) ? fault("ZDLwA", "HasSymbol") : undefined;
}

function complexityOf(org: Org): Complexity {
  const stored = org.settings.get("passwordComplexityPolicy");
  if (stored === undefined) return instanceDefault;
  const policy = parseStored(stored);
  const wants = (rule: string): boolean => valueAt(policy, rule) === true;
  return {
    minLength: Number(valueAt(policy, "minLength") ?? 0),
    hasLowercase: wants("hasLowercase"),
    hasUppercase: wants("hasUppercase"),
    hasNumber: wants("hasNumber"),
    hasSymbol: wants("hasSymbol"),
  };
}

/**
 * The hash a plain password is kept as. The real service uses bcrypt, which Node has not; this is PBKDF2 in a form its
 * verifiers know (service behaviour 4), with the fewest rounds they take: the mock guards nothing.
 */
export function hashPassword(password: string): string {
  const salt = randomBytes(16);
  const rounds = 1000;
  const hash = pbkdf2Sync(password, salt, rounds, 32, "sha256");
  const text = (bytes: Buffer): string => bytes.toString("base64").replaceAll("+", ".").replace(/=+$/, "");
  return `$pbkdf2-sha256$${rounds}$${text(salt)}$${text(hash)}`;
}
