import { parseAddress, unquoted } from "../../admin/address.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { ProblemError } from "../../problem.ts";

// What answers mean, apart from the questions.

/** The flags of an answer to the question about columns: a preset, a map, or a preset and a map behind it (`generic,userId=number`). */
export function flagsOfColumns(answer: string): readonly string[] {
  if (answer === "") return [];
  const [, preset, map = answer] = /^\s*([\w-]+)\s*(?:[,\s]\s*(\S.*))?$/s.exec(answer) ?? [];
  if (preset === undefined) return ["--map", answer];
  return ["--preset", preset, ...(map === answer ? [] : ["--map", map])];
}

/** False for a text such as a token: without scheme and port, a host other than localhost has a dot, and labels as DNS has them. */
export function hasHost(text: string): boolean {
  const [, scheme, host = "", port] = /^([a-z]+:\/\/)?(\[[\da-f:.]+\]|[^:/?#@]*)(:\d+)?/i.exec(unquoted(text)) ?? [];
  if (host.startsWith("[")) return true;
  const labels = host.replace(/\.$/, "").split(".");
  const isName = labels.every((label) => /^[\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u.test(label));
  const isToken = /^eyJ/.test(host);
  const isFull = labels.length > 1 || host.toLowerCase() === "localhost";
  return isName && !isToken && (isFull || ((scheme ?? port) !== undefined && host.length < 30));
}

/** Why a text is no address of an instance. */
export function faultOf(text: string): string | undefined {
  if (!hasHost(text)) return "This is no address, such as https://acme.example.com. The token is asked for next.";
  try {
    parseAddress(text, "target", false);
    return undefined;
  } catch (error) {
    if (error instanceof ProblemError) return sentences(describe(error.problem));
    throw error;
  }
}

/** `--metadata user` and `--metadata app` are one flag: `--metadata user,app`. */
export function mergedFlags(flags: readonly string[]): readonly string[] {
  const values = new Map<string, string[]>();
  for (const flag of flags) {
    const [name = "", value = ""] = flag.split(" ");
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return [...values].flatMap(([name, all]) => [name, all.join(",")]);
}
