import { type Description, say } from "./description.ts";

const SEE_MESSAGE = "See its message below.";

/** Why the service did not accept an item, and what to do. */
const causes = {
  "already-there": say("the id already exists", "Without --fail-on-existing it counts as already there."),
  "in-other-org": say(
    "the id belongs to a user, a project or an action of another organization of the target, named below",
    "Import into that organization (--org-map <id in the file>=<that id>), or change the id.",
  ),
  "other-person": say(
    "the account with the id of its user may be another person's: it has had neither the user name, the e-mail address nor the password hash of the input (a service user: neither the user name nor the name), or the source deleted its user and created another one",
    "If it is the same person, run with --update --prefer source --only <id>; rename a service user on the target. Otherwise change the id, or delete the user on the target; delete it also if the source deleted and created its user again.",
  ),
  "deleted-at-source": say(
    "the source has deleted the user, and its lists still have the user",
    "Run again when the lists of the source have caught up.",
  ),
  "id-of-other-kind": say(
    "the id belongs to a human user on the target and to a machine user in the input, or the reverse",
    "Change the id.",
  ),
  "there-or-ours": say(
    "the id exists; a response was lost, so it is unknown whether this run created it",
    "Compare with verify.",
  ),
  "made-meanwhile": say(
    "another run, or another account, created the user while this run was under way",
    "Run again: the next run compares the user. Give two runs the same state file (--state), so that they do not run at the same time.",
  ),
  "user-name-taken": say(
    "another user of the organization or instance has the user name",
    "If both are one person, and the address of the existing user is verified, write the id of that user into the input file, and import with --update; for a copy, delete one of the two accounts. If they are two people, change one of the two user names. If two users exchange their names, give one of them a third name in the source for one run.",
  ),
  "name-taken": say(
    "another object of this type has the name on the target, or the project is granted to the organization already",
    "Rename one of the two. Of a project grant that was removed and added again at the source, remove the former one on the target. The role grants in it are removed with it: note them first, and give them again by hand.",
  ),
  "domain-of-other-org": say(
    "the domain of the user name is a verified domain of another organization",
    "Import the user into that organization, or change the user name.",
  ),
  "org-missing": say(
    "the organization does not exist on the target and could not be created",
    "Check its id, create it first, or add its name (org) to the body.",
  ),
  "org-name-taken": say(
    "another organization of the target has the name of the organization",
    "If the two are the same, use --org-map <id in the file>=<id on the target>; otherwise rename one of them.",
  ),
  "org-removed": say(
    "the organization was deleted on the target; data imported into that organization is lost",
    "To stop copying it, leave out its --org-id, or use --exclude-org-id. To import it as another organization, use --org-map <id in the file>=<new id>, and give its former users other ids.",
  ),
  "org-refused": say("the service rejected the organization", SEE_MESSAGE),
  "user-removed": say(
    "the user was deleted from the target's organization that is named below, and this version of the service does not create a user with the same id here again",
    "Change the ids in the input. On version 4.0 and newer, an import into that organization (--org-map) works too.",
  ),
  "removed-with-org": say(
    "deleted on the target with the organization that is named below; the service keeps the ids of its users and objects, and creates none with them",
    "Change the ids in the input; of a copy, in an export of its source. If it is the organization of the input (after version 4.14: any), you can free the id of a user instead, unless another user has the user name by now: DELETE /v2/users/<id> with the token of the import deletes no one; then run again.",
  ),
  "kept-from-removed-org": say(
    "the service keeps it from the deleted organization that is named below, which was created again: it has no effect, and the service creates no other one",
    "Delete it with the token of the import, then run again; a change has no effect. With the header x-zitadel-orgid: <organization>, DELETE /management/v1/policies/<kind> deletes a policy (a domain policy: DELETE /admin/v1/orgs/<organization>/policies/domain), and DELETE /management/v1/orgs/me/members/<user> a membership.",
  ),
  phone: say("invalid phone number", "Write it in full, for example +41791234567, or remove it."),
  email: say("the service does not accept the e-mail address", "Fix the address."),
  "password-policy": say(
    "the plain password breaks the password policy of the organization",
    "Import a hash, or relax the policy for the import.",
  ),
  "hash-cost": say(
    "the cost of the password hash is out of the instance's limits",
    "Change the limit on the instance (ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_…; migrate names the setting), or remove the hash.",
  ),
  "hash-unreadable": say(
    "the instance cannot read the password hash, or its verifier is not enabled",
    "Enable the verifier on the instance (ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS), or remove the hash.",
  ),
  "hash-long": say(
    "the users API does not accept a password hash of more than 200 characters",
    "For a new user, import with --via import in place of --no-mail: the hash is accepted, and the user may get an e-mail or an SMS. Or remove the hash, so that the user sets a new password.",
  ),
  hash: say(
    "the service cannot check password hashes of this kind",
    "Enable the verifier on the instance, or remove the hash.",
  ),
  "identity-provider": say(
    "an identity provider of a link, or of a login policy, does not exist on the target",
    "Create the provider on the target, then add --idp <id in the input>=<its id>.",
  ),
  "idp-closed": say(
    "the identity provider that the user is linked to does not allow account creation",
    "On the target, allow account creation in the settings of the provider, then run again.",
  ),
  "reference-missing": say(
    "an object that it refers to does not exist on the target",
    "Create that object on the target, or add it to the input, and run again.",
  ),
  "role-missing": say(
    "the project on the target lacks a role of the grant, or has not granted the role to the organization",
    "Create the role on the target, or, for an import of a file, add it to the file (migrate --projects, or projectRoles and projectGrants), and run again. A role that was removed on the target is not created again: create it there, or take it out of the grant.",
  ),
  "project-missing": say(
    "the project does not exist on the target, or the organization of the user may not use it",
    "Create the project on the target, grant it to that organization, or, for an import of a file, add that to the file (migrate --projects, or projects and projectGrants), and run again.",
  ),
  consequence: say("it refers to a user or an object that failed, as reported", "Fix that one and run again."),
  "link-taken": say(
    "the account at the identity provider is linked to another user of the target",
    "Remove one of the two links.",
  ),
  state: say(
    "the user is on the target, but could not be deactivated or locked",
    "Do that on the target: until then the user can sign in.",
  ),
  "state-changed": say(
    "the user can sign in, although the input says inactive or locked: after this job created the user, the user was unlocked or reactivated, changed by another account, or given rights",
    "Deactivate or lock the user on the target, or run again with --update.",
  ),
  "state-lost": say(
    "the user is inactive or locked, and this target would create an active one",
    "The users API, which sets the state, is missing or forbidden there. Nothing was created for the user.",
  ),
  permission: say("the token lacks a permission", "Its service user needs the role IAM_OWNER."),
  otp: say("the user was created, but without the OTP secret", "The user must set it up again."),
  "not-made": say(
    "it does not exist after the import, and the service reported no error",
    "Run again; existing objects are counted as already there.",
  ),
  gone: say("the user was deleted on the target during the run", "Run again."),
  "taken-over": say(
    "the user was deleted, or recreated with other values, during the import: by another account, by another job or by orgferry undo",
    "Check the user on the target. If the user is missing, run again.",
  ),
  "removed-by-other": say(
    "the user was deleted on the target by another account, and an update does not create the user again",
    "Delete the user at the source too. To create the user again, run once without --update: this creates all users of the input again that other accounts deleted, and names them in a dry run.",
  ),
  invalid: say("the service reports invalid data", SEE_MESSAGE),
  other: say("the service rejected it", SEE_MESSAGE),
} as const satisfies Readonly<Record<string, Description>>;

/** Why the service did not accept an item, in terms that a reader can act on. */
export type Cause = keyof typeof causes;

/** A cause in words. An unknown cause is described as `other`. */
export function describeCause(cause: string): Description {
  return Object.hasOwn(causes, cause) ? causes[cause as Cause] : causes.other;
}

const ORG_CAUSES: ReadonlySet<string> = new Set<Cause>([
  "in-other-org",
  "user-removed",
  "removed-with-org",
  "kept-from-removed-org",
]);

/** True for a cause whose message is an organization of the target, not words of the service. */
export function namesOrg(cause: string): boolean {
  return ORG_CAUSES.has(cause);
}

/** True for a cause or a reason that goes with another one: it is listed after them. */
export function isConsequence(code: string): boolean {
  return code === "consequence" || code === "password.user-rejected";
}
