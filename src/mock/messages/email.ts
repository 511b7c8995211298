// Quoted strings and atoms of RFC 5322. An atom neither starts nor ends with a dot, and has no two dots in a row.
const QUOTED = String.raw`"(?:[^"\\\r\n]|\\[^\r\n])+"`;
const LETTERS = String.raw`[^\p{Cc}\s()<>[\]:;@\\,".]`;
const ATOM = `${LETTERS}+(?:\\.${LETTERS}+)*`;
const NAME = String.raw`(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|${LETTERS}|[. \t])*`;
/** One label of a host name. */
export const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const SPEC = `[ \\t]*(?<local>${QUOTED}|${ATOM})@[ \\t]*(?<host>${LABEL}(?:\\.${LABEL})*)`;
const BEHIND = String.raw`(?:[ \t]|\([^()]*\))*`;
const BARE = new RegExp(`^${SPEC}${BEHIND}$`, "u");
const NAMED = new RegExp(`^${NAME}<${SPEC}>${BEHIND}$`, "u");

/**
 * Whether protoc-gen-validate accepts a text as an e-mail address: `a@b`, `<a@b>`, `Name <a@b>`, `a@b (comment)`. The service
 * refuses names, comments and spaces later, with another error (`users/email-address.ts`). service behaviour 1.4.
 */
export function isEmail(text: string): boolean {
  const { local, host = "" } = (BARE.exec(text) ?? NAMED.exec(text))?.groups ?? {};
  if (local === undefined) return false;
  const plain = local.startsWith('"') ? local.slice(1, -1).replace(/\\(.)/gu, "$1") : local;
  return Buffer.byteLength(plain) <= 64 && Buffer.byteLength(`${plain}@${host}`) <= 254 && host.length <= 253;
}

const HOST = String.raw`(?:${ATOM}|\[[^\[\]\s]+\])`;
const PARSED = `(?:${QUOTED}|${ATOM})@${HOST}`;
const PARSED_ADDRESS = new RegExp(`^${PARSED}$`, "u");
const PARSED_WITH_NAME = new RegExp(`^${NAME}<${PARSED}>$`, "u");

/** Whether the parser of Go reads a text as an address alone: any letters, also in the host, or an address of the network. */
export function isParsedAddress(text: string): boolean {
  return PARSED_ADDRESS.test(text);
}

/** Whether it reads a text as a name with an address. */
export function isParsedWithName(text: string): boolean {
  return PARSED_WITH_NAME.test(text);
}
