import { type ProblemTable, quoted, say } from "./description.ts";
import type { OfHost, Peer, WithMessage } from "./facts.ts";
import { bytes, counted, idsWithNames, idWithName, linesIf, shown } from "./format.ts";
import { peers, type UsersApiAbsence, usersApiAbsences } from "./peers.ts";

interface WithStatus extends OfHost {
  readonly status: number;
}

interface OfOrgs extends OfHost {
  readonly orgIds: readonly string[];
}

/** The organizations that the instance has, id → name; undefined: it does not list them. */
interface ExistingOrgs {
  readonly existing?: ReadonlyMap<string, string> | undefined;
}

interface TooLarge extends OfHost {
  readonly sentBytes: number;
  readonly answerLimitBytes?: number;
}

/** `isPage`: a web page refused the call, which the service never sends. */
interface MaybePage extends WithMessage {
  readonly isPage?: boolean;
}

/** Of a call to ZITADEL or to Auth0. */
function pageOf(host: string, status: number) {
  return say(
    `${host} answers, but not as ZITADEL or Auth0 do: it responded ${status} with a web page.`,
    "Is it the right address? Is there a proxy or a login page in front of the instance?",
  );
}

const SUPPORTED = "Is this the address of an instance of a supported version?";

/** A token that is missing or refused: exit 4. */
export const authProblems = {
  /** `isEmpty`: the variable is set, to nothing. */
  "auth.no-token": ({
    side,
    flag,
    isEmpty,
  }: {
    readonly side: Peer;
    readonly flag: string;
    readonly isEmpty: boolean;
  }) =>
    say(
      isEmpty
        ? `no token for ${peers[side].who}: ${peers[side].token} is empty. Is the variable in the command set?`
        : `no token for ${peers[side].who}.`,
      `Set ${peers[side].token} (or ${peers[side].client}_ID and _SECRET), or name a token file with ${flag}.`,
    ),
  "auth.bad-token": ({ side }: { readonly side: Peer }) =>
    say(
      `${peers[side].token} is not a token: it contains a line break, a space or another invalid character.`,
      "Set it to the token and nothing else.",
    ),
  "auth.refused": ({ host, message, isPage }: MaybePage) =>
    isPage === true
      ? pageOf(host, 401)
      : say(
          `${host} does not accept the token${quoted(message)}.`,
          "Has it expired, or does it belong to another instance? A new one is a personal access token of its service user, in the console of the instance.",
        ),
  "auth.forbidden": ({ host, role, message, isPage }: MaybePage & { readonly role: string }) =>
    isPage === true
      ? pageOf(host, 403)
      : say(
          `${host}: the token lacks a permission${quoted(message)}.`,
          `Make its service user a manager of the instance (default settings) with the role ${role}.`,
        ),
  "auth.no-grant": ({ host, error }: OfHost & { readonly error: string }) =>
    say(
      `${host} issued no token for the client credentials${quoted(error)}.`,
      "Check the client id and secret, and that the service user's access token type is Bearer.",
    ),
} satisfies ProblemTable;

/** A service that refuses a request or sends an invalid response: exit 5. */
export const apiProblems = {
  "api.not-an-instance": ({ host, message = "" }: OfHost & { readonly message?: string }) =>
    /instance not found/i.test(message)
      ? say(
          `${host} serves no instance under this name${quoted(message)}.`,
          "Use the domain that the instance was set up with (its external domain).",
        )
      : say(
          // The service's own "not found" has a message.
          `${host} ${message === "" ? "answers, but not as ZITADEL does: it " : ""}has no administration API (404)${quoted(message)}.`,
          "Is it the address of an instance, without /ui or /admin in its path?",
        ),
  "api.redirected": ({ host, location }: OfHost & { readonly location: string }) =>
    say(
      `${host} redirects${location === "" ? "" : ` to ${location}`}; orgferry does not send a token to another address.`,
      "If that is the right address, use it.",
    ),
  "api.rejected": ({ host, status, message }: WithStatus & WithMessage) =>
    say(`${host} rejected the call (${status})${quoted(message)}.`),
  /** A call that is too large, or one whose answer is (`answerLimitBytes`). */
  "api.too-large": ({ host, sentBytes, answerLimitBytes }: TooLarge) =>
    answerLimitBytes === undefined
      ? say(
          `${host} rejects a call of ${bytes(sentBytes)} as too large, and the call cannot be split.`,
          "The service accepts 4 MiB per call; is one user or object that large? A proxy may allow less.",
        )
      : say(
          `${host} cannot send its response, which is larger than its limit of ${bytes(answerLimitBytes)}.`,
          "Request less with one call.",
        ),
  "api.not-json": ({ host, status, html }: WithStatus & { readonly html: boolean }) =>
    html
      ? pageOf(host, status)
      : say(
          `${host} responded ${status} with data that is not JSON.`,
          "Is there a proxy or a login page in front of the instance?",
        ),
  "api.unexpected": ({ host, what }: OfHost & { readonly what: string }) =>
    say(`${host} sent an unexpected response: ${what}.`),
  "api.export-too-large": ({ host, limitBytes }: OfHost & { readonly limitBytes?: number }) =>
    say(
      `${host}: the export is larger than ${limitBytes === undefined ? "one response of the service" : `${bytes(limitBytes)}, the largest response of this version of the service`}.`,
      "Use --transport auto and a token that can read events (IAM_OWNER_VIEWER), or export fewer organizations per run with --org-id.",
    ),
  "api.nothing-done": ({ host }: OfHost) =>
    say(`${host} responded {} to a call with users, so it is unknown whether any user was imported.`, SUPPORTED),
  "api.no-grpc-web": ({ host }: OfHost) =>
    say(
      `${host} does not support gRPC-Web.`,
      "Is there a proxy in front of it that allows REST calls only? Use --transport rest.",
    ),
  "api.events-stuck": ({ host }: OfHost) =>
    say(`${host} sends the same page of events again and again, so the event log cannot be read.`, SUPPORTED),
  /** `removed`: those of the organizations that were deleted, with the names that they had. */
  "api.org-missing": ({
    host,
    orgIds,
    removed = [],
    existing,
  }: OfOrgs & ExistingOrgs & { readonly removed?: readonly { readonly id: string; readonly name: string }[] }) => {
    const names = new Map(removed.flatMap(({ id, name }) => (name === "" ? [] : [[id, name] as const])));
    const ids = removed.map(({ id }) => id);
    const isUnknown = removed.length < orgIds.length;
    const one = orgIds.length === 1;
    const deleted = `${isUnknown ? orgsOf(ids, names) : one ? "it" : "they"} ${removed.length === 1 ? "was" : "were"} deleted there`;
    const unknown = `${removed.length > 0 ? "any other" : "it"} does not exist, or the token cannot read it`;
    return say(
      `${host} does not export ${orgsOf(orgIds, names)}: ${[...linesIf(removed.length > 0, deleted), ...linesIf(isUnknown, unknown)].join("; ")}; nothing was written.`,
      [
        ...linesIf(removed.length > 0, REMOVED_HINT),
        ...linesIf(isUnknown, `Check --org-id.${existingText(existing)}`),
      ].join(" "),
    );
  },
  /** No organization of an import exists, and none can be created. */
  "api.org-unknown": ({ host, orgIds, existing, sourceId }: OfOrgs & ExistingOrgs & { readonly sourceId?: string }) =>
    say(
      `${host} has no ${orgsOf(orgIds)}, and an import cannot create one without its name; nothing was sent.`,
      `Migrate again with the right --org, or use --org-map ${shown(sourceId ?? orgIds[0] ?? "")}=<id on the target>.${existingText(existing)}`,
    ),
  /** Organizations that an export contains and that the request did not name. */
  "api.org-not-requested": ({ host, orgIds }: OfOrgs) =>
    say(
      `${host} sent ${orgsOf(orgIds)}, not requested; nothing was sent or written.`,
      "Is there a proxy in front of the instance that changes requests? To export all organizations, run without --org-id.",
    ),
  "api.no-users-api": ({ host, why }: OfHost & { readonly why: UsersApiAbsence }) =>
    say(
      `${host}: ${usersApiAbsences[why]}, which is needed to delete users.`,
      "Is it ZITADEL 2.62 or later, and does the token's service user have the role IAM_OWNER?",
    ),
  "api.no-orgs": ({ host }: OfHost) =>
    say(`${host} exports no organization.`, "Check the flags and the role of the token."),
  "api.would-mail": ({ host, users, hasBegun }: OfHost & { readonly users: number; readonly hasBegun: boolean }) =>
    say(
      `--no-mail: ${counted(users, "password")} would be set (also to require its change), and ${host} e-mails the owner of each; ${hasBegun ? "no such password was changed" : "nothing was changed"}.`,
      "Switch off the notification of password changes on the target (notification settings), or run without --no-mail.",
    ),
  "api.no-mail-provider": ({ host }: OfHost) =>
    say(
      `${host} has no active e-mail provider, so no e-mail would arrive; nothing was sent.`,
      "Set one up in the console of the instance (Settings, SMTP provider), then run the same command again.",
    ),
  /** --no-mail, and users that the import endpoint would send a message to. */
  "api.no-mail-impossible": ({ host, why }: OfHost & { readonly why: UsersApiAbsence }) =>
    say(
      `--no-mail needs the users API of ${host}, and ${usersApiAbsences[why]}; no user was created another way.`,
      "The import endpoint would send some of these users an e-mail or an SMS. Check that the token's service user has the role IAM_OWNER and that no proxy blocks /v2/users, then run again.",
    ),
  /** A flag that the target cannot do as promised. */
  "api.flag-impossible": ({
    host,
    flag,
    lacks,
  }: OfHost & { readonly flag: string; readonly lacks: keyof typeof flagNeeds }) =>
    say(
      `${flag} is not possible: ${host} ${flagNeeds[lacks]}; nothing was sent.`,
      "Check that the token's service user has the role IAM_OWNER and that no proxy blocks the calls, or run without the flag.",
    ),
  "api.cannot-update": ({ host, lacks }: OfHost & { readonly lacks: keyof typeof updateNeeds }) =>
    say(`${host} ${updateNeeds[lacks]}; nothing was done.`, "Without --update, existing users are not changed."),
  "api.cannot-exclude": ({ host, why }: OfHost & { readonly why: string }) =>
    say(
      `${host} does not list its organizations (${why}), and a request that excludes one can crash a 4.x service; nothing was requested.`,
      "Name each organization to export with --org-id.",
    ),
  "api.cannot-probe": ({ host, why }: OfHost & { readonly why: keyof typeof probeNeeds }) =>
    say(
      `${host} ${probeNeeds[why]}, so --probe cannot find out which password hashes it accepts.`,
      "Is it ZITADEL 2.62 or later, and does no proxy block or change calls to /v2/users?",
    ),
  /** An answer that a service should never give: it may have stored a hash for a user. */
  "api.probe-changed": ({ host, userId }: OfHost & { readonly userId: string }) =>
    say(
      `${host} reports that it changed user ${shown(userId)}, whose id the probe invented; the probe stopped at once.`,
      "Look for that user on the instance, and delete it if it exists. Is there a proxy that answers in place of the instance?",
    ),
  "api.answer-too-large": ({ host, limitBytes }: OfHost & { readonly limitBytes: number }) =>
    say(`${host} sent a response of more than ${bytes(limitBytes)}, too large for this call.`, SUPPORTED),
} satisfies ProblemTable;

/** What an instance lacks for doctor --probe. */
const probeNeeds = {
  "no-call": "does not answer a change of an unknown user as the users API does",
  "any-hash": "accepts a text that is no password hash",
} as const;

/** What an instance lacks for a flag. */
const flagNeeds = {
  "users-api": "has no users API that can create users, or the token has no access to it",
  events: "does not return its events, which it needs",
  invitations: "invites only users with an unverified e-mail address",
} as const;

/** What an instance lacks for --update. */
const updateNeeds = {
  "users-api": "has no users API that can change users, or the token has no access to it",
  events: "does not return its events, which show who changed each field",
  members: "does not list the users with a role on the instance, who must not be changed",
  identity: "does not return the user of the token, which is needed to tell whose changes they are",
  "source-events": "does not return its events, which show the deleted users",
} as const;

/** The number of organizations that are named. */
const NAMED_ORGS = 10;

/** `organization 1`, `organizations 1, 2 and 5 more`. */
function existingText(existing: ExistingOrgs["existing"]): string {
  if (existing === undefined) return "";
  return existing.size === 0
    ? " The instance lists no organization."
    : ` The instance has ${idsWithNames(existing, NAMED_ORGS)}.`;
}

/** What follows from the deletion of an organization at the source, and what to do. */
const REMOVED_HINT =
  "Remove a deleted organization from the command. If it was copied, its users can still sign in on the target: delete it there by hand, or deactivate its users. To deactivate the organization alone does not end every way to sign in.";

function orgsOf(orgIds: readonly string[], names?: ReadonlyMap<string, string>): string {
  const named = orgIds
    .slice(0, NAMED_ORGS)
    .map((id) => idWithName(id, names?.get(id)))
    .join(", ");
  const rest = orgIds.length > NAMED_ORGS ? ` and ${orgIds.length - NAMED_ORGS} more` : "";
  return `${orgIds.length === 1 ? "organization" : "organizations"} ${named}${rest}`;
}
