import { bytes, counted, place, shown } from "../problem/format.ts";
import type { AddressFault, Peer, RunProblem, ServiceProblem } from "../problem.ts";
import { describeNetwork } from "./describe-network.ts";
import type { Description } from "./description.ts";

type Talking = Extract<
  RunProblem,
  {
    code:
      | ServiceProblem["code"]
      | `journal.${string}`
      | "state.not-one"
      | "usage.no-file"
      | "usage.no-address"
      | "usage.bad-address"
      | "usage.same-instance"
      | "usage.bad-proxy"
      | "input.bad-token"
      | "input.not-a-body"
      | "input.not-a-manifest"
      | "input.other-target"
      | "input.org-without-id"
      | "input.org-map"
      | "input.two-bodies"
      | "input.not-joinable"
      | "usage.no-shard"
      | `shards.${string}`
      | "input.not-a-service-account"
      | "input.invalid-users"
      | "input.invalid-entries"
      | "input.bad-timeout";
  }
>;

/** What is lost with a journal that a new run cannot go by. */
const FORGETTING = " (undo will not know whom that run created)";

const DIFFER = {
  files: "they knew of different files",
  target: "they went to different targets",
  number: "they had different numbers of shards",
  "dry-run": "the first is of a dry run, which sent nothing",
};

const lacks: Readonly<Record<Extract<Talking, { code: "api.cannot-update" }>["lacks"], string>> = {
  "users-api": "has no users API that changes users, or the token may not use it",
  events: "does not tell its events, without which nobody can tell who changed what",
  identity: "does not tell whose token this is, without which nobody can tell who changed what",
  "source-events": "does not tell its events, without which nobody can tell who was removed",
};

/** The prose of everything that concerns an instance or what is sent to it; `describe` hands over to it. */
export function describeService(problem: Talking): Description {
  switch (problem.code) {
    case "usage.no-file":
      return {
        message: "there is nothing to import.",
        hint: "Name a file (- is stdin), or --gcs-bucket, --gcs-path and --gcs-service-account.",
      };
    case "usage.no-address":
      return {
        message: `the address of ${peers[problem.side].who} is missing.`,
        hint: `Give ${peers[problem.side].flag}, or set ${peers[problem.side].address}.`,
      };
    case "usage.bad-address":
      return { message: `the address of ${peers[problem.side].who} ${addressFaults[problem.fault]}` };
    case "usage.same-instance":
      return { message: `source and target are the same instance (${problem.host}).`, hint: "Name two instances." };
    case "usage.bad-proxy":
      return {
        message: `${problem.variable} is no address of a proxy.`,
        hint: `Write it with its scheme, such as ${problem.variable}=${problem.suggestion}.`,
      };
    case "input.bad-token":
      return {
        message: `${problem.file}: does not contain a token.`,
        hint: "The file must contain the token and nothing else, on one line.",
      };
    case "input.not-a-manifest":
      return {
        message: `${problem.file}:${problem.line}: not a manifest that orgferry wrote, or not a whole one.`,
        hint: "It is the file that import and copy name in their summary; nothing was removed.",
      };
    case "input.other-target":
      return {
        message: `${problem.file} tells of users of another instance than ${problem.host}.`,
        hint: "Leave --target out to use the one that it names; nothing was removed.",
      };
    case "input.not-a-body":
      return {
        message: `${name(problem.file)}: neither an import body (dataOrgs, …) nor an export ({"orgs":[…]}).`,
        hint: "Is it the right file?",
      };
    case "input.org-without-id":
      return {
        message: `${place(problem)}: this organization has no orgId.`,
        hint: "Give it the id of the organization on the target.",
      };
    case "input.org-map":
      return {
        message: `${place(problem)}: must be two ids with a comma between them.`,
        hint: "The id in the input, then the id on the target.",
      };
    case "input.not-joinable":
      return {
        message: `${name(problem.file)}: cannot be joined with other files.`,
        hint: "Several files are one job when each is an import body with dataOrgs, or each is an export.",
      };
    case "usage.no-shard":
      return {
        message: `--shard auto: ${problem.variable} does not say which share this is.`,
        hint: "An Indexed Job sets JOB_COMPLETION_INDEX; set JOB_COMPLETIONS to its number of completions, or give --shard 2/8.",
      };
    case "shards.not-one":
      return {
        message: `${name(problem.file)}: not the report of an import with --shard.`,
        hint: "Such a report is what import writes with --shard and --report.",
      };
    case "shards.missing":
      return {
        message: `not everything is there: ${[
          ...problem.shards.map((shard) => `the report of shard ${shard}`),
          ...problem.files.map((file) => `${name(file)}, which no shard sent`),
        ].join(", ")}.`,
        hint: "Run what is missing, then merge all reports.",
      };
    case "shards.overlap":
      return {
        message: `${name(problem.files[0])} and ${name(problem.files[1])} are reports of the same share.`,
        hint: "Give each report once.",
      };
    case "shards.differ":
      return {
        message: `${name(problem.files[0])} and ${name(problem.files[1])} are not of one job: ${DIFFER[problem.what]}.`,
        hint: "Give the reports of one job, whose shards were all started on the same files.",
      };
    case "input.two-bodies":
      return {
        message: `${name(problem.file)}: contains both ${problem.keys[0]} and ${problem.keys[1]}; the service accepts only one of them.`,
        hint: "Split it into two files.",
      };
    case "input.not-a-service-account":
      return {
        message: `${problem.file}: not the key file of a service account (JSON with "type": "service_account").`,
        hint: "Download the key of a service account as JSON; nothing was sent.",
      };
    case "input.invalid-users":
      return {
        message: `${name(problem.file)}: the service would refuse ${counted(problem.users, "user")}, and one is enough for it to refuse a whole call; nothing was sent.`,
        hint: "Fix them, or leave them out with --skip-invalid.",
      };
    case "input.invalid-entries":
      return {
        message: `${name(problem.file)}: ${counted(problem.entries, "entry", "entries")} would be refused by the service or end its process; nothing was sent.`,
        hint: "Fix or remove them: only users can be left out with --skip-invalid.",
      };
    case "input.bad-timeout":
      return {
        message: `${name(problem.file)}: its timeout is not a duration.`,
        hint: 'Write it as "5m0s", or give --timeout.',
      };
    case "journal.other-input":
      return {
        message: `${problem.journal}: belongs to a different input than ${name(problem.file)}, or the file has changed since.`,
        hint: `Name the right file, or start again with --restart${FORGETTING}.`,
      };
    case "journal.other-target":
      return {
        message: `${problem.journal}: belongs to a different target than ${problem.host}.`,
        hint: `Name the right target, or start again with --restart${FORGETTING}.`,
      };
    case "journal.other-settings":
      return {
        message: `${problem.journal}: belongs to a run that sent the same file in another way (--via, --no-mail, --from, --org-map).`,
        hint: `Give the flags of that run, or start again with --restart${FORGETTING}.`,
      };
    case "journal.left-over":
      return {
        message: `${problem.journal}: an earlier run did not finish.`,
        hint: "Continue with --resume, or start again with --restart.",
      };
    case "journal.not-one":
      return {
        message: `${problem.journal}: not an orgferry journal; it was left unchanged.`,
        hint: "Choose another path with --journal.",
      };
    case "journal.broken":
      return {
        message: `${problem.journal}:${problem.line}: orgferry did not write this line like this, or a line before it is missing.`,
        hint: "Start again with --restart: users that are there already are counted as such (undo will know only whom that run created before this line).",
      };
    case "journal.other-version":
      return {
        message: `${problem.journal}: was written by another version of orgferry.`,
        hint: `Continue with that version, or start again with --restart: users that are there already are counted as such${FORGETTING}.`,
      };
    case "journal.link":
      return {
        message: `${problem.journal}: is a symbolic link, and a journal is never written through one.`,
        hint: "Name the file itself with --journal.",
      };
    case "journal.locked":
      return describeLocked(problem);
    case "state.not-one":
      return {
        message: `${problem.file} is not a state file of orgferry, and is not written over.`,
        hint: "Name another file with --state.",
      };
    default:
      return describeTalk(problem);
  }
}

function describeLocked({
  journal,
  lock,
  owner,
  isRunning,
}: Extract<Talking, { code: "journal.locked" }>): Description {
  const who = owner === undefined ? "" : `: process ${owner.pid} on ${owner.host}, since ${owner.since}`;
  return {
    message: `${journal}: another run is using it${who}.`,
    hint: isRunning
      ? "Wait until it has ended, or stop it."
      : `If it has ended, try again in two minutes, or remove ${lock}.`,
  };
}

function describeTalk(problem: ServiceProblem): Description {
  switch (problem.code) {
    case "auth.no-token":
      return {
        message: `no token for ${peers[problem.side].who}.`,
        hint: `Set ${peers[problem.side].token} (or ${peers[problem.side].client}_ID and _SECRET), or name a file that holds it with ${problem.flag}.`,
      };
    case "auth.bad-token":
      return {
        message: `${peers[problem.side].token} contains more than a token: a line break, a space or another character that no token has.`,
        hint: "Set it to the token and nothing else.",
      };
    case "auth.refused":
      return {
        message: `${problem.host} does not accept the token${quoted(problem.message)}.`,
        hint: "Has it expired, and does it belong to this instance?",
      };
    case "auth.forbidden":
      return {
        message: `${problem.host}: the token lacks the right to do this${quoted(problem.message)}.`,
        hint: `Its service user must be a manager of the instance (default settings) with the role ${problem.role}.`,
      };
    case "auth.no-grant":
      return {
        message: `${problem.host} issued no token for the client credentials${quoted(problem.error)}.`,
        hint: "Check client id and secret, and that the service user's access token type is Bearer.",
      };
    case "api.not-an-instance":
      return {
        message: `${problem.host} does not know the administration API (404).`,
        hint: "Is it the address of an instance, without /ui or /admin in its path?",
      };
    case "api.redirected":
      return {
        message: `${problem.host} redirects${problem.location === "" ? "" : ` to ${problem.location}`}; a token is never sent on to another address.`,
        hint: "Give the address it redirects to, if it is the right one.",
      };
    case "api.rejected":
      return { message: `${problem.host} refused the call (${problem.status})${quoted(problem.message)}.` };
    case "api.too-large":
      return {
        message: `${problem.host} refuses a call of ${bytes(problem.sentBytes)} as too large, and it cannot be made smaller.`,
        hint: "The service takes 4 MiB per call; is one user or object that large? A proxy may allow less.",
      };
    case "api.not-json":
      return {
        message: `${problem.host} answered ${problem.status} with ${problem.html ? "a web page" : "something that is not JSON"}.`,
        hint: "Is there a proxy or a login page in front of the instance?",
      };
    case "api.unexpected":
      return { message: `${problem.host} gave an unexpected answer: ${problem.what}.` };
    case "api.export-too-large":
      return {
        message: `${problem.host}: the export is larger than the service can hand over in one answer of the documented call.`,
        hint: "Let it come over gRPC-Web (--transport auto, and no proxy in between that stops it), or export fewer organizations at a time with --org-id.",
      };
    case "api.nothing-done":
      return {
        message: `${problem.host} answered {} to a call with users, which does not show that any was imported.`,
        hint: "Is there an instance of a supported version behind this address?",
      };
    case "api.org-missing":
      return {
        message: `${problem.host} does not export ${listOf(problem.orgIds)}: there is no such organization, or the token may not see it.`,
        hint: "Check --org-id; nothing was written.",
      };
    case "api.org-not-requested":
      return {
        message: `${problem.host} answered with ${listOf(problem.orgIds)}, which ${problem.orgIds.length === 1 ? "was" : "were"} not requested: nothing was sent or written.`,
        hint: "Is there a proxy in front of the instance that changes requests? To get every organization, leave out --org-id.",
      };
    case "api.no-users-api":
      return {
        message: `${problem.host}: ${usersApiAbsences[problem.why]}, and only that removes users.`,
        hint: "Is it a ZITADEL of version 2.62 or later, and has the token's service user the role IAM_OWNER?",
      };
    case "api.no-orgs":
      return {
        message: `${problem.host} exports no organization at all.`,
        hint: "Check the flags and the token's role.",
      };
    case "api.cannot-update":
      return {
        message: `${problem.host} ${lacks[problem.lacks]}: nothing was done.`,
        hint: "Without --update, users who are there are left as they are.",
      };
    case "api.would-mail":
      return {
        message: `with --no-mail: ${counted(problem.users, "password")} would be changed, and ${problem.host} tells the owner of each by mail. Nothing was done.`,
        hint: "Switch the notification of a password change off on the target (its notification settings), or leave out --no-mail.",
      };
    case "api.no-mail-impossible":
      return {
        message: `--no-mail needs the users API of ${problem.host}, and ${usersApiAbsences[problem.why]}. No user was created another way.`,
        hint: "Through the import endpoint some of these users would get an e-mail or an SMS. Check that the token's service user has the role IAM_OWNER and that no proxy stops /v2/users, then run again.",
      };
    case "api.cannot-exclude":
      return {
        message: `${problem.host} does not list its organizations (${problem.why}), and asking it to leave one out can end a 4.x service's process: nothing was asked for.`,
        hint: "Name each wanted organization with --org-id.",
      };
    case "api.no-grpc-web":
      return {
        message: `${problem.host} does not speak gRPC-Web.`,
        hint: "Is there a proxy in front of it that lets the documented calls through alone? Use --transport rest.",
      };
    case "api.events-stuck":
      return {
        message: `${problem.host} answers each question for further events with the same ones: they cannot be read to their end.`,
        hint: "Is there an instance of a supported version behind this address?",
      };
    case "api.answer-too-large":
      return {
        message: `${problem.host} answered with more than ${bytes(problem.limitBytes)}, which no answer to this call has.`,
        hint: "Is there an instance of a supported version behind this address?",
      };
    default:
      return describeNetwork(problem);
  }
}

/** How each of them is named: to people, by a flag, and by variables of the environment. */
const peers: Readonly<Record<Peer, Readonly<Record<"who" | "flag" | "address" | "token" | "client", string>>>> = {
  source: {
    who: "the source instance",
    flag: "--source <url>",
    address: "ZITADEL_EXPORT_DOMAIN",
    token: "PAT_EXPORT_TOKEN",
    client: "ORGFERRY_EXPORT_CLIENT",
  },
  target: {
    who: "the target instance",
    flag: "--target <url>",
    address: "ZITADEL_IMPORT_DOMAIN",
    token: "PAT_IMPORT_TOKEN",
    client: "ORGFERRY_IMPORT_CLIENT",
  },
  auth0: {
    who: "the Auth0 tenant",
    flag: "--domain <tenant>.<region>.auth0.com",
    address: "AUTH0_DOMAIN",
    token: "AUTH0_TOKEN",
    client: "AUTH0_CLIENT",
  },
};

function name(file: string): string {
  return file === "-" ? "stdin" : file;
}

function quoted(message: string): string {
  return message === "" ? "" : `: "${message}"`;
}

/** `organization 1`, `organizations 1, 2 and 5 more`. */
function listOf(orgIds: readonly string[]): string {
  const named = orgIds.slice(0, NAMED_ORGS).map(shown).join(", ");
  const rest = orgIds.length > NAMED_ORGS ? ` and ${orgIds.length - NAMED_ORGS} more` : "";
  return `${orgIds.length === 1 ? "organization" : "organizations"} ${named}${rest}`;
}

const NAMED_ORGS = 10;

const addressFaults: Readonly<Record<AddressFault, string>> = {
  "not-an-address": "is not an address such as https://example.zitadel.cloud.",
  scheme: "must begin with https:// (or http:// for a loopback address).",
  credentials: "must not contain a user name or password; tokens come from a file or the environment.",
  query: "must not contain a query or a fragment.",
  "plain-http": "is plain http, which would send the token unencrypted. Use https, or --insecure-http if you must.",
};

const usersApiAbsences: Readonly<Record<"missing" | "forbidden" | "nonsense", string>> = {
  missing: "the instance has no users API",
  forbidden: "the token may not use the users API",
  nonsense: "the users API answers nothing sensible",
};
