import type { LeftOutReason, NotLinked, Remark, RowFault } from "../../../problem.ts";
import { firstValues, type RowBlock } from "../../rows/row-block.ts";
import { type RawRow, type RowFile, type RowSpool, rowAt } from "../../rows/row-file.ts";
import { EntryWriter } from "../entry/entry-writer.ts";
import { writtenUser } from "../entry/written-user.ts";
import { FastUsers } from "../fast/fast-users.ts";
import { NestedUsers } from "../fast/nested-users.ts";
import { type JudgedHash, LATER } from "../hashes.ts";
import { HeldUsers } from "../held-users.ts";
import { NOTED, REJECT, type Verdict, WAIT, WITHOUT_ROW } from "../join/join-rows.ts";
import type { MergeState, RemarkedUser } from "../merge-state.ts";
import type { ParsedRowReaders, UserReading } from "../reading.ts";
import { RowPosition } from "../row-position.ts";
import { isProvedUser, type SourceUser } from "../source-user.ts";
import { SharedNames } from "./shared-names.ts";

/** Entries that are collected before they are written, where rows come one by one. */
const FLUSH_EVERY = 1_000;
/** One more than the rules of the join could need. */
const MAX_ROUNDS = 5;

/** Reads the users: every row is judged by the join and becomes an entry, waits, is left out or is rejected. */
export class UsersPass {
  readonly #state: MergeState;
  readonly #writer: EntryWriter;
  readonly #place: RowPosition;
  readonly #shared = new SharedNames();
  #waiting: RowSpool;
  #hasWaiting = false;
  /** Users who are written, where they come with their passwords. */
  readonly #held: HeldUsers | undefined;
  /** Ids of rows that say that the user is deleted. */
  readonly #deleted = new Set<string>();
  #fast: FastUsers | NestedUsers | undefined;
  /** Loaded with the first row that needs it. */
  #readers: ParsedRowReaders | undefined;

  constructor(state: MergeState) {
    this.#state = state;
    this.#writer = new EntryWriter(state.job.write);
    this.#place = new RowPosition(state.join);
    this.#waiting = state.job.createSpool();
    if (state.job.passwords !== undefined) this.#held = new HeldUsers(state.job.passwords);
  }

  /** Harmless at any time: nothing is being written afterwards. */
  async close(): Promise<void> {
    this.#waiting.remove();
    await this.#writer.close();
  }

  /** Judges every user in the order of the file. Raises input.* problems. */
  async read(users: RowFile): Promise<void> {
    const { counts, job } = this.#state;
    this.#fast = this.#createFast();
    for await (const block of users.blocks()) {
      counts.users.read += await this.#block(users, block);
      await this.#writer.flush();
      job.progress("users", counts);
    }
    this.#state.refuseUnfit(users.name);
  }

  /** Judges those that waited, round by round, now that every user has been seen; in the order of the file, behind all others. */
  async settleWaiting(users: RowFile): Promise<void> {
    while (this.#hasWaiting) {
      const waiting = this.#waiting;
      this.#waiting = this.#state.job.createSpool();
      this.#hasWaiting = false;
      this.#place.round += 1;
      if (this.#place.round > MAX_ROUNDS) throw new Error("users who wait for each other");
      try {
        for await (const block of waiting.blocks()) {
          await this.#block(users, block);
          if (this.#writer.entries.count >= FLUSH_EVERY) await this.#writer.flush();
        }
      } finally {
        waiting.remove();
      }
    }
    await this.#writer.finish();
  }

  /** What reads ordinary rows as bytes, if the provider says how; it writes no hashes but bcrypt. */
  #createFast(): FastUsers | NestedUsers | undefined {
    const { isCareful, readers, sameName, credentials, passwords, selection, hashes } = this.#state.job;
    if (isCareful || selection !== undefined || sameName === "link" || sameName === "reject") return undefined;
    // Users get metadata that no row has.
    if (hashes.unverifiable === "later") return undefined;
    const { users, nestedUsers } = readers.fast ?? {};
    const refuse = (verdict: Verdict, row: RawRow, user: () => RemarkedUser, isProved: boolean): void =>
      this.#refuse(verdict, row, [], isProved, user);
    const sink = { state: this.#state, writer: this.#writer, place: this.#place, refuse };
    if (users !== undefined && !this.#state.join.packed.hasTextHashes) return new FastUsers(sink, users);
    const isAlone = credentials === undefined && passwords === undefined && readers.ownIdPrefix === "";
    return nestedUsers === undefined || !isAlone ? undefined : new NestedUsers(sink, nestedUsers);
  }

  /** Judges the rows of a block and returns how many there were. */
  async #block(users: RowFile, block: RowBlock): Promise<number> {
    let rows = 0;
    this.#fast?.begin(block);
    for (let at = 0; at < block.count; at += 1) {
      if (this.#fast?.take(at, this.#readers) === true) rows += 1;
      else {
        this.#readers ??= await this.#load(users, block);
        rows += this.#parsed(users, rowAt(block, at), this.#readers);
        if (this.#held?.isFull === true) await this.#writeHeld(this.#held);
      }
    }
    this.#fast?.end();
    if (this.#held !== undefined) await this.#writeHeld(this.#held);
    users.counted(rows);
    return rows;
  }

  async #load({ columns }: RowFile, block: RowBlock): Promise<ParsedRowReaders> {
    const readers = await this.#state.job.readers.load(columns, firstValues(block));
    if (readers.columns !== undefined) this.#state.counts.columns = readers.columns;
    return readers;
  }

  #parsed(users: RowFile, row: RawRow, { readUser }: ParsedRowReaders): number {
    return users.parse(row, (parsed, part) => {
      this.#place.next(part.line, part.file);
      const judged = this.#place.round === 1 ? part : this.#place.rowOf(part.bytes);
      if ("fault" in parsed) this.#state.reject("users", judged, [parsed.fault]);
      else this.#judge(readUser(parsed.value), judged);
    });
  }

  async #writeHeld(held: HeldUsers): Promise<void> {
    for (const user of await held.release()) this.#writer.add(user);
    this.#state.job.progress("users", this.#state.counts);
  }

  #judge(reading: UserReading, row: RawRow): void {
    const { user, userId, email, faults, leftOut } = reading;
    if (this.#place.round === 1) this.#state.suspect(reading.unfit);
    if (leftOut !== undefined) {
      this.#leaveOut(leftOut, userId, row);
      return;
    }
    const hash = user?.plainPassword === undefined ? user?.hash : this.#held?.standIn;
    const own = this.#state.judgeHash(hash, reading.refusedHash);
    const bad = this.#state.faultOfHash(own, reading.hashField);
    const { sameName, readers } = this.#state.job;
    const isShared = user !== undefined && this.#isShared(user);
    const shared = isShared && sameName === "reject" ? this.#sharedFault() : undefined;
    const valid = user !== undefined && bad === undefined && shared === undefined;
    const userName = user?.userName ?? email;
    const mustWait = isShared && sameName === "link";
    // An address that is not proved does not open the account of the user who has it, nor does a user who is closed.
    const isProved = user !== undefined && isProvedUser(user, this.#isVerified(user));
    const isFirst = this.#place.round === 1;
    if (mustWait && isFirst) this.#shared.note(user.userName, user.email, isProved);
    const isOther = !isOwnId(user?.userId ?? "", readers.ownIdPrefix);
    const hasLinks = (user?.idpLinks ?? []).length > 0;
    const isLinkable = mustWait && valid && own.kind !== "good" && isOther;
    if (isLinkable && hasLinks && isFirst) this.#shared.add(this.#place.number, user);
    // Without rows of credentials, no user is looked up by address.
    const address = this.#state.job.credentials === undefined ? undefined : email;
    const hasHash = own.kind === "good";
    const position = this.#place;
    const claim = {
      userId,
      email: address,
      userName,
      position,
      valid,
      mustWait,
      isLast: reading.isGone ?? false,
      hasHash,
    };
    const verdict = this.#state.join.judge(claim);
    if (verdict === NOTED) return;
    if (verdict !== WAIT && own.kind === "bad") this.#state.judged(own);
    if (verdict === REJECT && isLinkable && this.#shared.isOnePerson(user.userName)) this.#link(user, row, reading);
    else if (verdict < WITHOUT_ROW) {
      const named = userId === undefined ? undefined : () => ({ userId, userName });
      const isPassword = hasHash || !isOther;
      const notLinked = mustWait && valid ? this.#whyNotLinked(user, isPassword) : "unknown";
      this.#refuse(verdict, row, [...faults, bad, shared].filter(isFault), isProved, named, notLinked);
    } else if (user !== undefined) this.#accept(verdict, user, own, reading);
    else throw new Error("a user at fault was accepted");
  }

  /** Leaves a row out. One of a deleted user claims the id: no other row may say that the user is there. */
  #leaveOut(reason: LeftOutReason, userId: string | undefined, row: RawRow): void {
    if (reason === "deleted" && userId !== undefined && !this.#deleted.has(userId)) {
      const [nothing, position] = [undefined, this.#place];
      const claim = { userId, email: nothing, userName: nothing, position, valid: true, hasHash: true };
      const verdict = this.#state.join.judge(claim);
      if (verdict === NOTED) return;
      if (verdict === WAIT || verdict === REJECT) {
        this.#refuse(verdict, row, [], false, () => ({ userId, userName: nothing }), "unknown", true);
        return;
      }
      this.#deleted.add(userId);
    }
    this.#state.leftOut(reason, userId);
  }

  #accept(verdict: Verdict, user: SourceUser, own: JudgedHash, reading: UserReading): void {
    const { job, join } = this.#state;
    const isEmailVerified = this.#isVerified(user);
    if (!isProvedUser(user, isEmailVerified)) this.#state.notProved.add(this.#place.number);
    const judged = verdict === WITHOUT_ROW ? own : this.#state.judgeHash(join.hashOf(verdict));
    const hash = judged.kind === "good" ? judged.text : undefined;
    const { user: joined, isDoubled } =
      job.sameName === "link" ? this.#shared.join(this.#place.number, user) : { user, isDoubled: false };
    const hasRow = verdict !== WITHOUT_ROW;
    const isDropped = hash === undefined && (wasDropped(own) || (hasRow && join.packed.wasDropped(verdict)));
    const linked = isDropped ? this.#marked(joined) : joined;
    const written = writtenUser(linked, hash, isEmailVerified, job);
    if (job.selection?.takes((field) => readText(written, field, job.mainOrg)) === false) {
      this.#state.notSelected(verdict);
      return;
    }
    const [verifier, breaches] = judged.kind === "good" ? [judged.verifier, judged.breaches] : [];
    this.#state.written(verdict, verifier, isEmailVerified, reading.isNamedByEmail ?? false, breaches);
    if (hash === undefined && isEmailVerified && (linked.idpLinks ?? []).length > 0)
      this.#state.counts.users.silent += 1;
    if (this.#held === undefined) this.#writer.add(written);
    else this.#held.hold(written);
    this.#state.note(reading);
    this.#state.name(reading.remarks, () => user);
    if (isDoubled) this.#state.remark("linked-metadata-doubled", () => user);
    if (user.orgName !== undefined && !job.orgs.has(user.orgName)) this.#state.note({ orgs: [user.orgName] });
    // Not before: the hash of a user who is not written is not the reason why.
    if (wasDropped(own)) this.#state.judged(own);
    if (isDropped) this.#state.remark("hash-dropped", () => user);
  }

  #isVerified({ isEmailVerified = false }: SourceUser): boolean {
    return this.#state.job.isEmailVerified ?? isEmailVerified;
  }

  /** True when the user name was found with several users, where that was looked for. */
  #isShared({ userName }: SourceUser): boolean {
    const { sameName } = this.#state.job;
    return (sameName === "link" || sameName === "reject") && this.#state.join.isSharedName(userName);
  }

  #sharedFault(): RowFault {
    return { code: "user.shared-name", field: this.#state.job.readers.fieldNames.userName };
  }

  /** A user whose hash is not written is marked, where that was asked for. */
  #marked(user: SourceUser): SourceUser {
    const isLater = this.#state.job.hashes.unverifiable === "later";
    return isLater ? { ...user, metadata: [...(user.metadata ?? []), LATER] } : user;
  }

  /**
   * Another user of the same name was written, and has this one's accounts, metadata and grants now; without an account, this one is a
   * duplicate like others.
   */
  #link(user: SourceUser, row: RawRow, reading: UserReading): void {
    const { idpLinks = [] } = user;
    const { faults } = this.#state.join.packed;
    const [fault] = faults;
    if (idpLinks.length === 0 || fault === undefined || !isSameName(fault) || faults.length > 1) {
      // With `--idp`, these accounts could become links.
      this.#state.note({ providers: reading.providers ?? [] });
      this.#refuse(
        REJECT,
        row,
        [],
        isProvedUser(user, this.#isVerified(user)),
        () => user,
        idpLinks.length === 0 ? "no-account" : "unknown",
      );
      return;
    }
    this.#state.leftOut("linked");
    const remarks = (reading.remarks ?? []).filter((remark) => OF_MOVED.has(remark));
    this.#state.note({ ...reading, remarks });
    this.#state.name(remarks, () => user);
    this.#state.tell("users", row, [{ ...fault, code: "user.linked" }]);
  }

  /** Why a user of a shared name was not linked to the one who is kept. */
  #whyNotLinked({ userName }: SourceUser, hasPassword: boolean): NotLinked {
    if (!this.#shared.isOnePerson(userName)) return "several-persons";
    return hasPassword ? "password" : "unknown";
  }

  /**
   * @param isProved true: the user's address is verified, and the user is open.
   * @param notLinked with `--same-email link`: why a duplicate was not linked.
   * @param isDeleted true: the row says that the user is deleted.
   */
  #refuse(
    verdict: Verdict,
    row: RawRow,
    faults: readonly RowFault[],
    isProved: boolean,
    user?: () => RemarkedUser,
    notLinked: NotLinked = "unknown",
    isDeleted = this.#deleted.size > 0 && this.#deleted.has(user?.().userId ?? ""),
  ): void {
    if (verdict === WAIT) {
      this.#waiting.add(row.bytes, this.#place.number);
      this.#hasWaiting = true;
    } else if (verdict === REJECT) {
      const { job, join, notProved } = this.#state;
      const isBetter = isProved && notProved.has(join.packed.nameHolder);
      const joined = join.packed.faults
        .map((fault) => (isDeleted ? orDeleted(fault) : fault))
        .map((fault) => (job.sameName === "link" && isSameName(fault) ? { ...fault, notLinked } : fault))
        .map((fault): RowFault => (isBetter && isSameName(fault) ? { ...fault, code: "user.better-rejected" } : fault));
      this.#state.reject("users", row, [...faults, ...joined], user?.());
    } else throw new Error("a user who was accepted is refused");
  }
}

/** What is said of an account that became part of another: the user who is written lacks these, too. */
const OF_MOVED: ReadonlySet<Remark> = new Set<Remark>([
  "attributes-left-out",
  "link-lost",
  "link-number-lost",
  "metadata-doubled",
  "metadata-lost",
  "roles-lost",
  "roles-unread",
]);

/** True for an id of a user who signs in at the source itself. False for all without such a prefix: then it is unknown. */
function isOwnId(userId: string, ownIdPrefix: string): boolean {
  return ownIdPrefix !== "" && userId.startsWith(ownIdPrefix);
}

function wasDropped(hash: JudgedHash): boolean {
  return hash.kind === "none" && hash.dropped !== undefined;
}

/** Of two rows with one id, one says that the user is deleted. */
function orDeleted(fault: RowFault): RowFault {
  return fault.code === "user.duplicate-id" ? { ...fault, code: "user.deleted-too" } : fault;
}

function isSameName(
  fault: RowFault,
): fault is Extract<RowFault, { readonly code: "user.duplicate-name" | "user.passed-over" }> {
  return fault.code === "user.duplicate-name" || fault.code === "user.passed-over";
}

function isFault(fault: RowFault | undefined): fault is RowFault {
  return fault !== undefined;
}

/** A field of a user by its name, as `--where` compares it. */
function readText(user: SourceUser, field: string, mainOrg: string): string | undefined {
  if (field === "orgId") return user.orgId ?? mainOrg;
  const value = user[field as keyof SourceUser]; // the name of a field, or nothing
  return typeof value === "string" || typeof value === "boolean" ? String(value) : undefined;
}
