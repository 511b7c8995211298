const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\u{10ffff}-]+";
const DOT_ATOM = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, "u");

/** What Go's PGV says against an e-mail address, or undefined. service behaviour 1.4; texts of protoc-gen-validate. */
export function emailViolation(address: string): string | undefined {
  const at = address.lastIndexOf("@");
  if (at < 0) return address.trim() === "" ? "mail: no address" : "mail: missing '@' or angle-addr";
  const local = address.slice(0, at);
  if (!DOT_ATOM.test(local)) return "mail: invalid string";
  if (Buffer.byteLength(address) > 254) return "email addresses cannot exceed 254 characters";
  if (Buffer.byteLength(local) > 64) return "email address local phrase cannot exceed 64 characters";
  return hostViolation(address.slice(at + 1));
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
