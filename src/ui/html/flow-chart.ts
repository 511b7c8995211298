import { count } from "../../problem/format.ts";
import type { Flow, FlowEnd, Labelled, Tone } from "./flow.ts";
import { html, type Markup } from "./markup.ts";

/** Where the columns of a drawing stand; text has the same size in all of them. */
interface Format {
  readonly name: string;
  readonly width: number;
  /** The left edges of the three columns. */
  readonly columns: readonly [number, number, number];
}

/** One for a desk and for paper, one for a phone; the style sheet shows the one that fits. */
const FORMATS: readonly Format[] = [
  { name: "wide", width: 720, columns: [2, 270, 560] },
  { name: "narrow", width: 340, columns: [2, 135, 198] },
];

const NODE_WIDTH = 12;
/** All of it, in a drawing of any size. */
const FLOW_HEIGHT = 150;
/** An end's label has two lines. */
const SLOT = 42;
/** A label above needs that much. */
const LABEL = 40;
const THINNEST = 2;

/** The flow as a drawing, for both widths, with the same content as text for screen readers. */
export function flowChart(flow: Flow): Markup {
  // A picture of one band says nothing.
  if (flow.ends.length + flow.beside.length < 2) return html`<p>${sumsOf(flow).join("; ")}.</p>`;
  return html`<figure class="chart">${FORMATS.map((format) => drawFlow(flow, format))}
<figcaption>${sumsOf(flow).map((sum) => html`<span>${sum}</span>`)}</figcaption></figure>`;
}

/** The sums of a flow: "5 read = 4 sent + 1 skipped", "4 sent = 4 created". */
export function sumsOf({ start, middle, ends, beside }: Flow): readonly string[] {
  const named = ({ value, label }: { readonly value: number; readonly label: string }): string =>
    `${count(value)} ${label}`;
  const sum = (whole: string, parts: readonly string[]): string =>
    parts.length === 0 ? whole : `${whole} = ${parts.join(" + ")}`;
  const first = sum(named(start), [named(middle), ...beside.map(named)]);
  return ends.length === 0 ? [first] : [first, sum(named(middle), ends.map(named))];
}

interface Placed {
  readonly end: FlowEnd;
  readonly fromStart: boolean;
  readonly top: number;
  readonly height: number;
  /** Where its label stands in the middle. */
  readonly center: number;
}

function drawFlow(flow: Flow, { name, width, columns }: Format): Markup {
  const { placed, startTop, middleTop, middleHeight, top, bottom } = layOut(flow);
  const [x0, x1, x2] = columns;
  const bands: Markup[] = [];
  let startAt = startTop;
  let middleAt = middleTop;
  if (middleHeight > 0) {
    bands.push(band(x0 + NODE_WIDTH, startAt, x1, middleTop, middleHeight, "plain"));
    startAt += middleHeight;
  }
  for (const { end, fromStart, top: toY, height } of placed) {
    const [x, y] = fromStart ? [x0, startAt] : [x1, middleAt];
    bands.push(band(x + NODE_WIDTH, y, x2, toY, height, end.tone));
    if (fromStart) startAt += height;
    else middleAt += height;
  }
  const middle =
    middleHeight === 0
      ? []
      : [node(x1, middleTop, middleHeight, "plain"), above(x1 + NODE_WIDTH, middleTop, "end", flow.middle)];
  const ends = placed.flatMap(({ end, top: y, height, center }) => [
    node(x2, y, height, end.tone),
    beside(x2 + NODE_WIDTH + 8, center, end),
  ]);
  return html`<svg class="${name}" viewBox="0 ${round(top)} ${width} ${round(bottom - top)}" role="img" aria-label="${`${flow.unit}: ${sumsOf(flow).join("; ")}`}">${bands}${node(x0, startTop, FLOW_HEIGHT, "plain")}${above(x0, startTop, "start", flow.start)}${middle}${ends}</svg>
`;
}

/** Where everything stands from top to bottom; from left to right it is the format's. */
function layOut(flow: Flow) {
  const scale = FLOW_HEIGHT / flow.start.value;
  const thick = (value: number): number => Math.max(THINNEST, value * scale);
  const placed = placeEnds(flow, thick);
  const [first, last] = [placed[0], placed.at(-1)];
  const own = placed.filter(({ fromStart }) => !fromStart);
  const middleHeight = flow.middle.value === 0 ? 0 : thick(flow.middle.value);
  const middleTop = own.length === 0 ? 0 : centerOf(own) - middleHeight / 2;
  const startTop = centerOf(placed) - FLOW_HEIGHT / 2;
  const tops = [
    startTop - LABEL,
    middleHeight === 0 ? 0 : middleTop - LABEL,
    Math.min(first?.top ?? 0, (first?.center ?? 0) - SLOT / 2),
  ];
  const bottoms = [
    startTop + FLOW_HEIGHT,
    last === undefined ? 0 : Math.max(last.top + last.height, last.center + SLOT / 2),
  ];
  return { placed, startTop, middleTop, middleHeight, top: Math.min(...tops), bottom: Math.max(...bottoms) + 4 };
}

/** The ends from top to bottom, each with room for its label. */
function placeEnds({ ends, beside: rest }: Flow, thick: (value: number) => number): readonly Placed[] {
  let at = 0;
  return [...ends.map((end) => ({ end, fromStart: false })), ...rest.map((end) => ({ end, fromStart: true }))].map(
    (one) => {
      const height = thick(one.end.value);
      const slot = Math.max(SLOT, height + 10);
      const center = at + slot / 2;
      at += slot;
      return { ...one, height, center, top: center - height / 2 };
    },
  );
}

function centerOf(placed: readonly Placed[]): number {
  const [first, last] = [placed[0], placed.at(-1)];
  return first === undefined || last === undefined ? 0 : (first.top + last.top + last.height) / 2;
}

function band(x: number, y: number, toX: number, toY: number, height: number, tone: Tone): Markup {
  const mid = round((x + toX) / 2);
  const path = `M${x} ${round(y)}C${mid} ${round(y)} ${mid} ${round(toY)} ${toX} ${round(toY)}v${round(height)}C${mid} ${round(toY + height)} ${mid} ${round(y + height)} ${x} ${round(y + height)}z`;
  return html`<path class="band ${tone}" d="${path}"/>`;
}

function node(x: number, y: number, height: number, tone: Tone): Markup {
  return html`<rect class="node ${tone}" x="${x}" y="${round(y)}" width="${NODE_WIDTH}" height="${round(height)}" rx="2"/>`;
}

function above(x: number, y: number, anchor: "start" | "end", { label, value }: Labelled): Markup {
  return html`<text x="${x}" y="${round(y - 24)}" text-anchor="${anchor}"><tspan class="number">${count(value)}</tspan><tspan x="${x}" dy="17">${label}</tspan></text>`;
}

function beside(x: number, y: number, { label, value }: Labelled): Markup {
  return html`<text x="${x}" y="${round(y - 3)}"><tspan class="number">${count(value)}</tspan><tspan x="${x}" dy="17">${label}</tspan></text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
