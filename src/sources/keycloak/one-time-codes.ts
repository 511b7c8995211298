import { serviceLimits } from "../../contract/service-limits.ts";
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

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Base32 without padding (RFC 4648), as the service takes the key of one-time codes (service behaviour 0.25). */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff; // at most four bits are left over from the byte before
    bits += 8;
    for (; bits >= 5; bits -= 5) text += ALPHABET[(held >>> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}
