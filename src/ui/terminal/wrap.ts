/** Command lines are pasted: a break in one would be a second command. */
const PASTED = /(^\s*|: )(orgferry|export) \S/;
/** What a line begins with and the next one is put under: blanks, or a label with a gap behind it. */
const LABEL = /^(\s*\S{1,14}(?: \S{1,10})?\s{2,}|[a-z]{3,12}: |\s+)/;
const DEEPEST = 20;

/**
 * Lines for a terminal of so many columns: broken between words, what follows under the text of the first line. Words that are longer,
 * such as paths, are left to the terminal, and command lines are not touched.
 *
 * @param visible what is seen of a text
 */
export function wrap(text: string, columns: number, visible: (text: string) => string): string {
  return text
    .split("\n")
    .map((line) =>
      visible(line).length <= columns || PASTED.test(visible(line)) ? line : broken(line, columns, visible),
    )
    .join("\n");
}

function broken(line: string, columns: number, visible: (text: string) => string): string {
  const label = (LABEL.exec(visible(line))?.[0].length ?? 0) || 2;
  const indent = " ".repeat(label > DEEPEST ? 4 : label);
  const lines: string[] = [];
  let current = /^\s*/.exec(line)?.[0] ?? "";
  let isEmpty = true;
  for (const [word] of line.matchAll(/\S+\s*/g)) {
    if (!isEmpty && visible(`${current}${word}`).trimEnd().length > columns) {
      lines.push(current.trimEnd());
      current = indent;
    }
    current += word;
    isEmpty = false;
  }
  return [...lines, current.trimEnd()].join("\n");
}
