import { expect, test } from "vitest";
import { readFault } from "../../../../src/mock/http/explain.ts";
import { Fault } from "../../../../src/mock/http/faults.ts";

test.each([
  ["users:nameless,users=2,skip=1", { endpoint: "users", fault: "nameless", users: 2, skip: 1 }],
  ["import:429,times=2,retryAfter=1", { endpoint: "import", fault: "429", times: 2, retryAfter: 1 }],
  ["export:503,handled", { endpoint: "export", fault: "503", handled: true }],
  ["any:latency,delay=1.5s,probability=0.25,seed=7", { fault: "latency", delay: 1500, probability: 0.25, seed: 7 }],
])("the flag's form %s is the same fault as its JSON", (text, fault) => {
  const parsed = readFault(text);
  expect(parsed).toMatchObject(fault);
  expect(Fault.parse(parsed)).toEqual(parsed);
});

test("a status may be a number in JSON", () => {
  expect(Fault.parse({ endpoint: "import", fault: 502 }).fault).toBe("502");
});

test.each([
  "",
  "import",
  "import:",
  "import:600",
  "import:429,times=-1",
  "import:429,probability=2",
  "import:trickle,delay=5",
])("%j is no fault", (text) => {
  expect(() => readFault(text)).toThrow();
});
