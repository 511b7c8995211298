import type { Cause } from "../core/transfer/answer/cause.ts";
import type { Description } from "./description.ts";

const causes: Readonly<Record<Cause, Description>> = {
  "already-there": {
    message: "the id is already there",
    hint: "Without --fail-on-existing it counts as already there.",
  },
  "in-other-org": {
    message: "the id belongs to a user of another organization of the target, named below",
    hint: "Import into that organization (--org-map <this id>=<that id>), or give the user another id.",
  },
  "id-of-other-kind": {
    message: "the id belongs to a human user on the target where the input has a machine user, or the other way round",
    hint: "Give the user another id.",
  },
  "there-or-ours": {
    message: "the id is there; whether a call of this run made it, whose answer was lost, cannot be told",
    hint: "Compare with verify, or run without --fail-on-existing.",
  },
  "user-name-taken": {
    message: "the user name is taken by another user of the organization or instance",
    hint: "Give one of the two another user name.",
  },
  "name-taken": {
    message: "its name belongs to another one of that kind on the target",
    hint: "Rename one of the two.",
  },
  "domain-of-other-org": {
    message: "the domain of the user name is a verified domain of another organization",
    hint: "Import the user into that organization, or change the user name.",
  },
  "org-missing": {
    message: "the organization does not exist on the target and could not be created",
    hint: "Check its id, create it first, or give it an org name in the body.",
  },
  "org-name-taken": {
    message: "the name of the organization belongs to another organization of the target",
    hint: "If the two are the same, import into that one with --org-map <this id>=<id on the target>; otherwise rename one of them.",
  },
  "org-removed": {
    message: "the organization was removed on the target, and what goes into it is lost to everybody",
    hint: "Give it another id with --org-map <this id>=<new id>.",
  },
  "org-refused": { message: "the service refused the organization", hint: "See its message below." },
  "user-removed": {
    message:
      "the user was removed on the target, where the service does not give the id to anybody of this organization again",
    hint: "Give the user another id.",
  },
  phone: {
    message: "the phone number is not valid",
    hint: "Write it in full, such as +41791234567, or remove it.",
  },
  email: { message: "the service does not accept the e-mail address", hint: "Fix the address." },
  "password-policy": {
    message: "the plain password breaks the organization's password policy",
    hint: "Import a hash, or relax the policy while you import.",
  },
  hash: {
    message: "the service cannot check password hashes of this kind",
    hint: "Enable the verifier on the instance, or leave the hash out.",
  },
  "identity-provider": {
    message: "an identity provider the user is linked to does not exist on the target",
    hint: "Create the provider first and use its id.",
  },
  "reference-missing": {
    message: "something it refers to does not exist on the target",
    hint: "Usually a follow-up of an earlier failure; fix that and run again.",
  },
  "link-taken": {
    message: "the identity at the provider is linked to another user of the target",
    hint: "Remove one of the two links.",
  },
  state: {
    message: "the user was made, but could not be deactivated or locked",
    hint: "Do that on the target: until then the user can sign in.",
  },
  permission: { message: "the token lacks the right", hint: "Its service user needs the role IAM_OWNER." },
  otp: { message: "the user was created, but without the OTP secret", hint: "The user has to set it up again." },
  "not-made": {
    message: "the service said nothing about it, and it is not there",
    hint: "Run again; what is there is counted as already there.",
  },
  gone: { message: "the user was removed on the target while this ran", hint: "Run again." },
  invalid: { message: "the service says that the data is not valid", hint: "See its message below." },
  other: { message: "the service refused it", hint: "See its message below." },
};

/** What kept the service from taking something, in words, and what to do. */
export function describeCause(cause: string): Description {
  return Object.hasOwn(causes, cause) ? causes[cause as Cause] : causes.other;
}
