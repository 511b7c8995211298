import { onTestFinished } from "vitest";
import { createMockServer, type MockOptions, type MockServer } from "../../src/mock/server.ts";

/** A mock instance that goes away with the test that asked for it, and the environment that points the target at it. */
export async function startMock(options: MockOptions = {}): Promise<MockServer & { env: Record<string, string> }> {
  const mock = await createMockServer({ keepBodies: true, ...options });
  onTestFinished(() => mock.close());
  const env = { ZITADEL_IMPORT_DOMAIN: mock.url, PAT_IMPORT_TOKEN: mock.token };
  return Object.assign(mock, { env });
}
