const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[ !#-[\]-\u{10ffff}]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const ATOM = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Where a text that is not JSON stops being JSON; its length when it ends too early. V8 does not always tell. */
export function syntaxFaultAt(text: string): number {
  try {
    const end = afterValue(text, 0);
    return skip(text, end, SPACE);
  } catch (error) {
    return error instanceof Stuck ? error.at : 0; // or nested deeper than the stack
  }
}

class Stuck extends Error {
  readonly at: number;

  constructor(at: number) {
    super("stuck");
    this.at = at;
  }
}

function afterValue(text: string, start: number): number {
  const at = skip(text, start, SPACE);
  const first = text.charAt(at);
  if (first === "{") return afterItems(text, at + 1, { close: "}", item: afterMember });
  if (first === "[") return afterItems(text, at + 1, { close: "]", item: afterValue });
  return expected(text, at, first === '"' ? STRING : ATOM);
}

function afterMember(text: string, start: number): number {
  const name = expected(text, skip(text, start, SPACE), STRING);
  const colon = skip(text, name, SPACE);
  if (text.charAt(colon) !== ":") throw new Stuck(colon);
  return afterValue(text, colon + 1);
}

interface Items {
  readonly close: string;
  readonly item: (text: string, start: number) => number;
}

function afterItems(text: string, start: number, { close, item }: Items): number {
  let at = skip(text, start, SPACE);
  if (text.charAt(at) === close) return at + 1;
  for (;;) {
    at = skip(text, item(text, at), SPACE);
    if (text.charAt(at) === close) return at + 1;
    if (text.charAt(at) !== ",") throw new Stuck(at);
    at += 1;
  }
}

function expected(text: string, at: number, pattern: RegExp): number {
  const end = skip(text, at, pattern);
  if (end === at) throw new Stuck(at);
  return end;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return Math.max(pattern.lastIndex, at);
}
