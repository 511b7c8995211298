import fc from "fast-check";
import { expect, test } from "vitest";
import { firstValue } from "../../../../src/mock/protojson/go-json.ts";

const read = (text: string) => firstValue(Buffer.from(text));

test.each([
  ["", { is: "nothing" }],
  [" \n", { is: "nothing" }],
  ["{}", { is: "value", end: 2 }],
  [' {"a":[1,2.5e-3,true,false,null,"\\u00e4\\n"]} rest', { is: "value", end: 44 }],
  ["5 6", { is: "value", end: 1 }],
])("%j", (text, found) => {
  expect(read(text)).toEqual(found);
});

// The words of Go's encoding/json.
test.each([
  ["this", "invalid character 'h' in literal true (expecting 'r')"],
  ["nul", "unexpected EOF"],
  ["{", "unexpected EOF"],
  ["{a", "invalid character 'a' looking for beginning of object key string"],
  ['{"a"}', "invalid character '}' after object key"],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["01", undefined],
  ["-", "unexpected EOF"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1e+", "unexpected EOF"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ['"\t"', "invalid character '\\t' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ["'", "invalid character '\\'' looking for beginning of value"],
  ["\u0001", "invalid character '\\x01' looking for beginning of value"],
  ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
])("%j: %s", (text, message) => {
  expect(read(text)).toEqual(message === undefined ? { is: "value", end: 1 } : { is: "broken", message });
});

test("it takes what JSON.parse takes, to the last byte, and whatever follows", () => {
  const spaced = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t"));
  fc.assert(
    fc.property(spaced, fc.constantFrom("", " ", "}", " 1", "\n{"), ([value, indent], rest) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!/^-?\d/.test(text) || !/^\d/.test(rest));
      expect(read(text + rest)).toEqual({ is: "value", end: Buffer.byteLength(text) });
    }),
  );
});

test("it refuses what JSON.parse refuses", () => {
  const cut = fc.tuple(fc.jsonValue(), fc.nat(), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(cut, ([value, at, put]) => {
      const text = JSON.stringify(value);
      const broken = text.slice(0, at % text.length) + put + text.slice((at % text.length) + 1);
      const found = read(broken);
      const first = found.is === "value" ? Buffer.from(broken).toString("utf8", 0, found.end) : broken;
      if (found.is === "value") expect(() => JSON.parse(first)).not.toThrow();
      else expect(() => JSON.parse(first)).toThrow();
    }),
  );
});
