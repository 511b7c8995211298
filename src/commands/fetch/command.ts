import { parseAddress } from "../../admin/address.ts";
import { createManagementApi, type ManagementApi } from "../../admin/auth0/management-api.ts";
import { createRedactor } from "../../admin/secret.ts";
import type { Context } from "../../context.ts";
import { copyOut, toFile, toSpool } from "../../jobs/export/sinks.ts";
import { chooseConnections } from "../../jobs/fetch/choose-connections.ts";
import { fetchMemberships } from "../../jobs/fetch/fetch-memberships.ts";
import { type Fetched, fetchUsers } from "../../jobs/fetch/fetch-users.ts";
import { JobFile } from "../../jobs/fetch/job-file.ts";
import { MembershipFile, type Row } from "../../jobs/fetch/membership-file.ts";
import { createRetry } from "../../jobs/shared/asking.ts";
import { bytes, counted } from "../../problem/format.ts";
import { type ExitCode, exitCodes, ProblemError } from "../../problem.ts";
import type { Ui } from "../../ui/ui.ts";
import type { CommandWorld } from "../shared/command-entry.ts";
import { readCredentialsOf } from "../shared/connect.ts";
import { refuseBoth } from "../shared/output-guard.ts";
import { runCommand, type Voice } from "../shared/run-command.ts";
import type { FetchOptions } from "./declare.ts";

const DEFAULT_OUTPUT = "./users.ndjson";

/** `fetch auth0`: requests an export of a tenant's users from Auth0 and writes it to a file or to stdout. */
export async function fetchAuth0(options: FetchOptions, { context }: CommandWorld): Promise<ExitCode> {
  const { output = DEFAULT_OUTPUT, tokenFile } = options;
  const jobFile = options.jobFile ?? (output === "-" ? undefined : `${output}.job.json`);
  const tables = tablesOf(options);
  const outputs = [
    { flag: "--output", path: output, kind: "users" as const },
    { flag: "--job-file", path: jobFile },
    { flag: "--organizations", path: tables.org, kind: "table" as const },
    { flag: "--roles", path: tables.role, kind: "table" as const },
  ];
  const paths = { inputs: [tokenFile], outputs };
  return runCommand({ name: "fetch auth0", context, options, paths }, async (ui, report, own) => {
    if (options.json && output === "-") refuseBoth("--json", "--output -");
    const api = own(await connectToTenant(options, context, ui));
    report.set({ domain: api.address.host });
    await fetchTables(tables, { api, options, context, ui, report });
    const fetched = await fetchTo(output, jobFile, { api, options, context, ui, report });
    report.set({ ...fetched, output });
    sayFetched(fetched, output, ui);
    return exitCodes.done;
  });
}

/** The files for memberships; undefined: not wanted. */
type Tables = Readonly<Record<Row[0], string | undefined>>;

function tablesOf({ organizations, roles }: FetchOptions): Tables {
  const pathOf = (given: string | true | undefined, usual: string) => (given === true ? usual : given);
  return { org: pathOf(organizations, "./organizations.csv"), role: pathOf(roles, "./roles.csv") };
}

/** Fetches memberships, and writes their tables. What was fetched is kept until all tables are written. */
async function fetchTables({ org, role }: Tables, { api, context, ui, report }: Run): Promise<void> {
  const first = org ?? role;
  if (first === undefined) return;
  const file = await MembershipFile.open(`${first}.partial.json`, api.address.origin, context);
  const call = { api, ui, context, retry: createRetry(ui, context) };
  await fetchMemberships(call, file, { organizations: org !== undefined, roles: role !== undefined });
  const write = async (kind: Row[0], path: string | undefined): Promise<number | undefined> => {
    if (path === undefined) return undefined;
    const rows = await file.writeTable(kind, path);
    ui.say(`wrote ${path}: ${counted(rows, kind === "org" ? "membership" : "role assignment")}`);
    return rows;
  };
  report.set({ memberships: await write("org", org), roleAssignments: await write("role", role) });
  file.remove();
}

interface Run extends Voice {
  readonly api: ManagementApi;
  readonly options: FetchOptions;
}

/** The reader of a pipe gets all users or none: a pipe cannot take data back. */
async function fetchTo(
  path: string,
  jobFile: string | undefined,
  { api, options, context, ui, report }: Run,
): Promise<Fetched> {
  const retry = createRetry(ui, context);
  const call = { api, ui, context, retry };
  const connections = await chooseConnections(call, options.connection);
  const wanted = { origin: api.address.origin, fields: options.fields, connections };
  const jobs = jobFile === undefined ? JobFile.none(wanted) : await JobFile.open(jobFile, wanted, context);
  report.set({ jobs: jobs.jobs });
  if (path === "-") {
    const { fetched, sink } = await fetchUsers(call, jobs, () => toSpool(context));
    const document = sink.finish("-");
    try {
      await copyOut(document, context);
    } finally {
      await document.close();
    }
    jobs.remove();
    return fetched;
  }
  const { fetched, sink } = await fetchUsers(call, jobs, () => toFile(path, context, ui));
  try {
    await sink.commit();
  } finally {
    await sink.discard();
  }
  jobs.remove();
  return fetched;
}

function sayFetched({ users, bytes: size, connections }: Fetched, output: string, ui: Ui): void {
  const of = connections.length > 1 ? ` of ${connections.length} connections` : "";
  ui.say(`${output === "-" ? "fetched" : `wrote ${output}:`} ${counted(users, "user")}${of}, ${bytes(size)}`);
}

/** Raises usage.no-address, usage.bad-address, auth.no-token, auth.bad-token, input.missing, input.unreadable, input.bad-token. */
async function connectToTenant(options: FetchOptions, context: Context, ui: Ui): Promise<ManagementApi> {
  const { insecureHttp, tokenFile } = options;
  const domain = options.domain ?? (context.env["AUTH0_DOMAIN"] || undefined);
  if (domain === undefined) throw new ProblemError({ code: "usage.no-address", side: "auth0" });
  const address = parseAddress(domain, "auth0", insecureHttp);
  const variables = { token: "AUTH0_TOKEN", client: "AUTH0_CLIENT" };
  return createManagementApi({
    address,
    credentials: await readCredentialsOf("auth0", variables, { tokenFile }, context, ui),
    redactor: createRedactor(),
    env: context.env,
    insecureHttp,
    now: context.now,
    log: ui.detail,
  });
}
