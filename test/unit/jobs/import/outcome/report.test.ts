import { expect, test } from "vitest";
import { UpdateResult } from "../../../../../src/core/update/update-result.ts";
import { sortUpdates } from "../../../../../src/jobs/import/outcome/report.ts";

test("sorted, each list is in the order of the ids", () => {
  const result = new UpdateResult();
  result.delete.push("u2", "u1");
  result.conflict.push({ userId: "u3", fields: ["state"] }, { userId: "u1", fields: ["hash"] });
  sortUpdates(result);
  expect(result.delete).toEqual(["u1", "u2"]);
  expect(result.conflict.map(({ userId }) => userId)).toEqual(["u1", "u3"]);
});
