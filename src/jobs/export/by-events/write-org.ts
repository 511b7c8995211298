import { foldGrant, grantEntry } from "../../../core/events/rebuild/grant-fold.ts";
import {
  humanEntry,
  keyEntries,
  linkEntries,
  machineEntry,
  metadataEntries,
} from "../../../core/events/rebuild/user-entries.ts";
import { foldUser } from "../../../core/events/rebuild/user-fold.ts";
import type { CleanUp } from "../../../io/clean-up.ts";
import { Spool } from "../../../io/spool.ts";
import type { FoundOrg } from "../../shared/search-orgs.ts";
import type { ReadLog } from "./read-log.ts";
import type { ExportScope, ReadOrg } from "./read-org.ts";

export interface OrgSource {
  readonly org: FoundOrg;
  readonly read: ReadOrg;
  readonly log: ReadLog;
  readonly scope: ExportScope;
  readonly withPasswords: boolean;
  readonly withOtp: boolean;
  readonly cleanUp: CleanUp;
  /** Called for each user whose OTP secret the log does not give. */
  readonly onOtp: () => void;
}

/** The members of an organization, in the order of an export (service behaviour 1.2). */
const MEMBERS = [
  "orgId",
  "org",
  "domainPolicy",
  "labelPolicy",
  "lockoutPolicy",
  "loginPolicy",
  "passwordComplexityPolicy",
  "privacyPolicy",
  "projects",
  "projectRoles",
  "apiApps",
  "oidcApps",
  "humanUsers",
  "machineUsers",
  "triggerActions",
  "actions",
  "projectGrants",
  "userGrants",
  "orgMembers",
  "projectMembers",
  "projectGrantMembers",
  "userMetadata",
  "loginTexts",
  "initMessages",
  "passwordResetMessages",
  "verifyEmailMessages",
  "verifyPhoneMessages",
  "domainClaimedMessages",
  "passwordlessRegistrationMessages",
  "oidcIdps",
  "jwtIdps",
  "userLinks",
  "domains",
  "appKeys",
  "machineKeys",
  "verifySmsOtpMessages",
  "verifyEmailOtpMessages",
  "orgState",
] as const;

/** The JSON of an organization, in pieces. Users are folded one at a time, so memory does not grow with them. Raises output.*. */
export async function* orgJson(source: OrgSource): AsyncGenerator<string | Buffer> {
  const { org, read } = source;
  const lists = createUserLists(source.cleanUp);
  try {
    const values = new Map<string, unknown>([
      ["orgId", org.id],
      ["org", { name: org.name }],
      ...read.members,
      ["orgState", org.state || undefined],
    ]);
    let comma = "{";
    for (const name of MEMBERS) {
      const key = `${comma}${JSON.stringify(name)}:`;
      const list = lists[name];
      let isWritten = false;
      if (name === "humanUsers") isWritten = yield* elements(key, humanUsers(source, lists));
      else if (name === "userGrants") isWritten = yield* elements(key, userGrants(source));
      else if (list !== undefined) isWritten = yield* spooled(key, list);
      else if (values.get(name) !== undefined) {
        yield `${key}${JSON.stringify(values.get(name))}`;
        isWritten = true;
      }
      if (isWritten) comma = ",";
    }
    yield "}";
  } finally {
    for (const list of Object.values(lists)) list?.remove();
  }
}

type UserLists = { readonly [Name in (typeof MEMBERS)[number]]?: Spool } & {
  readonly [Name in "machineUsers" | "userMetadata" | "userLinks" | "machineKeys"]: Spool;
};

/** The lists that are filled while the human users are written. */
function createUserLists(cleanUp: CleanUp): UserLists {
  const list = (): Spool => new Spool(cleanUp); // elements of JSON, with commas between them
  return { machineUsers: list(), userMetadata: list(), userLinks: list(), machineKeys: list() };
}

/** Raises output.unwritable, output.full. */
function append(list: Spool, entry: object): void {
  list.append(Buffer.from(`${list.bytes === 0 ? "" : ","}${JSON.stringify(entry)}`));
}

function* humanUsers(source: OrgSource, lists: UserLists): Generator<object> {
  const { log, org, read, onOtp } = source;
  const { from, to } = log.rangesOf(org.id).users;
  for (const { id, events } of log.users.objects(from, to)) {
    const user = foldUser(events);
    if (user === undefined) continue;
    for (const entry of metadataEntries(id, user)) append(lists.userMetadata, entry);
    for (const entry of linkEntries(id, user, read.idps)) append(lists.userLinks, entry);
    for (const entry of keyEntries(id, user)) append(lists.machineKeys, entry);
    if (user.hasOtp) onOtp();
    if (user.isMachine) append(lists.machineUsers, machineEntry(id, user));
    else yield humanEntry(id, user, source);
  }
}

/** An export has the grants of its own users on projects of its organizations. */
function* userGrants({ log, org, scope }: OrgSource): Generator<object> {
  const { from, to } = log.rangesOf(org.id).grants;
  for (const { events } of log.grants.objects(from, to)) {
    const grant = foldGrant(events);
    if (grant === undefined || !scope.hasUser(grant.userId) || !scope.orgs.hasProject(grant.projectId)) continue;
    const grantedOrg = grant.projectGrantId === "" ? org.id : scope.orgs.grantedOrgOf(grant.projectGrantId);
    const roleKeys = scope.orgs.rolesOf(grant.projectId, grant.roleKeys);
    if (grantedOrg !== undefined && scope.hasOrg(grantedOrg)) yield grantEntry({ ...grant, roleKeys });
  }
}

/** A member with the elements of a list; nothing for an empty one. Returns whether it was written. */
async function* elements(key: string, entries: Iterable<object>): AsyncGenerator<string, boolean> {
  let before = `${key}[`;
  for (const entry of entries) {
    yield `${before}${JSON.stringify(entry)}`;
    before = ",";
  }
  if (before !== ",") return false;
  yield "]";
  return true;
}

async function* spooled(key: string, list: Spool): AsyncGenerator<string | Buffer, boolean> {
  if (list.bytes === 0) return false;
  yield `${key}[`;
  yield* list.chunks();
  yield "]";
  return true;
}
