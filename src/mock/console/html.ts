/** A piece of a page. Only `html` makes one, so that nothing of an entry gets into a page unescaped. */
export class Html {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static from(parts: TemplateStringsArray, values: readonly Piece[]): Html {
    return new Html(parts.map((part, at) => (at === 0 ? part : `${render(values[at - 1])}${part}`)).join(""));
  }
}

/** What may be put into a page: pieces as they are, everything else as text. */
export type Piece = Html | string | number | undefined | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return Html.from(parts, values);
}

function render(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "string" || typeof value === "number") return String(value).replace(SPECIAL, written);
  return value.map(({ text }) => text).join("");
}

/** What is markup to a browser, and what would move or hide text: control characters, invisible marks, those that turn the direction. */
const SPECIAL = /[&<>"']|[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function written(character: string): string {
  return ENTITIES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** 1234567 → "1,234,567". */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `2 users`, `1 user`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${value === 1 ? noun : `${noun}s`}`;
}
