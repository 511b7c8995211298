/** What Go's `mail.ParseAddress` makes of a text: the address without its name, or its words for what is wrong (net/mail). */
export type ParsedAddress = { readonly local: string; readonly host: string } | { readonly wrong: string };

const SPACE = /^[ \t]+/;
const ATOM = /^[^\p{Cc}\s()<>[\]:;@\\,"]+/u;
const QUOTED = /^"((?:[^"\\\r\n]|\\[^\r\n])*)"/u;
const LITERAL = /^\[[\d.:a-fA-F]+\]/;

/** An address, alone or behind a name: `a@b`, `<a@b>`, `Name <a@b>`, `a@b (comment)`. Groups and lists are refused in one way. */
export function parseAddress(text: string): ParsedAddress {
  const rest = text.replace(SPACE, "");
  if (rest === "") return { wrong: "mail: no address" };
  const plain = addrSpec(rest);
  if (!("wrong" in plain)) return ended(plain);
  const phrase = rest.startsWith("<") ? { name: "", rest } : phraseOf(rest);
  if ("wrong" in phrase) return phrase;
  const behind = phrase.rest.replace(SPACE, "");
  if (!behind.startsWith("<")) return { wrong: noAngle(phrase.name) };
  const within = addrSpec(behind.slice(1));
  if ("wrong" in within) return within;
  return within.rest.startsWith(">")
    ? ended({ ...within, rest: within.rest.slice(1) })
    : { wrong: "mail: unclosed angle-addr" };
}

interface Spec {
  readonly local: string;
  readonly host: string;
  readonly rest: string;
}
type Wrong = { readonly wrong: string };

/** Nothing but a comment may follow. */
function ended({ local, host, rest }: Spec): ParsedAddress {
  const behind = rest.replace(/^(?:[ \t]+|\([^()]*\))+/, "");
  if (behind.startsWith("(")) return { wrong: "mail: misformatted parenthetical comment" };
  return behind === "" ? { local, host } : { wrong: `mail: expected single address, got ${JSON.stringify(behind)}` };
}

function addrSpec(text: string): Spec | Wrong {
  const start = text.replace(SPACE, "");
  if (start === "") return { wrong: "mail: no addr-spec" };
  const local = start.startsWith('"') ? quoted(start) : dotAtom(start);
  if ("wrong" in local) return local;
  if (!local.rest.startsWith("@")) return { wrong: "mail: missing @ in addr-spec" };
  const behind = local.rest.slice(1).replace(SPACE, "");
  if (behind === "") return { wrong: "mail: no domain in addr-spec" };
  const literal = LITERAL.exec(behind)?.[0];
  const host = literal === undefined ? dotAtom(behind) : { word: literal, rest: behind.slice(literal.length) };
  return "wrong" in host ? host : { local: local.word, host: host.word, rest: host.rest };
}

interface Word {
  readonly word: string;
  readonly rest: string;
}

function quoted(text: string): Word | Wrong {
  const [all, word = ""] = QUOTED.exec(text) ?? [];
  if (all === undefined) return { wrong: "mail: unclosed quoted-string" };
  if (word === "") return { wrong: "mail: empty quoted string in addr-spec" };
  return { word: word.replace(/\\(.)/gu, "$1"), rest: text.slice(all.length) };
}

function dotAtom(text: string): Word | Wrong {
  const word = ATOM.exec(text)?.[0];
  if (word === undefined) return { wrong: "mail: invalid string" };
  if (word.startsWith(".")) return { wrong: "mail: leading dot in atom" };
  if (word.includes("..")) return { wrong: "mail: double dot in atom" };
  if (word.endsWith(".")) return { wrong: "mail: trailing dot in atom" };
  return { word, rest: text.slice(word.length) };
}

/** The words of a name, whose dots may stand anywhere. */
function phraseOf(text: string): { readonly name: string; readonly rest: string } | Wrong {
  const words: string[] = [];
  let rest = text;
  for (;;) {
    rest = rest.replace(SPACE, "");
    const [all, inside] = QUOTED.exec(rest) ?? ATOM.exec(rest) ?? [];
    if (all === undefined) break;
    words.push(inside ?? all);
    rest = rest.slice(all.length);
  }
  return words.length === 0
    ? { wrong: "mail: missing word in phrase: mail: invalid string" }
    : { name: words.join(" "), rest };
}

function noAngle(name: string): string {
  return ATOM.exec(name)?.[0] === name ? "mail: missing '@' or angle-addr" : "mail: no angle-addr";
}
