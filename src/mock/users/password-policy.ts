import { valueAt } from "../http/json.ts";
import type { Org } from "../state/state.ts";

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

/** A rule that a plain password breaks. */
export interface BrokenRule {
  readonly code: string;
  /** The name in an import's error. */
  readonly key: string;
  /** The text in the users API's error. */
  readonly text: string;
}

const rules = {
  length: { code: "HuJf6", key: "MinLength", text: "Password is too short" },
  lower: { code: "co3Xw", key: "HasLower", text: "Password must contain lower case" },
  upper: { code: "VoaRj", key: "HasUpper", text: "Password must contain upper case" },
  number: { code: "ZBv4H", key: "HasNumber", text: "Password must contain number" },
  symbol: { code: "ZDLwA", key: "HasSymbol", text: "Password must contain symbol" },
} as const satisfies Record<string, BrokenRule>;

/** The first rule of the organization's policy, or of the instance's, that a plain password breaks (service behaviour 2.2). */
export function brokenRule(org: Org, password: string): BrokenRule | undefined {
  const policy = complexityOf(org);
  if (Buffer.byteLength(password) < policy.minLength) return rules.length;
  if (policy.hasLowercase && !/[a-z]/.test(password)) return rules.lower;
  if (policy.hasUppercase && !/[A-Z]/.test(password)) return rules.upper;
  if (policy.hasNumber && !/[0-9]/.test(password)) return rules.number;
  return policy.hasSymbol && !/[^A-Za-z0-9]/.test(password) ? rules.symbol : undefined;
}

function complexityOf(org: Org): Complexity {
  const policy = org.settings.get("passwordComplexityPolicy");
  if (policy === undefined) return instanceDefault;
  const wants = (rule: string): boolean => valueAt(policy, rule) === true;
  return {
    minLength: Number(valueAt(policy, "minLength") ?? 0),
    hasLowercase: wants("hasLowercase"),
    hasUppercase: wants("hasUppercase"),
    hasNumber: wants("hasNumber"),
    hasSymbol: wants("hasSymbol"),
  };
}
