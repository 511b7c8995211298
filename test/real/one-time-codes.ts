import { createHmac } from "node:crypto";
import type { Instance } from "./harness.ts";

/** The code of this half minute (RFC 6238). */
export function codeOf(key: Buffer): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const digest = createHmac("sha1", key).update(counter).digest();
  const at = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(at) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

/** Signs in with a password, and then with a code; the status of the second answer. */
export async function checkCode({ post, url, token }: Instance, userId: string, password: string, code: string) {
  const { body } = await post("/v2/sessions", { checks: { user: { userId }, password: { password } } });
  const response = await fetch(`${url}/v2/sessions/${(body as { sessionId: string }).sessionId}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ checks: { totp: { code } } }),
  });
  return response.status;
}

export function decodeBase32(text: string): Buffer {
  const bits = [...text].map((one) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
