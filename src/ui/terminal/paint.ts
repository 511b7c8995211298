import { randomBytes } from "node:crypto";
import { printable, withoutHashes } from "../../problem/format.ts";
import { wrap } from "./wrap.ts";

/** The few styles in use; each returns its text unchanged when colour is off. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
}

type Style = keyof Paint;
const STYLES: readonly Style[] = ["bold", "dim", "red", "yellow", "green"];

export interface Terminal {
  /** Marks text; it becomes colour when `lay` makes a line of it. */
  readonly paint: Paint;
  /**
   * A line as the terminal gets it: broken at words, and coloured where it was marked. Everything else that a terminal would obey is
   * written out, whatever a file name or a service's words hold: the marks are of this run alone, so that no text can bring its own. A
   * hash that somebody took for an id is not shown.
   */
  lay(line: string): string;
}

/** @param columns as wide is the terminal; undefined: lines are not broken. */
export async function createTerminal(hasColour: boolean, columns: () => number | undefined): Promise<Terminal> {
  const codes = hasColour ? await loadCodes() : undefined;
  const key = `\ufdd0${randomBytes(8).toString("hex")}`;
  const mark = new RegExp(`${key}(\\d+);`, "g");
  const styleOf = (at: number) => (text: string) =>
    codes === undefined ? text : `${key}${2 * at};${text}${key}${2 * at + 1};`;
  const [bold, dim, red, yellow, green] = STYLES.map((_, at) => styleOf(at)) as [Mark, Mark, Mark, Mark, Mark]; // as many
  return {
    paint: { bold, dim, red, yellow, green },
    lay(line) {
      const text = printable(withoutHashes(line));
      const width = columns();
      const broken = width === undefined ? text : wrap(text, width, (part) => part.replace(mark, ""));
      return codes === undefined ? broken : broken.replace(mark, (_, at) => codes[Number(at)] ?? "");
    },
  };
}

type Mark = (text: string) => string;

/** What begins and what ends each style. */
async function loadCodes(): Promise<readonly string[]> {
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return STYLES.flatMap((style) => chalk[style]("|").split("|"));
}
