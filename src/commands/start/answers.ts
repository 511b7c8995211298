import { parseAddress, unquoted } from "../../admin/address.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { describe } from "../../problem/describe.ts";
import { sentences } from "../../problem/description.ts";
import { ProblemError, type RunProblem } from "../../problem.ts";

import { OptionFault, type OptionTable } from "../../sources/source.ts";

// What answers mean, apart from the questions.

/** The flags of an answer to the question about columns: a preset, a map, or a preset and a map behind it (`generic,userId=number`). */
export function flagsOfColumns(answer: string): readonly string[] {
  if (answer === "") return [];
  const [, preset, map = answer] = /^\s*([\w-]+)\s*(?:[,\s]\s*(\S.*))?$/s.exec(answer) ?? [];
  if (preset === undefined) return ["--map", answer];
  return ["--preset", preset, ...(map === answer ? [] : ["--map", map])];
}

/**
 * The meanings of words in an answer (`state:aktiv=active,state:weg=deleted`), behind those before. A later meaning of a word replaces an
 * earlier one.
 */
export function wordsOf(answer: string, before: readonly string[]): readonly string[] {
  // A word may have a comma itself.
  const given = answer.split(/;|,(?=\s*[A-Za-z]\w*\s*:)/).map((word) => word.trim());
  const byWord = new Map<string, string>();
  for (const word of [...before, ...given.filter((one) => one !== "")]) {
    const [name = ""] = word.split("=", 1);
    byWord.set(
      name
        .replace(/\s*:\s*/, ":")
        .trim()
        .toLowerCase(),
      word,
    );
  }
  return [...byWord.values()];
}

/** Why an option of a provider does not take these values; undefined: it takes them. */
export function faultOfValues(option: OptionTable[string] | undefined, given: readonly string[]): string | undefined {
  try {
    option?.read(given, () => "");
    return undefined;
  } catch (error) {
    if (!(error instanceof OptionFault)) throw error;
    return error.message.replace(/^it /, "It ");
  }
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

/** The address that a problem with this one leads to, if it can be an answer; else this one, to be corrected by hand. */
export function correctedAddress(address: string, problem: RunProblem): string {
  const rest = unquoted(address).replace(/^[a-z]+:\/\//i, "");
  const corrected = addressBy(problem, rest);
  return corrected !== undefined && faultOf(corrected) === undefined ? corrected : address;
}

/** @param rest the address without its scheme. */
function addressBy(problem: RunProblem, rest: string): string | undefined {
  if (problem.code === "net.unreachable" && problem.reason === "http-expected") return `http://${rest}`;
  if (problem.code === "net.unreachable" && problem.reason === "https-expected") return `https://${rest}`;
  const { path } = endpoints.searchOrgs;
  const isSame = problem.code === "api.redirected" && problem.location.endsWith(path);
  return isSame ? problem.location.slice(0, -path.length) : undefined;
}

/** The flag that carries a field over, with the field in the places of its name: `--metadata <attribute>`. */
export function flagFor(field: string, carriedBy: Readonly<Record<string, string>>): string | undefined {
  if (OF_SECRETS.test(field)) return undefined;
  return (carriedBy[field] ?? carriedBy[""])?.replace(/<\w+>/g, () => field);
}

/** Passwords, hashes and keys do not become metadata. */
const OF_SECRETS = /pass|pwd|(?:^|[^a-z])pw(?:[^a-z]|$)|kennwort|hash|salt|secret|geheim|token|otp/i;

/** `--metadata a b` → `--metadata`, `a b`. */
export function wordsOfFlag(flag: string): readonly string[] {
  const at = flag.indexOf(" ");
  return at < 0 ? [flag] : [flag.slice(0, at), flag.slice(at + 1)];
}
