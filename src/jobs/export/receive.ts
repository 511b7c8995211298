import { createHash } from "node:crypto";
import type { Answer } from "../../admin/call.ts";
import { notJson } from "../../admin/client.ts";
import type { Context } from "../../context.ts";
import { createBodyScanner } from "../../core/document/body-scan.ts";
import { elementId } from "../../core/document/org-sections.ts";
import { NO_COUNTS, type ScanCounts } from "../../core/document/scan-totals.ts";
import type { BodyScan } from "../../core/document/scan-types.ts";
import { LOOSEST } from "../../core/rules/email.ts";
import { IdTable } from "../../core/tables/id-table.ts";
import type { Sink } from "../../io/output/sink.ts";
import { ProblemError } from "../../problem.ts";

/** The content of a received export. */
export interface Received {
  readonly counts: ScanCounts;
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
  /** Members, fields and states of users that orgferry does not know, by their cleaned names: they are written unchanged. */
  readonly unknown: Pick<BodyScan, "unknownMembers" | "unknownStates">;
  readonly held: Held;
}

/** The lists of an export besides users whose ids are kept. */
type HeldList = "userMetadata" | "userGrants" | "projects";

/** The organizations, users, metadata, role grants and projects of an export. */
export interface Held {
  /** In the order of the export. */
  readonly orgIds: readonly string[];
  hasOrg(orgId: string): boolean;
  /** Human or machine. */
  hasUser(orgId: string, userId: string): boolean;
  /** @param id `<user>_<key>` of metadata, `<project>_<user>` of a role grant. */
  hasElement(orgId: string, section: HeldList, id: string): boolean;
}

/** How an answer is received. */
interface Reception {
  readonly context: Pick<Context, "signal">;
  /** Called with the number of bytes so far. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Writes an export to a sink in one pass, with some bytes of memory per user, metadata entry and role grant, and checks that it is one complete JSON document. Drops a
 * byte order mark. Raises api.*, net.*, output.full.
 */
export async function receive(answer: Answer, sink: Sink, { context, onBytes }: Reception): Promise<Received> {
  const ids = new IdTable();
  const onUser = (userId: string, org: number): void => ids.set(`${org} ${userId}`, 0);
  const elements = new IdTable();
  const onElement = (section: string, element: unknown, org: number): void => {
    const id = elementId(section, element);
    if (id === undefined) return;
    if (section === "machineUsers") onUser(id, org);
    else if (HELD_LISTS.has(section)) elements.set(heldKey(section, org, id), 0);
  };
  const readers = { onFault() {}, onUser, onElement };
  // A user whose entry has a fault counts as one without a hash.
  const scanner = createBodyScanner({ file: answer.host, addresses: LOOSEST, ...readers });
  const hash = createHash("sha256");
  let size = 0;
  let beginning = "";
  try {
    for await (const chunk of withoutMark(answer.bytes())) {
      context.signal.throwIfAborted();
      if (beginning.length < 200) beginning += chunk.toString("latin1", 0, 200);
      hash.update(chunk);
      scanner.push(chunk);
      await sink.write(chunk);
      size += chunk.length;
      onBytes(size);
    }
    const sha256 = hash.digest("hex");
    // Without organizations the service omits the empty list.
    if (size < 200 && /^\s*\{\s*\}\s*$/.test(beginning)) {
      return { counts: NO_COUNTS, bytes: size, sha256, unknown: NOTHING_UNKNOWN, held: HELD_NOTHING };
    }
    const { counts, orgs, unknownMembers, unknownStates } = scanner.end();
    const unknown = {
      unknownMembers: unknownMembers.map((name) => answer.clean(name)),
      unknownStates: new Map([...unknownStates].map(([state, users]) => [answer.clean(state), users])),
    };
    const indexes = new Map(orgs.map(({ orgId }, index) => [orgId, index]));
    const held: Held = {
      orgIds: [...indexes.keys()],
      hasOrg: (orgId) => indexes.has(orgId),
      hasUser: (orgId, userId) => ids.get(`${indexes.get(orgId)} ${userId}`) !== undefined,
      hasElement: (orgId, section, id) => elements.get(heldKey(section, indexes.get(orgId), id)) !== undefined,
    };
    return { counts, bytes: size, sha256, unknown, held };
  } catch (error) {
    throw asAnswerProblem(error, answer, beginning);
  }
}

const NOTHING_UNKNOWN: Received["unknown"] = { unknownMembers: [], unknownStates: new Map() };
const HELD_NOTHING: Held = { orgIds: [], hasOrg: () => false, hasUser: () => false, hasElement: () => false };

const HELD_LISTS: ReadonlySet<string> = new Set(["userMetadata", "userGrants", "projects"] satisfies HeldList[]);

function heldKey(section: string, org: number | undefined, id: string): string {
  return `${org} ${section} ${id}`;
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Drops a byte order mark, which some proxies add. */
async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < MARK.length) continue;
    yield head.subarray(0, MARK.length).equals(MARK) ? head.subarray(MARK.length) : head;
    head = undefined;
  }
  if (head !== undefined) yield head;
}

/** Converts a problem of a file to the problem of an answer. */
function asAnswerProblem(error: unknown, answer: Answer, beginning: string): unknown {
  if (!(error instanceof ProblemError) || !error.problem.code.startsWith("input.")) return error;
  const { host } = answer;
  if (error.problem.code === "input.unclosed" && beginning.trim() !== "")
    return new ProblemError({ code: "net.cut-off", host });
  if (error.problem.code === "input.malformed" || error.problem.code === "input.unclosed")
    return notJson(answer, beginning);
  return new ProblemError({ code: "api.unexpected", host, what: "JSON that is not an export" }, { cause: error });
}
