import { KnownSecrets } from "./known-secrets.ts";

/** Members of a request with a secret value (service behaviour 1.1, 1.4, 7); names in camel or snake case. */
const SECRET_MEMBERS =
  /"(?:hash|password|otp_?code|totp_?secret|client_?secret|private_?key|secret_?access_?key|access_?key_?id|serviceaccount_?json)"\s*:\s*"((?:[^"\\]|\\.)*)"/gi;
const HASHED_PASSWORD = /"hashed_?password"\s*:\s*\{[^{}]*?"(?:value|hash)"\s*:\s*"((?:[^"\\]|\\.)*)"/gi;
/** The key file of a service account is sent in base64 and holds a private key. */
const KEY_FILE_MEMBERS = /"(?:private_key|private_key_id)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/**
 * The secrets of a JSON request, which messages must not repeat. Searches the text, so that a body of thousands of users is neither parsed
 * nor kept.
 */
export function secretsOf(body: Buffer): KnownSecrets {
  const secrets = new KnownSecrets();
  const text = body.toString();
  for (const pattern of [SECRET_MEMBERS, HASHED_PASSWORD]) {
    for (const [, escaped = ""] of text.matchAll(pattern)) {
      const value = unescaped(escaped);
      secrets.add(value);
      // A key file, in base64.
      if (value.length < MIN_KEY_FILE) continue;
      const decoded = Buffer.from(value, "base64").toString();
      for (const [, key = ""] of decoded.matchAll(KEY_FILE_MEMBERS))
        for (const line of unescaped(key).split("\n")) secrets.add(line);
    }
  }
  return secrets;
}

const MIN_KEY_FILE = 100;

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  try {
    return JSON.parse(`"${text}"`) as string; // a string of JSON
  } catch {
    return text;
  }
}
