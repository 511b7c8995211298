import { parseAddress } from "./go-mail.ts";

/**
 * What Go's PGV says against an e-mail address, or undefined: it takes names, comments and spaces around an address, which the
 * service then refuses of its own accord (`users/email-address.ts`). service behaviour 1.4; texts of protoc-gen-validate.
 */
export function emailViolation(text: string): string | undefined {
  const address = parseAddress(text);
  if ("wrong" in address) return address.wrong;
  const { local, host } = address;
  if (Buffer.byteLength(`${local}@${host}`) > 254) return "email addresses cannot exceed 254 characters";
  if (Buffer.byteLength(local) > 64) return "email address local phrase cannot exceed 64 characters";
  return hostViolation(host);
}

function hostViolation(host: string): string | undefined {
  if (Buffer.byteLength(host) > 253) return "hostname cannot exceed 253 characters";
  for (const label of host.toLowerCase().split(".")) {
    if (label === "" || Buffer.byteLength(label) > 63) {
      return "hostname part must be non-empty and cannot exceed 63 characters";
    }
    if (label.startsWith("-")) return "hostname parts cannot begin with hyphens";
    if (label.endsWith("-")) return "hostname parts cannot end with hyphens";
    const bad = /[^a-z0-9-]/u.exec(label)?.[0];
    if (bad !== undefined) {
      return `hostname parts can only contain alphanumeric characters or hyphens, got ${JSON.stringify(bad)}`;
    }
  }
  return undefined;
}
