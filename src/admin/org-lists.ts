import { endpoints } from "../contract/endpoints.ts";
import { type ListPage, ListPage as ListPageSchema, OneObject } from "../contract/orgs.ts";
import { ProblemError } from "../problem.ts";
import { type AdminApi, readJson } from "./client.ts";
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
const ROLE = "IAM_OWNER_VIEWER (or IAM_OWNER)";

export function createOrgReader(api: AdminApi, orgId: string, retry: RetryContext, signal: AbortSignal): OrgReader {
  return {
    list: (path) => readList((query) => page(path, query)),
    async one(path) {
      const ask = () => api.request({ method: "GET", path, body: Buffer.alloc(0), orgId, role: ROLE }, signal);
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

async function readPage(
  api: Pick<AdminApi, "request">,
  call: { readonly path: string; readonly orgId?: string },
  query: object,
  signal: AbortSignal,
): Promise<ListPage> {
  const body = Buffer.from(JSON.stringify({ query }));
  return readJson(
    await api.request({ ...call, body, role: ROLE }, signal),
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
