import { printableLines, withoutHashes } from "../../problem/format.ts";

/** A piece of a page. Only `html` makes one, so that nothing that came from outside gets into a page unescaped. */
export class Markup {
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  /** Puts pieces together: what stands in the template is markup, what is put into it is text, unless it is a piece itself. */
  static from(parts: TemplateStringsArray, values: readonly Piece[]): Markup {
    return new Markup(parts.map((part, at) => (at === 0 ? part : `${render(values[at - 1])}${part}`)).join(""));
  }
}

/** What may be put into a page. */
export type Piece = Markup | string | number | undefined | readonly Markup[];

export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return Markup.from(parts, values);
}

/** A text in which no line ends within a flag or a time. */
export function withoutBreaks(text: string): Markup {
  const parts = text
    .split(UNBROKEN)
    .map((part, at) => (at % 2 === 0 ? html`${part}` : html`<span class="whole">${part}</span>`));
  return html`${parts}`;
}

const UNBROKEN = /((?<![\w-])--[a-z][a-z-]{1,24}|\d{4}-\d\d-\d\d \d\d:\d\d UTC)/;

function render(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "string" || typeof value === "number") return escaped(String(value));
  return value.map(({ text }) => text).join("");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text as it may stand in a page, between tags or in quotes; marks that turn the reading direction are written out. */
function escaped(text: string): string {
  return printableLines(withoutHashes(text)).replace(/[&<>"']/g, (found) => ENTITIES[found] as string); // all of them are there
}
