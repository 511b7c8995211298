import { expect, test } from "vitest";
import { changeOf } from "../../../../src/core/events/user-change.ts";

test.each(["initialization", "email", "invite", "password"])(
  "a code for %s is an e-mail, unless the caller gets it",
  (kind) => {
    const type = `user.human.${kind}.code.added`;
    expect(changeOf(type, {})).toEqual({ kind: "mailed" });
    expect(changeOf(type, { codeReturned: true })).toBeUndefined();
  },
);
