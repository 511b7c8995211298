import { Readable, Writable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { printable, printableJson, printableLines, shown } from "../../../src/problem/format.ts";
import { createUi, type Ui, type UiSettings } from "../../../src/ui/ui.ts";

test("an id is shown on one line, without anything that a terminal obeys", () => {
  expect(shown("auth0|5f7c8ec7")).toBe("auth0|5f7c8ec7");
  expect(shown("a\u001b[2Jb\nc\u202ed\u0085")).toBe("a\\u{1b}[2Jb\\u{a}c\\u{202e}d\\u{85}");
  expect(shown("é 漢字")).toBe("é 漢字");
  expect(shown("x".repeat(1_000))).toHaveLength(201);
});

test("JSON has no character that a terminal obeys, and the same value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = printableJson({ name: `a\u009b2J\u202e\u{e0001}${text}` });
      expect(json).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify({ name: `a\u009b2J\u202e\u{e0001}${text}` })));
    }),
  );
});

test("lines keep their ends and lose everything else that a terminal obeys", () => {
  expect(printableLines("one\n\ttwo\r\u001b]0;title\u0007")).toBe("one\n\ttwo\\u{d}\\u{1b}]0;title\\u{7}");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(printableLines(text).replace(/[\n\t]/g, "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }),
  );
});

/** The voice of a run, and all that it said. */
async function voice(settings: Partial<UiSettings> = {}, terminal: object = {}): Promise<{ ui: Ui; said: string[] }> {
  const said: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      said.push(String(chunk));
      done();
    },
  });
  const stdout = new Writable();
  const plain = {
    stdin: Readable.from([]),
    stdout,
    env: {},
    now: () => new Date(),
    quiet: false,
    verbose: true,
    color: false,
  };
  return { ui: await createUi({ ...plain, stderr: Object.assign(stderr, terminal), ...settings }), said };
}

test("for any text, the terminal gets only the program's own colours", async () => {
  const { ui, said } = await voice();
  const nasty = "\u001b[2Jgone";
  ui.say(nasty);
  ui.warn(nasty);
  ui.detail(nasty);
  ui.problem({ code: "input.missing", file: nasty, flag: "--users" });
  expect(said.join("")).not.toContain("\u001b");
  expect(said.join("").match(/\\u\{1b\}\[2Jgone/g)).toHaveLength(4);
});

test("with colours, only what was painted is coloured, and no text brings a colour of its own", async () => {
  const { ui, said } = await voice({ color: true }, { isTTY: true, columns: 80 });
  ui.say(`${ui.paint.green("wrote")} \u001b[31ma.json \ufdd0123;`);
  ui.warn("careful");
  expect(said.join("")).toBe(
    "\u001b[32mwrote\u001b[39m \\u{1b}[31ma.json \ufdd0123;\n\u001b[33mwarning:\u001b[39m careful\n",
  );
});

test("an id that is a password hash is not shown, in any form", async () => {
  const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
  const { ui, said } = await voice();
  for (const say of [ui.say, ui.warn, ui.fail, ui.detail]) say(`human_user ${hash}: taken`);
  expect(said).toHaveLength(4);
  expect(said.join("")).not.toContain("C9hB01");
});

test("a text from outside begins no line, and is no command of a CI runner", () => {
  expect(printable("a\nb\tc")).toBe("a\\u{a}b\tc");
  expect(printable("::error::x")).toBe("\\u{3a}:error::x");
  expect(printable("  ::error::x")).toBe("  \\u{3a}:error::x");
  expect(printable("a ##[group]b ##vso[c]")).toBe("a #\\u{23}[group]b #\\u{23}vso[c]");
  expect(printable("std::string ## [")).toBe("std::string ## [");
});
