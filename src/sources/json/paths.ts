import { OptionFault } from "../source.ts";

/** A step from a value to one inside it. */
export type Step =
  | { readonly key: string }
  /** The element of a list by its number, from 0. */
  | { readonly index: number }
  /** All elements of a list. */
  | { readonly all: true }
  /** The first element whose member has this value, or the value that another path of the row leads to. */
  | { readonly member: readonly string[]; readonly is: string | Path };

/** From a row to a value in it. */
export type Path = readonly Step[];

const FORM = "such as name.first, mails[0], identities[type=password].hash";

/** One step of a path: a key, a key in quotes, or something in brackets. A dot stands between keys. */
const STEP = /(?:^|\.)(?:"((?:[^"\\]|\\.)*)"|([^.[\]"]+))|\[([^\]]*)\]/gy;
const CONDITION = /^([^=]+)=(.*)$/;

/** Reads a path. Raises OptionFault. */
export function readPath(text: string): Path {
  const steps: Step[] = [];
  const trimmed = text.trim();
  STEP.lastIndex = 0;
  while (STEP.lastIndex < trimmed.length || steps.length === 0) {
    const match = STEP.exec(trimmed);
    if (match === null) throw new OptionFault(`'${text}' is no path, ${FORM}.`);
    const [, quoted, key, inBrackets] = match;
    if (inBrackets !== undefined) steps.push(stepInBrackets(inBrackets.trim(), text));
    else steps.push({ key: key?.trim() ?? (JSON.parse(`"${quoted}"`) as string) });
  }
  return steps;
}

function stepInBrackets(text: string, path: string): Step {
  if (text === "") return { all: true };
  if (/^\d+$/.test(text)) return { index: Number(text) };
  const [, member, value] = CONDITION.exec(text) ?? [];
  if (member === undefined || value === undefined) throw new OptionFault(`'${path}' is no path, ${FORM}.`);
  const wanted = value.trim();
  return {
    member: member.split(".").map((key) => key.trim()),
    is: wanted.startsWith("@")
      ? wanted
          .slice(1)
          .split(".")
          .map((key) => ({ key }))
      : wanted,
  };
}

/** Reads paths with `|` between them. Raises OptionFault. */
export function readPaths(expression: string): readonly { readonly text: string; readonly path: Path }[] {
  return expression.split(/\|(?![^[]*\])/).map((part) => ({ text: part.trim(), path: readPath(part) }));
}
