import { endpoints } from "../contract/endpoints.ts";
import {
  AnyObject,
  type ListPage,
  ListPage as ListPageSchema,
  OneObject,
  type SettingsAnswer,
} from "../contract/orgs.ts";
import { ProblemError } from "../problem.ts";
import { type AdminApi, readJson, VIEWER } from "./client.ts";
import { type RetryContext, withRetry } from "./with-retry.ts";

/** An object of a list, by the names of its message. */
export type ListedObject = ListPage["result"][number];

/** Reads the lists and settings of one organization (service behaviour 0.61). Raises auth.*, api.*, net.*. */
export interface OrgReader {
  /** All objects of a list; the path is that of its search. */
  list(path: string): Promise<readonly ListedObject[]>;
  /** A policy, a flow or custom texts; undefined if the answer has none. */
  one(path: string): Promise<ListedObject | undefined>;
}

const PAGE = 1_000;

export function createOrgReader(api: AdminApi, orgId: string, retry: RetryContext, signal: AbortSignal): OrgReader {
  return {
    list: (path) => readList((query) => page(path, query)),
    async one(path) {
      const ask = () => api.request({ method: "GET", path, body: Buffer.alloc(0), orgId, role: VIEWER }, signal);
      const { policy, flow, customText } = await withRetry(
        async () => readJson(await ask(), OneObject, "a setting of an unknown shape"),
        retry,
        signal,
      );
      return policy ?? flow ?? customText;
    },
  };

  function page(path: string, query: object): Promise<ListPage> {
    return withRetry(() => readPage(api, { path, orgId }, query, signal), retry, signal);
  }
}

/** A user's roles in a project, given by an organization. */
export interface ListedGrant {
  readonly orgId: string;
  /** undefined: any user. */
  readonly userId?: string;
  readonly projectId: string;
}

/** True if the service lists the grant (service behaviour 9.44). Raises as the reader. */
export async function listsGrant(
  api: Pick<AdminApi, "request">,
  { orgId, userId, projectId }: ListedGrant,
  retry: RetryContext,
  signal: AbortSignal,
): Promise<boolean> {
  const call = { path: endpoints.userGrants.path, orgId };
  const ofUser = userId === undefined ? [] : [{ userIdQuery: { userId } }];
  const queries = [...ofUser, { projectIdQuery: { projectId } }];
  const { result } = await withRetry(() => readPage(api, call, { limit: 1 }, signal, queries), retry, signal);
  return result.length > 0;
}

/** The ids of the users with a role on the instance, such as administrators (service behaviour 0.66). Raises as the reader. */
export async function listInstanceMembers(
  api: Pick<AdminApi, "request">,
  retry: RetryContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { path } = endpoints.instanceMembers;
  const members = await readList((query) => withRetry(() => readPage(api, { path }, query, signal), retry, signal));
  return members.map(({ userId }) => String(userId ?? ""));
}

/** A call that answers with settings. */
export interface SettingsCall {
  readonly path: string;
  /** The form of a list: the older API pages by `query`, the newer one by `pagination`. Without one, the answer is one object. */
  readonly list?: { readonly paging: "query" | "pagination"; readonly member: string };
}

/** All settings of a call, of the instance or of one organization. Raises as the reader. */
export async function readSettings(
  call: SettingsCall,
  {
    api,
    retry,
    signal,
  }: { readonly api: Pick<AdminApi, "request">; readonly retry: RetryContext; readonly signal: AbortSignal },
  orgId?: string,
): Promise<SettingsAnswer> {
  const { path, list } = call;
  const owner = orgId === undefined ? {} : { orgId };
  const ask = (body: Buffer): Promise<Record<string, unknown>> =>
    withRetry(
      async () =>
        readJson(
          await api.request(
            { ...(list === undefined ? { method: "GET" } : {}), path, body, ...owner, role: VIEWER },
            signal,
          ),
          AnyObject,
          "settings of an unknown shape",
        ),
      retry,
      signal,
    );
  if (list === undefined) return { object: await ask(Buffer.alloc(0)) };
  const items = await readList(async ({ offset, limit, asc }) => {
    const page =
      list.paging === "query" ? { query: { offset, limit, asc } } : { pagination: { offset, limit: 100, asc } };
    const answer = await ask(Buffer.from(JSON.stringify(page)));
    return ListPageSchema.parse({ details: answer["details"] ?? answer["pagination"], result: answer[list.member] });
  });
  return { items };
}

async function readPage(
  api: Pick<AdminApi, "request">,
  call: { readonly path: string; readonly orgId?: string },
  query: object,
  signal: AbortSignal,
  queries?: readonly object[],
): Promise<ListPage> {
  const body = Buffer.from(JSON.stringify({ query, queries }));
  return readJson(
    await api.request({ ...call, body, role: VIEWER }, signal),
    ListPageSchema,
    "a list of an unknown shape",
  );
}

/** Reads page by page, and smaller pages after one that was too large for the service (service behaviour 0.19). */
async function readList(
  page: (query: { offset: string; limit: number; asc: boolean }) => Promise<ListPage>,
): Promise<readonly ListedObject[]> {
  const found: ListedObject[] = [];
  for (let limit = PAGE; ; ) {
    try {
      const { details, result } = await page({ offset: String(found.length), limit, asc: true });
      found.push(...result);
      if (result.length === 0 || found.length >= details.totalResult) return found;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.problem.code !== "api.too-large" || limit === 1) throw error;
      limit = Math.ceil(limit / 2);
    }
  }
}
