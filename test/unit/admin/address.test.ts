import { expect, test } from "vitest";
import { parseAddress, withoutPage } from "../../../src/admin/address.ts";

test.each([
  "https://example.zitadel.cloud/ui/console",
  "example.zitadel.cloud/ui/console/users?login_hint=a",
  "https://example.com/prefix/ui/v2/login",
  "https://example.com/admin/v1",
  "https://example.com/v2/users",
])("an address with the path of a page or an API is refused: %s", (text) => {
  expect(() => parseAddress(text, "target", false)).toThrow(
    expect.objectContaining({ problem: { code: "usage.bad-address", side: "target", fault: "page" } }),
  );
});

test.each(["http:/127.0.0.1:8188", "https//example.com", "HTTPS:/example.com"])(
  "a scheme with a slash or a colon missing is not taken for a host: %s",
  (text) => {
    const problem = { code: "usage.bad-address", side: "target", fault: "scheme" };
    expect(() => parseAddress(text, "target", false)).toThrow(expect.objectContaining({ problem }));
  },
);

test.each([
  ["", "empty"],
  [" ", "empty"],
  ["https://https://example.com", "scheme-twice"],
  ["127.0.0.1:99999", "port"],
  ["https://example.com:65536/identity", "port"],
  ["https://example.com:", undefined],
  ["https://example.com:65535", undefined],
])("%j has the fault %s", (text, fault) => {
  const parse = () => parseAddress(text, "target", false);
  if (fault === undefined) expect(parse).not.toThrow();
  else
    expect(parse).toThrow(expect.objectContaining({ problem: { code: "usage.bad-address", side: "target", fault } }));
});

test.each([
  ["https://example.com/identity/", "https://example.com/identity"],
  ["example.com/guide", "https://example.com/guide"],
  ["ui.example.com", "https://ui.example.com"],
])("a path prefix is kept: %s", (text, base) => {
  expect(parseAddress(text, "target", false).base).toBe(base);
});

test("a token in place of the address is refused and not repeated", () => {
  const token = `eyJhbGciOiJB.${"a".repeat(70)}.b`;
  const parse = () => parseAddress(token, "target", false);
  expect(parse).toThrow(
    expect.objectContaining({ problem: { code: "usage.bad-address", side: "target", fault: "too-long" } }),
  );
  expect(() => parseAddress(`${"a".repeat(63)}.example.com`, "target", false)).not.toThrow();
});

test.each([
  ["https://acme.example.com/ui/console?login_hint=a", "https://acme.example.com"],
  ["acme.example.com/management/v1/orgs", "acme.example.com"],
  ["https://ui/zitadel/ui/console", "https://ui/zitadel"],
  ["https://acme.example.com/prefix", "https://acme.example.com/prefix"],
  ["v2", "v2"],
])("%s without the service's own path is %s", (text, address) => expect(withoutPage(text)).toBe(address));
