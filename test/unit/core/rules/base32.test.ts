import fc from "fast-check";
import { expect, test } from "vitest";
import { toBase32 } from "../../../../src/core/rules/base32.ts";

// RFC 4648, section 10, without the padding.
test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("%j is %j", (text, encoded) => expect(toBase32(Buffer.from(text))).toBe(encoded));

test("says every byte, in order", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const bits = [...toBase32(bytes)].map((one) =>
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"),
      );
      const whole = bits.join("").match(/.{8}/g) ?? [];
      expect(whole.map((byte) => Number.parseInt(byte, 2))).toEqual([...bytes]);
    }),
  );
});
