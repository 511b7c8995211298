import { type ProblemTable, quoted, say } from "./description.ts";
import type { OfFile, OfHost, WithMessage } from "./facts.ts";
import { shown } from "./format.ts";

interface OfJob extends OfHost {
  readonly jobId: string;
}

interface NoConnection extends OfHost {
  readonly name: string;
  readonly names: readonly string[];
}

/** The number of connections that are named. */
const NAMED_CONNECTIONS = 20;

/** What ends a fetch from Auth0. */
export const auth0Problems = {
  "auth.tenant-refused": ({ host, message }: WithMessage) =>
    say(
      `${host} does not accept the token${quoted(message)}.`,
      "A token of the Management API is valid for 24 hours and for its own tenant only. A running export job continues: run the same command with a new token to continue.",
    ),
  "auth.no-scope": ({ host, message, scope }: WithMessage & { readonly scope: string }) =>
    say(
      `${host}: the token lacks a permission${quoted(message)}.`,
      `It needs the scope ${scope}, and a plan with user exports (the free plan has none).`,
    ),
  "auth.tenant-no-grant": ({ host, error }: OfHost & { readonly error: string }) =>
    say(
      `${host} issued no token for the client credentials${quoted(error)}.`,
      "Check AUTH0_CLIENT_ID and AUTH0_CLIENT_SECRET, and that the application is authorized for the Management API (machine to machine).",
    ),
  "api.not-a-tenant": ({ host }: OfHost) =>
    say(
      `${host} has no Management API of Auth0 (404).`,
      "Is it the tenant's own domain, for example acme.eu.auth0.com?",
    ),
  "api.no-connection": ({ host, name, names }: NoConnection) => {
    const rest = names.length - NAMED_CONNECTIONS;
    const listed = names.slice(0, NAMED_CONNECTIONS).map(shown).join(", ");
    return say(
      `${host} has no connection ${shown(name)}.`,
      `The tenant has: ${listed}${rest > 0 ? `, and ${rest} more` : ""}.`,
    );
  },
  "api.job-failed": ({ host, jobId, message }: OfJob & WithMessage) =>
    say(
      `${host}: the export job ${shown(jobId)} failed${quoted(message)}.`,
      "Run the same command again to start a new one.",
    ),
  "net.job-pending": ({ host, jobId }: OfJob) =>
    say(
      `${host}: the export job ${shown(jobId)} made no progress for an hour.`,
      "Run the same command later: it continues the same export.",
    ),
  "api.job-gone": ({ host, jobId }: OfJob) =>
    say(
      `${host}: the export job ${shown(jobId)} no longer exists.`,
      "Auth0 deletes an export after 24 hours. Run the same command again to start a new one.",
    ),
  "api.link-refused": ({ host, status }: OfHost & { readonly status: number }) =>
    say(
      `${host} refuses the download of the export (${status}), although its link was new each time.`,
      "A link is valid for 60 seconds: is the clock of a proxy wrong, or does a proxy change addresses? Run the same command to continue.",
    ),
  "api.download-damaged": ({ host, why }: OfHost & { readonly why: keyof typeof damages }) =>
    say(`${host}: ${damages[why]}; nothing was written.`, "Run the same command again."),
  "input.not-jobs": ({ file }: OfFile) =>
    say(
      `${file}: not the job file of an interrupted fetch.`,
      "Remove it to start a new export, or name another file with --job-file.",
    ),
  "input.other-jobs": ({ file, what }: OfFile & { readonly what: "tenant" | "fields" | "connections" }) =>
    say(
      `${file}: belongs to an export with ${what === "tenant" ? "another tenant" : `other ${what}`}.`,
      "Run the command that started that export, or remove the file to start a new one.",
    ),
} satisfies ProblemTable;

const damages = {
  gzip: "the file of the export is damaged and cannot be unpacked",
  "not-users": "the file of the export does not contain one object per line",
  error: "the file of the export contains an error in place of users",
  "cut-line": "a line of the file of the export is not a whole object",
} as const;
