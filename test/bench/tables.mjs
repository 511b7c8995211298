// What was measured, as tables: printed, written down, compared with an earlier run.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, totalmem } from "node:os";

/** Of the file that --json writes. */
const FORMAT = 1;

export function describeMachine() {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} processors, ${memory}, Node ${process.versions.node}`;
  return { format: FORMAT, machine, at: new Date().toISOString() };
}

export function readRun(path) {
  const run = JSON.parse(readFileSync(path, "utf8"));
  if (run.format !== FORMAT || !Array.isArray(run.tables)) throw new Error(`${path} is not what --json writes`);
  return run;
}

/** The middle of an odd number of values, the lower of the two middles of an even one. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}

/** Median, least and most of some values. */
export function spreadOf(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
export const grouped = (n) => Math.round(n).toLocaleString("en");

/** `1.73 s (1.69–1.80)` */
export function timeWithSpread({ median: middle, min, max }) {
  return `${seconds(middle)} (${(min / 1000).toFixed(2)}–${(max / 1000).toFixed(2)})`;
}

/** A table is {title, head, rows: [{name, cells, figures}], note?}; figures are {unit, median, min, max} by name, for comparing. */
export function asMarkdown({ title, head, rows, note }) {
  const lines = [
    `| ${["", ...head].join(" | ")} |`,
    `|---|${head.map(() => "---:").join("|")}|`,
    ...rows.map(({ name, cells }) => `| ${[name, ...cells].join(" | ")} |`),
  ];
  return `**${title}**\n\n${lines.join("\n")}\n${note === undefined ? "" : `\n${note}\n`}`;
}

/** Every figure of two runs that both have, and how it changed; a change within the spread of the two is said to be none. */
export function compareRuns(earlier, now) {
  const lines = [`Against the run of ${earlier.at}:`];
  if (earlier.machine !== now.machine) lines.push(`another machine: ${earlier.machine}`);
  for (const table of now.tables) {
    const before = earlier.tables.find(({ title }) => title === table.title);
    if (before === undefined) {
      lines.push(`${table.title}: not in the earlier run`);
      continue;
    }
    for (const { name, figures } of table.rows) {
      const old = before.rows.find((row) => row.name === name)?.figures ?? {};
      const changes = Object.keys(figures)
        .filter((key) => old[key] !== undefined)
        .map((key) => change(key, old[key], figures[key]));
      lines.push(`${table.title}: ${name}: ${changes.length === 0 ? "not in the earlier run" : changes.join(", ")}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function change(key, old, now) {
  const percent = (now.median / old.median - 1) * 100;
  const overlap = now.min <= old.max && old.min <= now.max;
  const sign = percent < 0 ? "−" : "+";
  return `${key} ${sign}${Math.abs(percent).toFixed(1)} %${overlap ? " (within the spread)" : ""}`;
}
