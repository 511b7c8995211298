import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Phrases that no text of the project uses, with what to write. The glossary in .github/CONTRIBUTING.md gives the terms. */
const BANNED: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(nobody|somebody|anybody|everybody|whoever|whomever|whom|whichever|whatever)\b/i, "name the subject"],
  [/\b(is|are|was|were|be|been|being) told\b/i, "reported, known"],
  [/\bcan(not)? be (told|said)\b/i, "unknown, known"],
  [/\b(made|make|makes|making|hashed|started|begins?) anew\b/i, "recreate, again"],
  [/\b(is|are|was|were) (there already|already there)\b/i, "exists"],
  [/\bwho (is|are|was|were) there\b/i, "existing users"],
  [/\b(left|leaves?|leaving) (it |them |him |her )?alone\b|\bpassed over\b/i, "skipped, unchanged"],
  [/\b(goes|go|going|went|gone|taken|takes?|took|taking|bring|brings|brought) along\b/i, "carried over"],
  [/\bside by side\b|\bone after the other\b/i, "in parallel, in order"],
  [/\b(brings?|brought|bringing)\b[^.\n]{0,40}\bup to date\b/i, "update"],
  [/\b(go|goes|going|gone|went) on with\b|\bgoes on\b/i, "continue"],
  [/\btold (apart|by|of)\b/i, "distinguished, recognized, reported"],
  [/\bsays? nothing (of|about)\b/i, "does not mention, does not report"],
  [/\b(a|an|the|no|any) mails?\b/i, "e-mail"],
  [/\b(careful|quick) way\b/i, "parser path, fast path"],
  [/\bbehind (their|its|his) back\b/i, "silently"],
  [/\bfor ever\b|\ball the same\b|\bas (it|they) should be\b/i, "an exact statement"],
  [/\bwhat (becomes|became|comes|came) (of|out of)\b/i, "outcome, result"],
];

/** Texts that quote a phrase on purpose: the glossary, and values of reports that scripts rely on. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  ".github/CONTRIBUTING.md": /^\| .* \| .* \|$/,
  // A caller's name in the recordings.
  "test/helpers/replay.ts": /^ {4}case "nobody at all":$/,
};

const texts = [
  "README.md",
  "CHANGELOG.md",
  ...under(".github"),
  ...under("src"),
  ...under("fixtures/deploy"),
  ...under("test"),
].filter((path) => /\.(md|ts|ya?ml)$/.test(path) && !path.endsWith("words.test.ts"));

function under(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map((name) => `${folder}/${String(name).replaceAll("\\", "/")}`);
}

/** Any of the phrases: most texts have none, so one search of the whole text is enough. */
const ANY = new RegExp(BANNED.map(([phrase]) => phrase.source).join("|"), "i");

/** The banned phrases of a text, each with its line. */
function bannedIn(text: string, quoted?: RegExp): readonly string[] {
  if (!ANY.test(text)) return [];
  return text.split("\n").flatMap((line, index) => {
    if (quoted?.test(line)) return [];
    return BANNED.flatMap(([phrase, instead]) => {
      const found = phrase.exec(line.replace(/"[a-z.-]+"|`[^`]*`/g, ""))?.[0];
      return found === undefined ? [] : [`${index + 1}: "${found}", write: ${instead}`];
    });
  });
}

test("no text uses a banned phrase", () => {
  expect(texts.length).toBeGreaterThan(700);
  const found = texts.flatMap((path) =>
    bannedIn(readFileSync(path, "utf8"), QUOTED[path]).map((phrase) => `${path}:${phrase}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ["Nobody is deleted.", "Nobody"],
  ["The user is told why.", "is told"],
  ["users who were already there", "were already there"],
  ["It goes on with the run.", "goes on with"],
  ["sends a mail", "a mail"],
])("%j has a banned phrase", (text, phrase) => {
  expect(bannedIn(text)).toEqual([expect.stringContaining(`1: "${phrase}"`)]);
});

test("codes, flags and ordinary words are allowed", () => {
  expect(bannedIn('flags.push("made-anew"); // see `nobody`, a mailbox, all users')).toEqual([]);
});
