import { expect, test } from "vitest";
import { languageOf } from "../../../../src/core/rules/language.ts";

test.each([
  ["de", "de"],
  ["DE", "de"],
  ["pt-BR", "pt-BR"],
  ["de_CH", "de-CH"],
  ["zh-Hant-TW", "zh-Hant-TW"],
  ["en-u-rg-uszzzz", "en"],
  ["deu", "de"],
])("takes %j", (text, tag) => expect(languageOf(text)).toBe(tag));

test.each(["", "xx", "klingon", "english", "e", "not a tag", "12"])("leaves out %j, which the service loses", (text) =>
  expect(languageOf(text)).toBeUndefined(),
);
