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
        Buffer.from(value).toString("hex"),
        encodeURIComponent(JSON.stringify(value).slice(1, -1)),
        [...value].map((letter) => `&#${letter.codePointAt(0)};`).join(""),
        value.toUpperCase() === value.toLowerCase() ? value : value.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
      ];
      // A backslash that only escapes one of the secret's own does not matter, nor does what is left of an escaped last percent sign.
      for (const form of forms) expect(redactor.clean(`<${form}>`, 1_000)).toMatch(/^<\\*\[redacted\](?:25)?[=\\]*>$/);
      expect(redactor.clean(before + value + after, 10_000)).not.toMatch(/\p{Cc}/u);
    }),
  );
});

test("a secret that begins like a hash is removed completely, even if it is escaped", () => {
  const redactor = createRedactor();
  const value = '$0$*$**$*"and the rest of it';
  redactor.add(new Secret(value));
  expect(redactor.clean(`<${JSON.stringify(value).slice(1, -1)}>`)).toBe("<[redacted]>");
  expect(redactor.clean(`<${value}>`)).toBe("<[redacted]>");
});

test("control characters within a secret do not hide it", () => {
  const redactor = createRedactor();
  redactor.add(new Secret("hunter22 and more"));
  for (const text of ["hunter22\u0000 and more", "hunter22\nand more", "\u200ehunter\u001b22 and more\u202e"]) {
    expect(redactor.clean(text)).not.toContain("more");
  }
});

const HASH = "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234";

test.each([
  ["bcrypt", HASH],
  ["bcrypt of PHP", HASH.replace("2b", "2y")],
  ["argon2", "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG"],
  ["pbkdf2", "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk"],
  ["scrypt", "$7$CU..../....2Q9obwLhin8qvQl6sisAO/$sRZ5lkSwCmYvCcGUZ.5t"],
  ["SHA-512", "$6$rounds=5000$usesomesillystri$KqJWpanXZHKq2BOB43TSaYhEWsQ1Lr5QNyPCDH/Tp.6"],
  ["SHA-256", "$5$saltsalt$KqJWpanXZHKq2BOB43TSaYhEWsQ1Lr5QNyPCDH"],
  ["md5crypt", "$1$O3JMY.Tw$AdLnLjQ/5jXF9.MTp3gHv/"],
  ["phpass", "$P$B12345678L6Lpt4BxNotVIMILOa9u81"],
  ["drupal", "$S$DMZAwk4qXGn1Qq2cDn9BtPn3xuwzDNfSy"],
  ["LDAP", "{SSHA}MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkw"],
  ["Django", "pbkdf2_sha256$260000$salt$Zm9vYmFyYmF6cXV4"],
  ["a token", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"],
  // service behaviour 9.13: five parts
  [
    "an encrypted token",
    `eyJhbGciOiJBMjU2R0NNS1ciLCJlbmMiOiJBMjU2R0NNIn0.${"k".repeat(43)}.${"i".repeat(16)}.${"c".repeat(80)}.${"t".repeat(22)}`,
  ],
  ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"],
])("%s is removed in every form", (_, secret) => {
  const { clean } = createRedactor();
  const bytes = Buffer.from(secret);
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("$", "&#36;").replaceAll("/", "&sol;"),
    bytes.toString("base64"),
    bytes.toString("base64url"),
    bytes.toString("hex"),
  ];
  for (const form of forms) {
    const text = clean(`Errors.Invalid value '${form}' (COMMAND-1)`, 1_000);
    expect(text, form).toBe("Errors.Invalid value '[redacted]' (COMMAND-1)");
  }
});

test("a bearer token and the values of secret keys are removed", () => {
  const { clean } = createRedactor();
  expect(clean("got Authorization: Bearer abcdefgh12345678 instead")).toBe("got Authorization: [redacted] instead");
  expect(clean('{"userName":"ann","password":"correct horse"}')).toBe('{"userName":"ann",[redacted]}');
});

test.each([
  "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting",
  "Kind=AlreadyExists ID=V3-DKcYh Message=Errors.User.AlreadyExists Parent=(23505)",
  "invalid ImportDataRequest.DataOrgs: embedded message failed validation | caused by: value length must be at most 10 runes",
  "grpc: received message larger than max (5900000 vs. 4194304)",
  "Errors.Token.Invalid (AUTH-7fs1e)",
  "user 5f7c8ec7c33c6c004bbafe82 of 165617390198000897: 100% of $5 & more",
])("messages of the service are unchanged: %s", (text) => {
  const body = Buffer.from(JSON.stringify({ hashedPassword: { value: HASH }, otpCode: "JBSWY3DPEHPK3PXP" }));
  expect(createRedactor().cleanFor(body)(text)).toBe(text);
});

test("the secrets of a request are removed from its answer in every form, and other texts stay", () => {
  const keyFile = JSON.stringify({
    type: "service_account",
    private_key: "-----BEGIN-----\nMIIEvQIBADANBgkqhkiG\n-----END-----",
  });
  const body = Buffer.from(
    JSON.stringify({
      dataOrgs: {
        orgs: [
          {
            orgId: "org-of-acme",
            humanUsers: [
              {
                userId: "auth0|1",
                user: { userName: "ann@example.com", hashedPassword: { value: "5f4dcc3b5aa765d61d8327deb882cf99" } },
              },
              { userId: "auth0|2", user: { password: 'correct "horse" battery', otpCode: "JBSWY3DPEHPK3PXP" } },
            ],
            oidcIdps: [{ idp: { clientSecret: "cl13nt/s3cret" } }],
          },
        ],
      },
      data_orgs_gcs: { serviceaccount_json: Buffer.from(keyFile).toString("base64") },
    }),
  );
  const clean = createRedactor().cleanFor(body);
  const secrets = [
    "5f4dcc3b5aa765d61d8327deb882cf99",
    'correct "horse" battery',
    "JBSWY3DPEHPK3PXP",
    "cl13nt/s3cret",
    "MIIEvQIBADANBgkqhkiG",
  ];
  for (const secret of secrets) {
    const bytes = Buffer.from(secret);
    const forms = [
      secret,
      secret.toLowerCase(),
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replaceAll('"', "&quot;").replaceAll("/", "&#x2f;"),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      bytes.toString("hex"),
    ];
    for (const form of forms)
      expect(clean(`bad value ${form} of auth0|1`), form).toMatch(/^bad value \[redacted\]=* of auth0\|1$/);
  }
  expect(clean("ann@example.com of org-of-acme is no user name")).toBe(
    "ann@example.com of org-of-acme is no user name",
  );
});

test("thousands of hashes of a request are searched quickly", () => {
  const users = Array.from({ length: 5_000 }, (_, index) => ({
    userId: `u${index}`,
    user: { hashedPassword: { value: `${HASH.slice(0, -4)}${String(index).padStart(4, "0")}` } },
  }));
  const clean = createRedactor().cleanFor(Buffer.from(JSON.stringify({ humanUsers: users })));
  const started = performance.now();
  for (let index = 0; index < 5_000; index += 1) {
    expect(
      clean(`ID=COMMAND-x Message=Errors.Invalid value ${HASH.slice(0, -4)}${String(index).padStart(4, "0")}`),
    ).not.toContain("$2b$");
  }
  expect(performance.now() - started).toBeLessThan(5_000);
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

test("plain http is accepted on request", () => {
  expect(parseAddress("http://example.com", "source", true).base).toBe("http://example.com");
});

test("texts of earlier answers are checked against the secrets of each request", () => {
  const bodyWith = (hash: string) => Buffer.from(JSON.stringify({ hashedPassword: { value: hash } }));
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z0-9]{8,20}$/), fc.boolean(), (value, isEncoded) => {
      const text = `cannot use ${isEncoded ? Buffer.from(value).toString("base64") : value} here`;
      const redactor = createRedactor();
      const usual = redactor.cleanFor(bodyWith("something else"))(text);
      expect(redactor.cleanFor(bodyWith("something else"))(text)).toBe(usual);
      const fresh = createRedactor().cleanFor(bodyWith(value))(text);
      expect(redactor.cleanFor(bodyWith(value))(text)).toBe(fresh);
      expect(fresh).toContain("[redacted]");
      redactor.add(new Secret(value));
      expect(redactor.cleanFor(bodyWith("something else"))(text)).toContain("[redacted]");
    }),
  );
});

test("bare base32 of 16 or more characters is removed, a long number or word stays", () => {
  const { clean } = createRedactor();
  expect(clean("secret JBSWY3DPEHPK3PXP is invalid")).toBe("secret [redacted] is invalid");
  expect(clean("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ====")).toBe("[redacted]");
  for (const text of ["2345672345672345672", "CERTIFICATEREQUIRED", "QUERY-ABCDE", "id 165617390198000897"])
    expect(clean(text)).toBe(text);
});
