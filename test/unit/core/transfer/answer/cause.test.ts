import { expect, test } from "vitest";
import { causeOf, isThere, readMessage } from "../../../../../src/core/transfer/answer/cause.ts";

const UNIQUE =
  ' Parent=(ERROR: duplicate key value violates unique constraint "unique_constraints_pkey" (SQLSTATE 23505))';

/** What versions 2.62 and 4 answered (service behaviour 0.5; recordings v4, v2, v4-copy). */
test.each([
  ["org", "ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting"],
  ["org", "ID=ORG-lapo2m Message=Errors.Org.AlreadyExisting"],
  ["human_user", "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting"],
  ["human_user_otp", "ID=COMMAND-do9se Message=Errors.User.MFA.OTP.AlreadyReady"],
  ["machine_user", "ID=COMMAND-k2una Message=Errors.User.AlreadyExisting"],
  ["machine_user_key", "ID=COMMAND-091mops Message=Errors.User.Machine.Key.AlreadyExists"],
  ["project", "ID=COMMAND-opamwu Message=Errors.Project.AlreadyExisting"],
  ["oidc_app", "ID=PROJECT-lxowmp Message=Errors.Project.App.AlreadyExisting"],
  ["api_app", "ID=PROJECT-mabu12 Message=Errors.Project.App.AlreadyExisting"],
  ["app_key", "ID=COMMAND-so20alo Message=Errors.Project.App.Key.AlreadyExisting"],
  ["action", "ID=COMMAND-nau2k Message=Errors.Action.AlreadyExisting"],
  ["oidc_idp", "ID=Org-1J8fs Message=Errors.Org.IDPConfig.AlreadyExisting"],
  ["project_role", `ID=V3-DKcYh Message=Errors.Project.Role.AlreadyExists${UNIQUE}`],
  ["project_grant", `ID=V3-DKcYh Message=Errors.Project.Grant.AlreadyExists${UNIQUE}`],
  ["user_grant", `ID=V3-DKcYh Message=Errors.UserGrant.AlreadyExists${UNIQUE}`],
  ["user_link", `ID=V3-DKcYh Message=Errors.User.ExternalIDP.AlreadyExists${UNIQUE}`],
  ["org_member", "ID=ORG-poWwe Message=Errors.Org.Member.AlreadyExists"],
  ["project_member", "ID=PROJECT-PtXi1 Message=Errors.Project.Member.AlreadyExists"],
  ["project_grant_member", "ID=PROJECT-37fug Message=Errors.AlreadyExists"],
  ["project_grant_member", `ID=V3-DKcYh Message=Errors.Project.Member.AlreadyExists${UNIQUE}`],
  ["domain", "ID=V2-e1wse Message=Errors.Already.Exists"],
  ["trigger_action", "ID=COMMAND-Nfh52 Message=Errors.Flow.NoChanges"],
  ["domain_isverified", `ID=V3-DKcYh Message=Errors.Org.Domain.AlreadyExists${UNIQUE}`],
  ["domain_policy", "ID=ORG-1M8ds Message=Errors.Org.DomainPolicy.AlreadyExists"],
  ["lockout_policy", "ID=ORG-0olDf Message=Errors.ORG.LockoutPolicy.AlreadyExists"],
  ["login_policy", "Kind=AlreadyExists ID=Org-Dgfb2 Message=Errors.Org.LoginPolicy.AlreadyExists"],
])("%s %s: it exists", (type, words) => {
  expect(isThere(type, readMessage(words))).toBe(true);
});

test.each([
  ["org", `ID=V3-DKcYh Message=Errors.Org.AlreadyExists${UNIQUE}`, "org-name-taken"],
  ["org", "ID=COMM-deLSk Message=Errors.Org.Invalid", "org-missing"],
  ["human_user", `ID=V3-DKcYh Message=Errors.User.AlreadyExists${UNIQUE}`, "user-name-taken"],
  ["machine_user", `ID=V3-DKcYh Message=Errors.User.AlreadyExists${UNIQUE}`, "user-name-taken"],
  ["project", `ID=V3-DKcYh Message=Errors.Project.AlreadyExists${UNIQUE}`, "name-taken"],
  ["api_app", `ID=V3-DKcYh Message=Errors.Project.App.AlreadyExists${UNIQUE}`, "name-taken"],
  ["action", `ID=V3-DKcYh Message=Errors.Action.AlreadyExists${UNIQUE}`, "name-taken"],
  ["oidc_idp", `ID=V3-DKcYh Message=Errors.IDPConfig.AlreadyExists${UNIQUE}`, "name-taken"],
  ["domain", `ID=V3-DKcYh Message=Errors.Org.Domain.AlreadyExists${UNIQUE}`, "name-taken"],
  ["human_user", "ID=COMMAND-SFd21 Message=Errors.User.DomainNotAllowedAsUsername", "domain-of-other-org"],
  ["user_link", "ID=COMMAND-39nf2 Message=Errors.IDPConfig.NotExisting", "identity-provider"],
  ["human_user", "ID=COMMAND-SJI3g Message=Errors.ExternalIDP.CreationNotAllowed", "idp-closed"],
  // service behaviour 9.36
  ["user_grant", "ID=COMMAND-mm9F4 Message=Errors.Project.Role.NotFound", "role-missing"],
  ["user_grant", "ID=COMMAND-4m9ff Message=Errors.Project.Grant.NotFound", "project-missing"],
  ["user_grant", "ID=COMMAND-3n77S Message=Errors.Project.NotFound", "project-missing"],
  ["user_grant", "ID=COMMAND-4f8sg Message=Errors.User.NotFound", "reference-missing"],
  ["project_member", "ID=COMMAND-EbFMN Message=Errors.Project.NotFound", "reference-missing"],
  [
    "api_app",
    "ID=PROJECT-9fnsa Message=Errors.Project.NotFound Parent=(ID=PROJECT-Gd2hh Message=Errors.Project.NotFound)",
    "reference-missing",
  ],
  // service behaviour 9.4, 9.5
  ["human_user", "ID=CRYPT-5uV9n Message=Errors.User.Password.Invalid", "hash-cost"],
  ["human_user", "ID=CRYPT-r8Qm2 Message=Errors.User.Password.Invalid", "hash-unreadable"],
  ["human_user", "ID=CRYPT-2xK7d Message=Errors.Hash.NotSupported", "hash"],
  ["human_user", "Password is invalid (CRYPT-5uV9n)", "hash-cost"],
  // 9.49
  [
    "human_user",
    "invalid AddHumanUserRequest.HashedPassword: embedded message failed validation | caused by: invalid HashedPassword.Hash: value length must be between 1 and 200 runes, inclusive",
    "hash-long",
  ],
  ["human_user", "ID=EMAIL-599GV Message=Errors.User.Email.Invalid", "email"],
  ["human_user_otp", "ID=COMMAND-SqyJz Message=Errors.User.NotFound", "otp"],
])("%s %s is a failure: %s", (type, words, cause) => {
  const message = readMessage(words);
  expect(isThere(type, message)).toBe(false);
  expect(causeOf(type, message)).toBe(cause);
});
