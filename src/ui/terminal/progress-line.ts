import { bytes, count, duration } from "../../problem/format.ts";
import type { ProgressView } from "./progress-model.ts";

/** The unit of progress: bytes have a special format, other units are nouns. */
export type ProgressUnit = "bytes" | "users" | "events";

/** The parts of a line of progress. */
export interface ProgressState {
  readonly title: string;
  readonly unit: ProgressUnit;
  readonly view: ProgressView;
  /** Further information. */
  readonly note: string;
}

/** `importing: 2,250 of 5,000 users (45 %), 150/s, 18 s left, 1 min 5 s so far`. */
export function plainLine({ title, unit, view, note }: ProgressState): string {
  const percent = percentOf(view);
  const amount = amountOf(unit, view);
  const parts = [
    amount === "" ? "" : percent === "" ? amount : `${amount} (${percent})`,
    rateOf(unit, view),
    leftOf(view),
    note,
    `${duration(view.elapsedMs)} so far`,
  ];
  return `${title}: ${parts.filter((part) => part !== "").join(", ")}`;
}

/** By the width of the terminal, not of the line, so that the bar keeps its length. */
const WIDE_COLUMNS = 110;
const BAR_CELLS = { wide: 24, narrow: 10 };
/** A spinner and a space stand in front, and the last column stays free: some terminals wrap there. */
const TAKEN_COLUMNS = 3;

/** The same for a terminal, with a bar; a narrow terminal drops the least important parts. */
export function terminalLine({ title, unit, view, note }: ProgressState, columns: number): string {
  const room = columns - TAKEN_COLUMNS;
  const parts = [amountOf(unit, view), rateOf(unit, view), leftOf(view), note, duration(view.elapsedMs)];
  const percent = percentOf(view);
  // Note, rate and amount are dropped, in this order; the time left, the percentage and the elapsed time stay.
  for (const dropped of [[], [3], [3, 1], [3, 1, 0]]) {
    const kept = parts.filter((part, at) => part !== "" && !dropped.includes(at)).join(" · ");
    const bar = columns < WIDE_COLUMNS ? BAR_CELLS.narrow : BAR_CELLS.wide;
    for (const cells of percent === "" ? [0] : [bar, 0]) {
      const words = [title, cells === 0 ? "" : barOf(view.share ?? 0, cells), percent, kept];
      const line = words.filter((word) => word !== "").join(" ");
      if (line.length <= room) return line;
    }
  }
  return title.slice(0, Math.max(0, room));
}

function barOf(share: number, cells: number): string {
  const full = Math.floor(share * cells);
  return `${"█".repeat(full)}${"░".repeat(cells - full)}`;
}

function percentOf({ share }: ProgressView): string {
  return share === undefined ? "" : `${Math.floor(share * 100)} %`;
}

/** The amount that the percentage is of: during a call, as much as is probably done. */
function amountOf(unit: ProgressUnit, { done, total, underWay = 0, share = 0 }: ProgressView): string {
  if (done === 0 && total === undefined) return "";
  if (unit === "bytes") return total === undefined ? bytes(done) : `${bytes(done)} of ${bytes(total)}`;
  if (total === undefined) return `${count(done)} ${unit}`;
  const guess = underWay === 0 ? done : Math.max(done, Math.floor(share * total));
  const waiting = underWay === 0 || guess > 0 ? "" : `, ${count(underWay)} in progress`;
  return `${guess > done ? "about " : ""}${count(guess)} of ${count(total)} ${unit}${waiting}`;
}

function rateOf(unit: ProgressUnit, { perSecond }: ProgressView): string {
  if (perSecond === undefined) return "";
  if (unit === "bytes") return `${bytes(perSecond)}/s`;
  return `${perSecond < 9.95 ? perSecond.toFixed(1) : count(Math.round(perSecond))}/s`;
}

/** Rounded, because it is an estimate. */
function leftOf({ leftMs }: ProgressView): string {
  if (leftMs === undefined) return "";
  const seconds = Math.max(1, Math.round(leftMs / 1000));
  if (seconds < 100) return `${seconds} s left`;
  return `${duration(Math.round(seconds / 60) * 60_000)} left`;
}
