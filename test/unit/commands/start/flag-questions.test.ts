import { expect, test } from "vitest";
import { kindOfProvider } from "../../../../src/commands/start/flag-questions.ts";

test.each([
  ["google-oauth2", "google"],
  ["acme (samlp)", "saml"],
  ["acme (oidc)", "oidc"],
  ["GitHub", "github"],
])("a provider of the target for %s is found by its kind: %s", (provider, kind) => {
  expect(kindOfProvider(provider)).toBe(kind);
});
