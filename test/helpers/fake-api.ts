import type { Answer } from "../../src/admin/call.ts";
import type { AdminApi } from "../../src/admin/client.ts";
import { createRedactor } from "../../src/admin/secret.ts";

/** An instance in memory: what a test gives it, and calls that fail where they are not expected. */
export function fakeApi(calls: Partial<AdminApi>): AdminApi {
  const unused = async (): Promise<never> => {
    throw new Error("not called");
  };
  return {
    address: { origin: "http://h", host: "h", base: "http://h", isLoopback: true },
    redactor: createRedactor(),
    importData: unused,
    exportData: unused,
    exportOverGrpcWeb: unused,
    searchEvents: unused,
    searchOrgs: unused,
    searchUsers: unused,
    request: unused,
    close: async () => {},
    ...calls,
  };
}

/** An answer with this text. */
export function textAnswer(text: string): Answer {
  return {
    host: "h",
    status: 200,
    contentType: "application/json",
    date: undefined,
    header: () => undefined,
    async *bytes() {
      yield Buffer.from(text);
    },
    text: async () => text,
    clean: createRedactor().clean,
  };
}
