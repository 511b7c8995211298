import { shown } from "../problem/format.ts";
import type { FetchProblem, RunProblem } from "../problem.ts";
import type { Description } from "./description.ts";

const NAMED_CONNECTIONS = 20;

const codes: Readonly<Record<FetchProblem["code"], true>> = {
  "auth.tenant-refused": true,
  "auth.no-scope": true,
  "auth.tenant-no-grant": true,
  "api.not-a-tenant": true,
  "api.no-connection": true,
  "api.job-failed": true,
  "api.job-gone": true,
  "api.link-refused": true,
  "api.download-damaged": true,
  "input.not-jobs": true,
  "input.other-jobs": true,
};

/** True for a problem that `describeFetch` has the words for. */
export function isFetchProblem<P extends RunProblem>(problem: P): problem is Extract<P, FetchProblem> {
  return Object.hasOwn(codes, problem.code);
}

/** The prose of what stops a fetch from Auth0. */
export function describeFetch(problem: FetchProblem): Description {
  switch (problem.code) {
    case "auth.tenant-refused":
      return {
        message: `${problem.host} does not accept the token${quoted(problem.message)}.`,
        hint: "A token of the Management API is valid for 24 hours, and for its own tenant alone. A job that runs goes on; the same command continues it with a new token.",
      };
    case "auth.no-scope":
      return {
        message: `${problem.host}: the token may not do this${quoted(problem.message)}.`,
        hint: `It needs the scope ${problem.scope}, and a plan that has user exports (the free plan has not).`,
      };
    case "auth.tenant-no-grant":
      return {
        message: `${problem.host} issued no token for the client credentials${quoted(problem.error)}.`,
        hint: "Check AUTH0_CLIENT_ID and AUTH0_CLIENT_SECRET, and that the application is authorized for the Management API (machine to machine).",
      };
    case "api.not-a-tenant":
      return {
        message: `${problem.host} does not know Auth0's Management API (404).`,
        hint: "Is it the tenant's own domain, such as acme.eu.auth0.com?",
      };
    case "api.no-connection":
      return {
        message: `${problem.host} has no connection ${shown(problem.name)}.`,
        hint: `It has ${problem.names.slice(0, NAMED_CONNECTIONS).map(shown).join(", ")}${problem.names.length > NAMED_CONNECTIONS ? `, and ${problem.names.length - NAMED_CONNECTIONS} more` : ""}.`,
      };
    case "api.job-failed":
      return {
        message: `${problem.host}: the export ${shown(problem.jobId)} failed${quoted(problem.message)}.`,
        hint: "Run the same command again to ask for a new one.",
      };
    case "api.job-gone":
      return {
        message: `${problem.host} no longer knows the export ${shown(problem.jobId)}.`,
        hint: "Auth0 deletes everything of an export after 24 hours. Run the same command again to ask for a new one.",
      };
    case "api.link-refused":
      return {
        message: `${problem.host} does not give the file of the export (${problem.status}), though its link was fresh each time.`,
        hint: "A link is valid for 60 seconds: does the clock of a proxy stand wrong, or does it change addresses? The same command continues.",
      };
    case "api.download-damaged":
      return {
        message: `${problem.host}: ${damages[problem.why]}`,
        hint: "Run the same command again; nothing was written.",
      };
    case "input.not-jobs":
      return {
        message: `${problem.file}: not what a fetch that was interrupted leaves behind.`,
        hint: "Remove it to ask for a new export, or name another file with --job-file.",
      };
    case "input.other-jobs":
      return {
        message: `${problem.file}: the exports that it continues are of ${others[problem.what]}.`,
        hint: "Run the command that began them, or remove the file to ask for new ones.",
      };
    default:
      return problem satisfies never;
  }
}

const damages = {
  gzip: "the file of the export is damaged: it cannot be unpacked.",
  changed: "the file of the export was another one when the download went on.",
  "not-users": "the file of the export holds no objects, one a line.",
} as const;

const others = { tenant: "another tenant", fields: "other fields", connections: "other connections" } as const;

function quoted(message: string): string {
  return message === "" ? "" : `: "${message}"`;
}
