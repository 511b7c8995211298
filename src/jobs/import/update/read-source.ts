import type { AdminApi } from "../../../admin/client.ts";
import { listEvents } from "../../../admin/events.ts";
import type { ServiceEvent } from "../../../contract/events.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { Digest } from "../../../core/events/digest.ts";
import type { InstanceLog } from "../../../core/events/instance-log.ts";
import { OTP_REMOVED, OTP_VERIFIED } from "../../../core/events/user-change.ts";
import { creationEvents, isCreation, userKey } from "../../../core/events/user-life.ts";
import { fieldsOf, textMember } from "../../../core/json/members.ts";
import { isLater } from "../../../core/rules/moment.ts";
import { ProblemError } from "../../../problem.ts";
import { askingOf } from "../../shared/asking.ts";
import { notOffered } from "../../shared/not-offered.ts";
import { readLog } from "../../shared/read-log.ts";
import { type CreatedAt, namesOf, openCreatedAt, readRemovals } from "../../shared/user-life.ts";
import type { ImportRun } from "../import-run.ts";
import { type AskSourceLacks, createSourceLacks } from "./source-values.ts";

/** Facts that are in the event log of the source and in no export. Organizations by their ids on the target. */
export interface SourceFacts {
  /** Users who were removed, by organization of the input; some may exist again. */
  readonly removed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Ids of users who were removed from any organization of the source: one that exists again may be another person's. */
  readonly removedIds: ReadonlySet<string>;
  /** Of users of `removedIds`: when the source's user was last created. */
  readonly createdAt: CreatedAt;
  /**
   * True if the target's user was at no time the source's: the two logs have no user name, e-mail address or hash in common. False if one of
   * the logs does not have the user; undefined for a file. Raises what reading events raises.
   */
  readonly isStranger: ((userId: string) => Promise<boolean>) | undefined;
  /**
   * True if the user has set up one-time codes at the source after the target's user got some: these are of the former key. undefined for a
   * file. Raises what reading events raises.
   */
  readonly hasNewOtp: ((orgId: string, userId: string) => Promise<boolean>) | undefined;
  /**
   * True if one-time codes of the user were removed at the source, and those of the target are not the user's own: the account that created
   * the user there set them, also another one than that of this run. undefined for a file. Raises what reading events raises.
   */
  readonly hasLostOtp: ((orgId: string, userId: string) => Promise<boolean>) | undefined;
  /** The password that was last set, if a sign-in has replaced its hash since. */
  givenHash(orgId: string, userId: string): Digest | undefined;
  /** What a user of the source does not have; undefined for a file, which has no log. */
  readonly lacks: AskSourceLacks | undefined;
}

export const NO_FACTS: SourceFacts = {
  removed: new Map(),
  removedIds: new Set(),
  createdAt: async () => undefined,
  isStranger: undefined,
  hasNewOtp: undefined,
  hasLostOtp: undefined,
  givenHash: () => undefined,
  lacks: undefined,
};

const REHASHED = "user.human.password.hash.updated";
const GIVEN = ["user.human.added", "user.human.selfregistered", "user.human.password.changed"];

/** Reads the source's log. Raises api.cannot-update where it cannot be read. */
export async function readSourceFacts(
  source: AdminApi,
  { api, ui, context }: Pick<ImportRun, "api" | "ui" | "context">,
  { orgs, counts }: Pick<BodyScan, "orgs" | "counts">,
  { digest }: Pick<InstanceLog, "digest">,
): Promise<SourceFacts> {
  const reading = askingOf({ api: source, ui, context });
  // Only organizations of the input: the copy ignores removals in others.
  const targetOf = new Map(orgs.map(({ orgId, sourceId = orgId }) => [sourceId, orgId]));
  const removed = new Map<string, Set<string>>();
  const hashes = new Map<string, Digest | undefined>();
  const removedIds = new Set<string>();
  /** When one-time codes were removed last. */
  const otpRemoved = new Map<string, string>();
  const orgIds = [...targetOf.keys()];
  const read = (eventTypes: readonly string[], take: (event: ServiceEvent, orgId: string) => void): Promise<void> =>
    readLog("reading the source's events", { eventTypes, orgIds }, reading, (event) => {
      const orgId = targetOf.get(event.aggregate.resourceOwner);
      if (orgId !== undefined) take(event, orgId);
    });
  try {
    await readRemovals(reading, ({ aggregate: { id, resourceOwner } }) => {
      removedIds.add(id);
      const orgId = targetOf.get(resourceOwner);
      if (orgId !== undefined) removed.set(orgId, (removed.get(orgId) ?? new Set()).add(id));
    });
    await read([OTP_REMOVED], ({ aggregate: { id }, creationDate }, orgId) =>
      otpRemoved.set(userKey(orgId, id), creationDate),
    );
    await read([REHASHED], ({ aggregate: { id } }, orgId) => hashes.set(userKey(orgId, id), undefined));
    if (counts.withHash > 0 && hashes.size > 0) {
      await read(GIVEN, ({ aggregate: { id }, payload }, orgId) => {
        const key = userKey(orgId, id);
        const hash = textMember(fieldsOf(payload), "encodedHash");
        if (hashes.has(key)) hashes.set(key, hash === "" ? undefined : digest("hash", hash));
      });
    }
  } catch (error) {
    if (notOffered(error) === undefined) throw error;
    const { host } = source.address;
    throw new ProblemError({ code: "api.cannot-update", host, lacks: "source-events" }, { cause: error });
  }
  return {
    removed,
    removedIds,
    createdAt: openCreatedAt(removedIds, { orgIds, users: counts.users }, reading),
    isStranger: async (userId) => {
      const here = await namesOf(userId, reading, { former: true });
      // A former user of the id on the target may have been the source's, and the one who has it now another person.
      const there = await namesOf(userId, askingOf({ api, ui, context }), { former: false });
      return here.size > 0 && there.size > 0 && ![...here].some((name) => there.has(name));
    },
    hasNewOtp: async (orgId, userId) => {
      const removedAt = otpRemoved.get(userKey(orgId, userId));
      if (removedAt === undefined) return false;
      const { retry, signal } = reading;
      const filter = { eventTypes: [OTP_VERIFIED], orgId, aggregateId: userId };
      for await (const { creationDate } of listEvents(api, filter, retry, signal))
        if (isLater(creationDate, removedAt)) return false;
      return true;
    },
    hasLostOtp: async (orgId, userId) => {
      if (!otpRemoved.has(userKey(orgId, userId))) return false;
      const { retry, signal } = reading;
      const eventTypes = [...creationEvents, OTP_VERIFIED];
      let [creator, giver]: (string | undefined)[] = [];
      for await (const event of listEvents(api, { eventTypes, orgId, aggregateId: userId }, retry, signal))
        if (isCreation(event)) [creator, giver] = [event.editor?.userId, undefined];
        else giver = event.editor?.userId;
      return giver !== undefined && giver === creator;
    },
    givenHash: (orgId, userId) => hashes.get(userKey(orgId, userId)),
    lacks: createSourceLacks(source, { ui, context }, { orgs }),
  };
}
