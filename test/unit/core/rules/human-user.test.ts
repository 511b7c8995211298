import { expect, test } from "vitest";
import { isKnownState } from "../../../../src/core/rules/human-user.ts";

test.each([undefined, null, "", {}, "USER_STATE_UNSPECIFIED", "USER_STATE_ACTIVE", "USER_STATE_INITIAL", 0, 2, 4, 6])(
  "the state %j needs no warning",
  (state) => expect(isKnownState(state)).toBe(true),
);

test.each(["USER_STATE_SUSPEND", "USER_STATE_DELETED", "USER_STATE_FANCY", "active", 3, 5, 7, -1])(
  "no import sets the state %j: the user would be active",
  (state) => expect(isKnownState(state)).toBe(false),
);
