import type { Verifier } from "../../contract/verifiers.ts";
import { type LeftOutReason, ProblemError, type Remark, type RowFault } from "../../problem.ts";
import { LINES, type RawRow, type RowFile } from "../rows/row-file.ts";
import { BreachCounts, type CostBreach } from "../rules/hash-costs.ts";
import { PositionSet } from "../tables/position-set.ts";
import { MergeResult } from "./counts.ts";
import { breachesOfJudged, createHashJudge, type JudgedHash, type JudgeHash, missingVerifier } from "./hashes.ts";
import { Join } from "./join/join.ts";
import { type Verdict, WITHOUT_ROW } from "./join/join-rows.ts";
import { PackedJoin } from "./join/packed-join.ts";
import type { MergeJob, RowKind } from "./merge-job.ts";
import { PartedJoin } from "./parts/parted-join.ts";
import type { UserNotes } from "./reading.ts";

const NONE: readonly never[] = [];

/** Usual length of a row: only a guess of how many there will be. Too few rows cost a copy, too many slots cost memory. */
const USER_BYTES = 240;
const CREDENTIAL_BYTES = 300;
/** Users of each remark that are named. */
const MOST_NAMED = 1_000;

/** A user that the report names. */
export interface RemarkedUser {
  readonly userId: string;
  readonly userName?: string | undefined;
}

/** What the passes of one merge share: the join, and the account of every row. */
export class MergeState {
  readonly job: MergeJob;
  readonly counts = new MergeResult();
  readonly join: Join;
  /** The same join, where it is kept in parts. */
  readonly parted: PartedJoin | undefined;
  readonly judgeHash: JudgeHash;
  /** Numbers of users who can be written, and whose address is not verified or who are closed. */
  readonly notProved = new PositionSet();
  readonly #breaches: BreachCounts;
  readonly #suspects = new Map<string, number>();

  /** @param join of another reading of the same rows. */
  constructor(job: MergeJob, join = createJoin(job)) {
    this.job = job;
    this.judgeHash = createHashJudge(job.hashes);
    this.#breaches = new BreachCounts(job.hashes.limits ?? {}, this.counts.hashesOutOfLimits);
    this.join = join;
    this.parted = join.packed instanceof PartedJoin ? join.packed : undefined;
  }

  /**
   * Counts a user who is written.
   * @param verifier of the hash, undefined without one.
   * @param breaches of the hash, where it is out of the target's limits.
   */
  written(
    verdict: Verdict,
    verifier: Verifier | undefined,
    isEmailVerified: boolean,
    isNamedByEmail: boolean,
    breaches: readonly CostBreach[] = NONE,
  ): void {
    this.#breaches.add(breaches);
    const { users, passwords, hashes } = this.counts;
    const hasHash = verifier !== undefined;
    users.written += 1;
    if (hasHash) hashes[verifier] = (hashes[verifier] ?? 0) + 1;
    if (isNamedByEmail) users.nameFromEmail += 1;
    if (verdict !== WITHOUT_ROW) passwords.used += 1;
    if (hasHash) users.withHash += 1;
    else users.withoutHash += 1;
    if (hasHash && isEmailVerified) users.silent += 1;
  }

  /** Counts a user who could be written and is not selected; a row of credentials that was found for the user is used. */
  notSelected(verdict: Verdict): void {
    this.leftOut("not-selected");
    if (verdict !== WITHOUT_ROW) this.counts.passwords.used += 1;
  }

  /** Counts what users who are written lose on the way. @param users how many with these notes. */
  note(
    { remarks = NONE, fields = NONE, providers = NONE, roles = NONE, orgs = NONE, metadata = NONE }: UserNotes,
    users = 1,
  ): void {
    const { leftBehind } = this.counts;
    for (const key of metadata) leftBehind.metadata[key] = (leftBehind.metadata[key] ?? 0) + users;
    for (const remark of remarks) this.counts.remarks[remark] = (this.counts.remarks[remark] ?? 0) + users;
    for (const field of fields) leftBehind.fields[field] = (leftBehind.fields[field] ?? 0) + users;
    for (const role of roles) leftBehind.roles[role] = (leftBehind.roles[role] ?? 0) + users;
    for (const org of orgs) leftBehind.orgs[org] = (leftBehind.orgs[org] ?? 0) + users;
    for (const name of providers) leftBehind.providers[name] = (leftBehind.providers[name] ?? 0) + users;
  }

  /** Counts and names a user that this remark is about. */
  remark(remark: Remark, user: () => RemarkedUser): void {
    this.note({ remarks: [remark] });
    this.name([remark], user);
  }

  /** Names the user of these remarks. @param user called while the list of one of them has room. */
  name(remarks: readonly Remark[] = NONE, user: () => RemarkedUser): void {
    for (const remark of remarks) {
      this.counts.remarkedUsers ??= {};
      this.counts.remarkedUsers[remark] ??= [];
      const ids = this.counts.remarkedUsers[remark];
      if (ids.length >= MOST_NAMED) continue;
      const named = user();
      ids.push(named.userId);
      this.#nameLogin(named);
    }
  }

  #nameLogin({ userId, userName }: RemarkedUser): void {
    if (userName === undefined) return;
    this.counts.loginNames ??= Object.create(null) as Record<string, string>; // ids are from outside
    this.counts.loginNames[userId] = userName;
  }

  /** Takes note of what the input would be if all its rows were like this one. */
  suspect(unfit: string | undefined): void {
    if (unfit !== undefined) this.#suspects.set(unfit, (this.#suspects.get(unfit) ?? 0) + 1);
  }

  /** Raises input.unfit when every row says that the input is something else. */
  refuseUnfit(file: string): void {
    const [first, ...rest] = [...this.#suspects].sort(([, a], [, b]) => b - a);
    if (first === undefined) return;
    const suspects = rest.reduce((sum, [, rows]) => sum + rows, first[1]);
    const is = this.job.readers.unfit?.[first[0]];
    if (is !== undefined && suspects === this.counts.users.read) {
      throw new ProblemError({ code: "input.unfit", file, ...is });
    }
  }

  /** Counts a row that is no person, or whose person is gone. @param userId of a user that an earlier import may have created. */
  leftOut(reason: LeftOutReason, userId = ""): void {
    this.counts.users.leftOut += 1;
    this.counts.leftOut[reason] = (this.counts.leftOut[reason] ?? 0) + 1;
    if (reason !== "deleted" || userId === "") return;
    this.counts.leftOutUsers ??= { deleted: [] };
    const { deleted } = this.counts.leftOutUsers;
    if (deleted.length < MOST_NAMED) deleted.push(userId);
  }

  /** Counts a hash that was not taken because the target does not check its kind. */
  judged(hash: JudgedHash): void {
    if (hash.kind !== "good") this.#breaches.add(breachesOfJudged(hash));
    const verifier = missingVerifier(hash);
    if (verifier === undefined) return;
    this.counts.unverifiable[verifier] = (this.counts.unverifiable[verifier] ?? 0) + 1;
  }

  /** What keeps a user's own hash from being used. @param field where it stands in the row. */
  faultOfHash(judged: JudgedHash, field = this.job.readers.fieldNames.hash): RowFault | undefined {
    return judged.kind === "bad" ? { code: "field.hash", field, rule: judged.rule } : undefined;
  }

  /** Counts a rejected row, keeps it verbatim and tells every fault of it. @param user of the row, if it has an id. */
  reject(kind: RowKind, row: RawRow, faults: readonly RowFault[], user?: RemarkedUser): void {
    if (kind === "users") this.counts.users.rejected += 1;
    else this.counts.passwords.rejected += 1;
    if (user === undefined) this.keep(kind, row, faults);
    else {
      const { userId: id } = user;
      this.keep(
        kind,
        row,
        faults.map((fault) => ({ ...fault, id })),
      );
      // A user who is written with the same id has another name.
      if (this.counts.users.rejected <= MOST_NAMED && this.counts.loginNames?.[id] === undefined) this.#nameLogin(user);
    }
  }

  /** Keeps a row verbatim, with the reasons. */
  keep(kind: RowKind, row: RawRow, faults: readonly RowFault[]): void {
    const { frame = LINES } = this.job[kind] ?? {};
    this.tell(kind, row, faults, this.job.rejects.row(kind, row, frame));
  }

  /** Tells what was decided about a row. @param rejectLine where it is kept, if it is. */
  tell(kind: RowKind, row: RawRow, faults: readonly RowFault[], rejectLine?: number): void {
    const name = this.job[kind]?.name ?? "";
    for (const fault of faults) this.job.rejects.reason(fault, row.file ?? name, row.line, rejectLine);
  }
}

function createJoin({ users, credentials, readers, seeds, sameName, parts }: MergeJob): Join {
  const { fieldNames, ownIdPrefix, userBytes = USER_BYTES } = readers;
  const settings = { credentialsFile: credentials?.name ?? "", fieldNames, sameName };
  if (parts !== undefined) return new Join(new PartedJoin(settings, users.name, parts), ownIdPrefix, seeds);
  const expected = { users: rowsOf(users, userBytes), credentials: rowsOf(credentials, CREDENTIAL_BYTES) };
  return new Join(new PackedJoin({ ...settings, expected }), ownIdPrefix, seeds);
}

/** 0 for a pipe, whose tables grow as it goes. */
function rowsOf(file: RowFile | undefined, bytesEach: number): number {
  return file === undefined ? 0 : Math.ceil(file.expectedBytes / bytesEach);
}
