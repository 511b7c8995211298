import { count, type Html, html } from "./html.ts";

export const PAGE_ROWS = 50;
/** Matches beyond are not counted: a page is there in a moment, however much an instance holds. */
const MOST_COUNTED = 100_000;

/** One page of what matches, and how much does. */
export interface Page<T> {
  readonly rows: readonly T[];
  readonly from: number;
  readonly total: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
}

/** Takes one page of endlessly many things; a page behind the last is the last. */
export function takePage<T>(things: Iterable<T>, wanted: number): Page<T> {
  let rows: T[] = [];
  let from = 0;
  let total = 0;
  for (const thing of things) {
    if (total === MOST_COUNTED) return { rows, from, total, isMore: true };
    if (total % PAGE_ROWS === 0 && total / PAGE_ROWS < wanted) {
      rows = [];
      from = total;
    }
    total += 1;
    if (total - from <= PAGE_ROWS) rows.push(thing);
  }
  return { rows, from, total, isMore: false };
}

/** How many match, for a tab. */
export function countAll(things: Iterable<unknown>): string {
  let total = 0;
  for (const _ of things) {
    if (total === MOST_COUNTED) return `${count(total)}+`;
    total += 1;
  }
  return count(total);
}

/** Where one is, and the ways to the neighbours; `hrefOf` is given the number of a page, from 1. */
export function pager({ rows, from, total, isMore }: Page<unknown>, hrefOf: (page: number) => string): Html {
  if (total <= PAGE_ROWS) return html``;
  const page = from / PAGE_ROWS + 1;
  const last = Math.ceil(total / PAGE_ROWS);
  const link = (to: number, words: string): Html =>
    to < 1 || to > last || to === page
      ? html`<span class="off">${words}</span>`
      : html`<a href="${hrefOf(to)}">${words}</a>`;
  return html`<nav class="pager" aria-label="pages">${link(1, "first")} ${link(page - 1, "previous")} <span>${count(from + 1)}–${count(from + rows.length)} of ${count(total)}${isMore ? "+" : ""}</span> ${link(page + 1, "next")} ${link(last, "last")}</nav>`;
}
