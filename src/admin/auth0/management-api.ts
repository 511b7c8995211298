import type * as z from "zod";
import type { UserExportRequest } from "../../contract/auth0.ts";
import {
  Auth0Member,
  Auth0Named,
  Auth0Token,
  auth0Limits,
  auth0Paths,
  auth0Scopes,
  Connection,
  Job,
  pageOf,
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
  /** All organizations. Needs read:organizations. */
  organizations(signal: AbortSignal): Promise<readonly Auth0Named[]>;
  /** All members of an organization, with their roles there. Needs read:organization_members, read:organization_member_roles. */
  members(id: string, signal: AbortSignal): Promise<readonly Auth0Member[]>;
  /** All roles of the tenant. Needs read:roles. */
  roles(signal: AbortSignal): Promise<readonly Auth0Named[]>;
  /** All users with a role. Needs read:roles, read:users. */
  roleUsers(id: string, signal: AbortSignal): Promise<readonly Auth0Member[]>;
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

/** A kind of list. */
interface ListOf<Element> {
  /** For messages. */
  readonly what: string;
  readonly scope: string;
  /** No tenant has so many elements. A list that continues belongs to a broken service. */
  readonly most: number;
  readonly page: z.ZodType<{ readonly elements: readonly Element[]; readonly next?: string | null | undefined }>;
}

function listOf<Element>(name: keyof typeof auth0Scopes, element: z.ZodType<Element>, most: number): ListOf<Element> {
  return { what: `a list of ${name}`, scope: auth0Scopes[name], most, page: pageOf(name, element) };
}

const CONNECTIONS = listOf("connections", Connection, 10_000);
const ORGANIZATIONS = listOf("organizations", Auth0Named, 3_000_000);
const MEMBERS = listOf("members", Auth0Member, 100_000_000);
const ROLES = listOf("roles", Auth0Named, 100_000);
const ROLE_USERS: ListOf<Auth0Member> = { ...MEMBERS, scope: auth0Scopes.roles, page: pageOf("users", Auth0Member) };

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

  /** All elements of a list in pages. Each page names the start of the next one. */
  const list = async <Element>(
    path: string,
    fields: Readonly<Record<string, string>>,
    { what, scope, most, page }: ListOf<Element>,
    signal: AbortSignal,
  ): Promise<readonly Element[]> => {
    const found: Element[] = [];
    const seen = new Set<string>();
    const query = new URLSearchParams({ take: String(auth0Limits.perPage), ...fields });
    for (;;) {
      const answer = await send(`${path}?${query}`, scope, signal);
      const { elements, next } = await readJson(answer, page, `${what} of an unknown shape`);
      for (const element of elements) found.push(element);
      if (!next || elements.length === 0) return found;
      if (seen.has(next) || found.length > most) {
        throw new ProblemError({ code: "api.unexpected", host: address.host, what: `${what} without an end` });
      }
      seen.add(next);
      query.set("from", next);
    }
  };

  return {
    address,
    redactor,
    connections: (signal) => list(auth0Paths.connections, { fields: "id,name,strategy" }, CONNECTIONS, signal),
    organizations: (signal) => list(auth0Paths.organizations, {}, ORGANIZATIONS, signal),
    members: (id, signal) => list(auth0Paths.members(id), { fields: "user_id,roles" }, MEMBERS, signal),
    async roles(signal) {
      const found: Auth0Named[] = [];
      const size = auth0Limits.perPage;
      const { what, scope, most, page } = ROLES;
      // Roles alone have pages by number (Auth0: GET /api/v2/roles).
      for (let number = 0; found.length <= most; number += 1) {
        const answer = await send(`${auth0Paths.roles}?per_page=${size}&page=${number}`, scope, signal);
        const { elements } = await readJson(answer, page, `${what} of an unknown shape`);
        found.push(...elements);
        if (elements.length < size) return found;
      }
      throw new ProblemError({ code: "api.unexpected", host: address.host, what: `${what} without an end` });
    },
    roleUsers: (id, signal) => list(auth0Paths.roleUsers(id), {}, ROLE_USERS, signal),
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
