import { inspect } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseAddress } from "../../../src/admin/address.ts";
import { createRedactor, Secret } from "../../../src/admin/secret.ts";

test("a secret says [redacted] however it is printed", () => {
  const secret = new Secret("hunter22");
  for (const text of [`${secret}`, JSON.stringify({ secret }), inspect({ secret })]) {
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("hunter22");
  }
  expect(secret.reveal()).toBe("hunter22");
});

test("no form of a secret survives in a text that comes back", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 6, maxLength: 40 }), fc.string(), fc.string(), (value, before, after) => {
      const redactor = createRedactor();
      redactor.add(new Secret(value));
      const forms = [
        value,
        encodeURIComponent(value),
        JSON.stringify(value).slice(1, -1),
        Buffer.from(value).toString("base64"),
        Buffer.from(value).toString("base64url"),
      ];
      for (const form of forms) expect(redactor.clean(`<${form}>`, 1_000)).toBe("<[redacted]>");
      expect(redactor.clean(before + value + after, 10_000)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("control characters within a secret do not hide it", () => {
  const redactor = createRedactor();
  redactor.add(new Secret("hunter22 and more"));
  for (const text of ["hunter22\u0000 and more", "hunter22\nand more", "\u200ehunter\u001b22 and more\u202e"]) {
    expect(redactor.clean(text)).not.toContain("more");
  }
});

test.each([
  ["example.com", "https://example.com"],
  ["https://example.com/", "https://example.com"],
  ["https://example.com:8443/zitadel/", "https://example.com:8443/zitadel"],
  ["http://localhost:8080", "http://localhost:8080"],
  ["http://127.0.0.9", "http://127.0.0.9"],
  ["http://[::1]:8080", "http://[::1]:8080"],
  ["localhost:8080", "https://localhost:8080"],
])("the address %s means %s", (text, base) => expect(parseAddress(text, "target", false).base).toBe(base));

test.each(["", "https://", "http://example.com", "http://localhost.evil.com", "https://a@b", "https://a/?x=1"])(
  "the address %j is refused",
  (text) => expect(() => parseAddress(text, "source", false)).toThrow("usage.bad-address"),
);

test("plain http is taken when it is asked for", () => {
  expect(parseAddress("http://example.com", "source", true).base).toBe("http://example.com");
});
