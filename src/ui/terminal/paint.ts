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
  /** Marks text; `lay` turns the marks into colour. */
  readonly paint: Paint;
  /**
   * A line as the terminal gets it: broken between words, and coloured by its marks. Other control characters of a
   * file name or a message are escaped: the marks contain a random key of this run, so that no text can forge one. A hash that was used as
   * an id is not shown.
   */
  lay(line: string): string;
  /** The same for a file or a pipe: not broken, and without colour. */
  bare(line: string): string;
}

/** @param columns the width of the terminal; undefined: lines are not broken. */
export async function createTerminal(hasColour: boolean, columns: () => number | undefined): Promise<Terminal> {
  const codes = hasColour ? await loadCodes() : undefined;
  const key = `\ufdd0${randomBytes(8).toString("hex")}`;
  const mark = new RegExp(`${key}(\\d+);`, "g");
  const styleOf = (at: number) => (text: string) =>
    codes === undefined ? text : `${key}${2 * at};${text}${key}${2 * at + 1};`;
  const clean = (line: string): string => printable(withoutHashes(line));
  const withoutMarks = (text: string): string => text.replace(mark, "");
  const [bold, dim, red, yellow, green] = STYLES.map((_, at) => styleOf(at)) as [Mark, Mark, Mark, Mark, Mark]; // as many
  return {
    paint: { bold, dim, red, yellow, green },
    lay(line) {
      const text = clean(line);
      const width = columns();
      const broken = width === undefined ? text : wrap(text, width, withoutMarks);
      return codes === undefined ? broken : broken.replace(mark, (_, at) => codes[Number(at)] ?? "");
    },
    bare: (line) => withoutMarks(clean(line)),
  };
}

type Mark = (text: string) => string;

/** The codes that begin and end each style. */
async function loadCodes(): Promise<readonly string[]> {
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return STYLES.flatMap((style) => chalk[style]("|").split("|"));
}
