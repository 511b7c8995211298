import { listEvents } from "../../../admin/events.ts";
import type { Item } from "../../../core/document/items.ts";
import { type Fields, fieldsOf, member, textMember } from "../../../core/json/members.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import {
  type BatchResult,
  type Counts,
  countOne,
  type Existing,
  type Failure,
} from "../../../core/transfer/answer/batch-result.ts";
import type { Cause } from "../../../core/transfer/answer/cause.ts";
import type { Batch } from "../../../core/transfer/batches.ts";
import { ProblemError } from "../../../problem.ts";
import { isNotTold } from "../../shared/not-offered.ts";
import type { SendContext } from "../ways/way.ts";

/** What the service says is there without saying whether it is the same one, and how to tell by the event of its making. */
interface Ambiguous {
  readonly event: string;
  /** Names one of them: by the element that was sent, and by the event. */
  readonly ofElement: (element: Fields) => string;
  readonly ofEvent: (aggregateId: string, payload: Fields) => string;
  readonly otherwise: Cause;
}

const ambiguous: Readonly<Record<string, Ambiguous>> = {
  // A project may be granted to an organization once; users' grants refer to the grant by its id.
  project_grant: {
    event: "project.grant.added",
    ofElement: (element) => {
      const grant = fieldsOf(member(element, "projectGrant"));
      return `${textMember(grant, "projectId")} ${textMember(element, "grantId")}`;
    },
    ofEvent: (projectId, payload) => `${projectId} ${textMember(payload, "grantId")}`,
    otherwise: "name-taken",
  },
  // An identity at a provider may be linked to one user.
  user_link: {
    event: "user.human.externalidp.added",
    ofElement: (element) => ["userId", "idpId", "providedUserId"].map((name) => textMember(element, name)).join(" "),
    ofEvent: (userId, payload) => `${userId} ${textMember(payload, "idpConfigId")} ${textMember(payload, "userId")}`,
    otherwise: "link-taken",
  },
};

/** What an organization of the target has had of such things, read when it is first asked for. */
export type KnownOnes = Map<string, Promise<IdTable | undefined>>;

/**
 * Of grants of projects and linked identities the service says that they are there also when it is another one that is in the way.
 * What the target's events know by its id is there; anything else is a failure. Where they do not tell, it stays as it was said.
 */
export async function othersInTheWay(
  result: BatchResult,
  { items }: Batch,
  context: SendContext,
  known: KnownOnes,
): Promise<BatchResult> {
  if (!result.existing.some(({ type }) => Object.hasOwn(ambiguous, type))) return result;
  const byPlace = new Map(items.map((item) => [item.index, item]));
  const others: Map<string, Counts> = new Map(result.others);
  const existing: Existing[] = [];
  const failures: Failure[] = [...result.failures];
  for (const one of result.existing) {
    const item = one.item === undefined ? undefined : byPlace.get(one.item);
    const kind = Object.hasOwn(ambiguous, one.type) ? ambiguous[one.type] : undefined;
    if (item === undefined || kind === undefined || (await isSame(item, kind, context, known))) existing.push(one);
    else {
      countOne(others, one.type, "failed");
      failures.push({ ...one, cause: kind.otherwise });
    }
  }
  return { ...result, existing, failures, others };
}

async function isSame(item: Item, kind: Ambiguous, context: SendContext, known: KnownOnes): Promise<boolean> {
  const orgId = context.scan.orgs[item.org]?.orgId ?? "";
  const key = `${kind.event} ${orgId}`;
  const reading = known.get(key) ?? readOnes(kind, orgId, context);
  known.set(key, reading);
  const ones = await reading;
  const name = kind.ofElement(fieldsOf(JSON.parse(item.bytes.toString())));
  return ones === undefined || ones.size === 0 || ones.get(name) !== undefined;
}

async function readOnes(
  { event, ofEvent }: Ambiguous,
  orgId: string,
  { api, retry, signal }: SendContext,
): Promise<IdTable | undefined> {
  const ones = new IdTable();
  try {
    for await (const { aggregate, payload } of listEvents(api, { eventTypes: [event], orgId }, retry, signal)) {
      ones.set(ofEvent(aggregate.id, fieldsOf(payload)), 0);
    }
    return ones;
  } catch (error) {
    if (error instanceof ProblemError && isNotTold(error.problem.code)) return undefined;
    throw error;
  }
}
