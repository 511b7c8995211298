import { serviceLimits } from "../../contract/service-limits.ts";
import { toBase32 } from "../../core/rules/base32.ts";
import type { Credential } from "./credential.ts";

/** What the service's one-time codes are like, all of them (service behaviour 0.25), and what is meant where nothing is said. */
const KNOWN = { subType: "totp", digits: 6, period: 30, algorithm: "HmacSHA1" };

/** The key of one-time codes in base32; undefined for codes of a kind that the service does not check. */
export function toOtpSecret({ secret, data }: Credential): string | undefined {
  const isKnown = Object.entries(KNOWN).every(([name, value]) => (data[name] ?? value) === value);
  const { value } = secret;
  if (!isKnown || typeof value !== "string" || value === "") return undefined;
  // The text itself is the key, unless it is said to be encoded.
  const isEncoded = String(data["secretEncoding"] ?? "").toUpperCase() === "BASE32";
  const key = isEncoded ? value.replaceAll(/[\s=]/g, "").toUpperCase() : toBase32(Buffer.from(value));
  return /^[A-Z2-7]+$/.test(key) && key.length <= serviceLimits.otpSecret ? key : undefined;
}
