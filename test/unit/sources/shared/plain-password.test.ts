import { expect, test } from "vitest";
import { placeholderOf, plainPasswordFault } from "../../../../src/sources/shared/plain-password.ts";

test.each(["$2b$10$kaputt", "$argon2id$v=19$broken", "$pbkdf2-sha256$1", "{SSHA}x", "pbkdf2_sha256$1", "$6$salt$x"])(
  "a text that begins like a hash is none, also if it is broken: %s",
  (text) => expect(plainPasswordFault(text)).toBe("hash"),
);

test.each(["$ecret-1!", "$2 bills", "{noop}Secret-1!", "scrypt!", "$1.50"])("a password: %s", (text) => {
  expect(plainPasswordFault(text)).toBeUndefined();
  expect(placeholderOf(text)).toBeUndefined();
});

test.each(["(versteckt)", "versteckt", "[geheim]", "<unbekannt>", "{unknown}", "< nie >", "********", "-", "n.a."])(
  "words and masks for no password: %s",
  (text) => expect(placeholderOf(text)).toBe("words"),
);

test.each(["", "  ", "NULL", "\\N"])("an empty cell: %j", (text) => expect(placeholderOf(text)).toBe("empty"));
