import type { UserExportRequest } from "../../contract/auth0.ts";
import {
  Auth0Token,
  auth0Limits,
  auth0Paths,
  auth0Scopes,
  type Connection,
  Connections,
  Job,
} from "../../contract/auth0.ts";
import { ProblemError } from "../../problem.ts";
import type { InstanceAddress } from "../address.ts";
import { type Answer, type Call, createCall } from "../call.ts";
import { readJson } from "../client.ts";
import {
  type ClientCredentials,
  type Credentials,
  type GrantedToken,
  grantedToken,
  tokenSourceOf,
  withToken,
} from "../credentials.ts";
import { connect } from "../http/connection.ts";
import type { Redactor } from "../secret.ts";
import { type DownloadSettings, download } from "./download.ts";
import { auth0Refusal } from "./refusal.ts";

/** The calls of Auth0's Management API that fetch users. Every failure is raised as a problem (auth0/refusal.ts). */
export interface ManagementApi {
  readonly address: InstanceAddress;
  readonly redactor: Redactor;
  /** All connections of the tenant. Needs read:connections. */
  connections(signal: AbortSignal): Promise<readonly Connection[]>;
  /** Requests an export. The job continues without further calls. Needs read:users. */
  startExport(request: UserExportRequest, signal: AbortSignal): Promise<Job>;
  /** The progress of a job, and a new link once it is completed. Raises api.job-gone. */
  showJob(id: string, signal: AbortSignal): Promise<Job>;
  /** Downloads the file of a link, without the token. Raises api.link-refused. */
  download(location: string, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

export interface ManagementSettings extends DownloadSettings {
  readonly credentials: Credentials;
}

/** No tenant has so many. A list that goes on is one of a broken service. */
const MAX_CONNECTIONS = 10_000;
const CALL_MS = 60_000;
const NO_BODY = Buffer.alloc(0);

export function createManagementApi(settings: ManagementSettings): ManagementApi {
  const { address, redactor } = settings;
  const connection = connect(address, settings.env);
  for (const secret of connection.secrets) redactor.add(secret);
  const call = createCall({ ...settings, dispatcher: connection.dispatcher, readRefusal: auth0Refusal });
  const trade = (client: ClientCredentials, signal: AbortSignal): Promise<GrantedToken> =>
    grant(client, { call, address }, signal);
  const tokens = tokenSourceOf(settings.credentials, redactor, trade);

  const send = (path: string, scope: string, signal: AbortSignal, body?: object): Promise<Answer> =>
    withToken(
      tokens,
      (authorization) =>
        call({
          ...(body === undefined ? { method: "GET" as const } : {}),
          path,
          headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
          body: body === undefined ? NO_BODY : Buffer.from(JSON.stringify(body)),
          limitMs: CALL_MS,
          role: scope,
          signal,
        }),
      signal,
    );

  return {
    address,
    redactor,
    async connections(signal) {
      const found: Connection[] = [];
      const seen = new Set<string>();
      const query = new URLSearchParams({ take: String(auth0Limits.connectionsPerPage), fields: "id,name,strategy" });
      for (;;) {
        const answer = await send(`${auth0Paths.connections}?${query}`, auth0Scopes.connections, signal);
        const page = await readJson(answer, Connections, "a list of connections of an unknown shape");
        found.push(...page.connections);
        if (!page.next || page.connections.length === 0) return found;
        if (seen.has(page.next) || found.length > MAX_CONNECTIONS) {
          throw new ProblemError({
            code: "api.unexpected",
            host: address.host,
            what: "a list of connections without an end",
          });
        }
        seen.add(page.next);
        query.set("from", page.next);
      }
    },
    async startExport(request, signal) {
      return readJson(await send(auth0Paths.userExports, auth0Scopes.users, signal, request), Job, NO_JOB);
    },
    async showJob(id, signal) {
      try {
        return await readJson(await send(auth0Paths.job(id), auth0Scopes.users, signal), Job, NO_JOB);
      } catch (error) {
        const isGone = error instanceof ProblemError && error.problem.code === "api.not-a-tenant";
        throw isGone
          ? new ProblemError({ code: "api.job-gone", host: address.host, jobId: id }, { cause: error })
          : error;
      }
    },
    download: (location, signal) => download(location, settings, signal),
    close: () => connection.close(),
  };
}

const NO_JOB = "a job of an unknown shape";

/** Exchanges client credentials for a token of the Management API, whose audience is the tenant's address. */
async function grant(
  { id, secret }: ClientCredentials,
  { call, address }: { readonly call: Call; readonly address: InstanceAddress },
  signal: AbortSignal,
): Promise<GrantedToken> {
  const request = {
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret.reveal(),
    audience: `${address.base}/api/v2/`,
  };
  try {
    const answer = await call({
      path: auth0Paths.token,
      headers: { "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(request)),
      limitMs: CALL_MS,
      role: "",
      signal,
    });
    const read = await readJson(answer, Auth0Token, "no token");
    return grantedToken(read.access_token, read.expires_in);
  } catch (error) {
    throw asNoGrant(error);
  }
}

/** Any refusal of the token endpoint means that the credentials are wrong. */
function asNoGrant(error: unknown): unknown {
  if (!(error instanceof ProblemError)) return error;
  const { problem } = error;
  if (problem.code !== "auth.tenant-refused" && problem.code !== "auth.no-scope" && problem.code !== "api.rejected") {
    return error;
  }
  return new ProblemError(
    { code: "auth.tenant-no-grant", host: problem.host, error: problem.message },
    { cause: error },
  );
}
