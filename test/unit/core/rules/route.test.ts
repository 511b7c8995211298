import { expect, test } from "vitest";
import { checkHumanUser } from "../../../../src/core/rules/human-user.ts";
import { countRoute, messageReasons, NO_ROUTES, routeUser } from "../../../../src/core/rules/route.ts";

const hash = { hashedPassword: { value: "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234" } };
const unverified = { email: { email: "a@example.com" } };
const facts = (user: object) =>
  checkHumanUser(
    {
      userId: "u",
      user: {
        userName: "u",
        profile: { firstName: "A", lastName: "B" },
        email: { email: "a@example.com", isEmailVerified: true },
        ...user,
      },
    },
    () => {},
  );

test.each([
  ["with a hash", hash, "import", "import"],
  ["without a hash, verified", {}, "users", "users"],
  ["without a hash, unverified", unverified, "import", "users"],
  ["with a hash, unverified", { ...hash, ...unverified }, "import", "users"],
  ["with a hash and a phone to be verified", { ...hash, phone: { phone: "+41791234567" } }, "import", "users"],
  ["with a hash and a password to be changed", { ...hash, passwordChangeRequired: true }, "users", "users"],
  ["with a plain password", { password: "Secret1!" }, "import", "import"],
  ["with a linked identity", { idps: [{ configId: "i", externalUserId: "x" }] }, "import", "import"],
] as const)("a user %s goes to the right endpoint", (_, user, way, wayWithoutMail) => {
  expect(routeUser(facts(user), { via: "auto", noMail: false })).toBe(way);
  expect(routeUser(facts(user), { via: "auto", noMail: true })).toBe(wayWithoutMail);
  expect(routeUser(facts(user), { via: "import", noMail: false })).toBe("import");
  expect(routeUser(facts(user), { via: "users", noMail: false })).toBe("users");
});

test("a user who is closed and would get a message takes the users API, which sends none then", () => {
  const closed = { ...facts(unverified), isClosed: true };
  expect(routeUser(closed, { via: "auto", noMail: false })).toBe("users");
  expect(messageReasons(closed, "users", false)).toEqual([]);
  expect(routeUser({ ...facts(hash), isClosed: true }, { via: "auto", noMail: false })).toBe("import");
});

test("messages are counted by what each way sends", () => {
  const closed = { ...facts({ ...unverified, phone: { phone: "+41791234568" } }), isClosed: true };
  const users = [facts({}), facts(unverified), closed, facts({ phone: { phone: "+41791234567" } })];
  const count = (noMail: boolean) =>
    users.reduce((counts, user) => countRoute(counts, user, { via: "users", noMail }), NO_ROUTES);
  const both = { users: 4, mailsOtherwise: 4, closedMailsOtherwise: 1, smsOtherwise: 2, closedSmsOtherwise: 1 };
  expect(count(false)).toEqual({ ...both, mails: 1, sms: 1 });
  expect(count(true)).toEqual({ ...both, mails: 0, sms: 0 });
});
