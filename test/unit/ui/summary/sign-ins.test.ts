import { expect, test } from "vitest";
import { cannotSignInReason } from "../../../../src/ui/summary/sign-ins.ts";

const file = "body.json.cannot-sign-in";

test("the advice for users who cannot sign in fits what the version does with the id of a deleted user", () => {
  for (const [version, advice] of [
    ["v4.15.0", `To recreate them: orgferry undo ${file}, then run the same import`],
    ["v2.62.0", "Version v2.62.0 refuses the id of a deleted user."],
    ["v4-snapshot", "orgferry does not know whether this version of the service accepts the id"],
    [undefined, "orgferry does not know whether this version of the service accepts the id"],
  ] as const)
    expect(cannotSignInReason({ file, version }).hint, version).toContain(advice);
});

test("without a file for undo, the advice is to delete the users", () => {
  expect(cannotSignInReason({ file: undefined, version: "v4.15.0" }).hint).toContain("delete them");
});
