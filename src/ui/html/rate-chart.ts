import { count, duration } from "../../problem/format.ts";
import type { AnyReport } from "../report.ts";
import { html, type Markup } from "./markup.ts";

const HEIGHT = 150;
const LEFT = 8;
const TOP = 22;
const BOTTOM = 24;
/** The most bars that fit on a phone; both drawings have the same bars. */
const MOST_BARS = 40;

interface Format {
  readonly name: string;
  readonly width: number;
}
const FORMATS: readonly Format[] = [
  { name: "wide", width: 720 },
  { name: "narrow", width: 340 },
];

type Point = readonly [ms: number, done: number];

/** A shorter run has no rate worth reading. */
const SHORTEST_MS = 10_000;

/** The rate of a run over time; undefined for a short one, and with too few points. */
export function rateChart({ timeline, command }: AnyReport): Markup | undefined {
  const unit = command.startsWith("migrate") ? "rows" : "users";
  const [first, last] = [timeline?.[0], timeline?.at(-1)];
  if (timeline === undefined || first === undefined || last === undefined || timeline.length < 4) return undefined;
  const ms = last[0] - first[0];
  const done = last[1] - first[1];
  if (ms < SHORTEST_MS || done <= 0) return undefined;
  const words = `${count(done)} ${unit} in ${duration(ms)}: ${perSecond(done, ms)} on average`;
  return html`<figure class="chart">${FORMATS.map((format) => drawRates(timeline, format, `${unit} per second`, words))}
<figcaption>${words}.</figcaption></figure>`;
}

function perSecond(done: number, ms: number): string {
  const rate = (1000 * done) / ms;
  return `${rate < 9.5 ? rate.toFixed(1) : count(Math.round(rate))} per second`;
}

function drawRates(points: readonly Point[], { name, width }: Format, unit: string, words: string): Markup {
  const inner = width - 2 * LEFT;
  const rates = ratesOf(points, MOST_BARS);
  const highest = Math.max(...rates, 1e-9);
  const base = HEIGHT - BOTTOM;
  const step = inner / rates.length;
  const line = rates.map((rate, at) => {
    const y = base - (rate / highest) * (base - TOP);
    return `${at === 0 ? "M" : "L"}${round(LEFT + at * step)} ${round(y)}H${round(LEFT + (at + 1) * step)}`;
  });
  const [first, last] = [points[0] as Point, points.at(-1) as Point]; // there are four at least
  const area = `${line.join("")}V${base}H${LEFT}z`;
  return html`<svg class="${name}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${`${unit} over time. ${words}.`}">
<path class="area" d="${area}"/><path class="curve" d="${line.join("")}"/><path class="axis" d="M${LEFT} ${base}H${width - LEFT}"/>
<text x="${LEFT}" y="14">${`maximum ${highest < 9.5 ? highest.toFixed(1) : count(Math.round(highest))} ${unit}`}</text>
<text class="faint" x="${LEFT}" y="${HEIGHT - 6}">${duration(first[0])}</text><text class="faint" x="${width - LEFT}" y="${HEIGHT - 6}" text-anchor="end">${duration(last[0])}</text></svg>
`;
}

/** The rate in each of `most` equal parts of the time; fewer parts with fewer points. */
function ratesOf(points: readonly Point[], most: number): readonly number[] {
  const parts = Math.min(most, points.length - 1);
  const [from, to] = [(points[0] as Point)[0], (points.at(-1) as Point)[0]]; // there are four at least
  const edges = Array.from({ length: parts + 1 }, (_, at) => from + ((to - from) * at) / parts);
  const done = edges.map((ms) => doneAt(points, ms));
  const seconds = (to - from) / parts / 1000;
  return done.slice(1).map((value, at) => Math.max(0, (value - (done[at] ?? 0)) / seconds));
}

/** The amount done at a moment, interpolated between two points. */
function doneAt(points: readonly Point[], ms: number): number {
  const next = points.findIndex(([at]) => at >= ms);
  const after = points[next] ?? (points.at(-1) as Point); // a moment of the run
  const before = points[next - 1] ?? after;
  const span = after[0] - before[0];
  return span === 0 ? after[1] : before[1] + ((after[1] - before[1]) * (ms - before[0])) / span;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
