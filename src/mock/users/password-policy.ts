import { valueAt } from "../http/json.ts";
import type { Org } from "../state/state.ts";

/** A rule that a plain password breaks. */
export interface BrokenRule {
  readonly code: string;
  /** The name in an import's error. */
  readonly key: string;
  /** The text in the users API's error. */
  readonly text: string;
}

const tooShort: BrokenRule = { code: "HuJf6", key: "MinLength", text: "Password is too short" };

/** The characters that a policy can ask for, in the order of the checks. */
const characters: readonly (BrokenRule & { readonly rule: string; readonly pattern: RegExp })[] = [
  { rule: "hasLowercase", pattern: /[a-z]/, code: "co3Xw", key: "HasLower", text: "Password must contain lower case" },
  { rule: "hasUppercase", pattern: /[A-Z]/, code: "VoaRj", key: "HasUpper", text: "Password must contain upper case" },
  { rule: "hasNumber", pattern: /[0-9]/, code: "ZBv4H", key: "HasNumber", text: "Password must contain number" },
  { rule: "hasSymbol", pattern: /[^A-Za-z0-9]/, code: "ZDLwA", key: "HasSymbol", text: "Password must contain symbol" },
];

/** The policy of the instance. */
const instanceDefault = { minLength: 8, hasLowercase: true, hasUppercase: true, hasNumber: true, hasSymbol: true };

/** The first rule of the organization's policy, or of the instance's, that a plain password breaks (service behaviour 2.2). */
export function brokenRule({ settings }: Org, password: string): BrokenRule | undefined {
  const policy = settings.get("passwordComplexityPolicy") ?? instanceDefault;
  if (Buffer.byteLength(password) < Number(valueAt(policy, "minLength") ?? 0)) return tooShort;
  return characters.find(({ rule, pattern }) => valueAt(policy, rule) === true && !pattern.test(password));
}
