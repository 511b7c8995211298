import { plainUserFacts } from "../../../core/document/plain-user.ts";
import { userIdOf } from "../../../core/document/user-id.ts";
import { fieldsOf, member, memberAt, textMember } from "../../../core/json/members.ts";
import { checkHumanUser } from "../../../core/rules/human-user.ts";
import { startsInitial } from "../../../core/rules/route.ts";
import { IdTable } from "../../../core/tables/id-table.ts";
import type { JobState } from "../../../core/transfer/job-state.ts";
import type { ImportRun } from "../import-run.ts";
import { type Plan, readSection } from "../plan/plan.ts";

/** The most users that the report names. */
const NAMED = 1_000;

/** What the created users need before they can sign in with a password. */
export interface CreatedUsers {
  /** With neither a password nor an account at an identity provider in the input. */
  readonly without: number;
  /** Of these, those who wait for an e-mail of the service, which asks for a password. */
  readonly asked: number;
  /** Of the others, those who would get an e-mail of `orgferry invite`. */
  readonly toInvite: number;
  /** Of the others, those who are inactive or locked, and get none. */
  readonly closed: number;
  /** With a password, and in the state INITIAL: the first of them, with their login names. */
  readonly initial: { readonly count: number; readonly named: ReadonlyMap<string, string> };
}

/** Looks at the users of the input that this job created. @param hasUsersApi false: the import endpoint has created all of them. */
export async function lookAtCreated(
  { settings, source, context: { signal } }: ImportRun,
  plan: Plan,
  { made, madeIds }: Pick<JobState, "made" | "madeIds">,
  hasUsersApi: boolean,
): Promise<CreatedUsers> {
  const { users, withHash, mails } = plan.scan.counts;
  // A copy does not count users without a password, and with --no-mail no user waits for a code.
  const mayLack = source === undefined && users > withHash;
  const mayWait = mails > 0 && !settings.plan.noMail;
  const named = new Map<string, string>();
  const numbers = { without: 0, asked: 0, toInvite: 0, closed: 0 };
  let initial = 0;
  const linked = new IdTable();
  if (mayLack) {
    for await (const items of readSection(plan, "userLinks", signal)) {
      for (const { bytes } of items) linked.set(textMember(fieldsOf(JSON.parse(bytes.toString())), "userId"), 0);
    }
  }
  const found = new Set(madeIds);
  const wants = (first: number, count: number): boolean =>
    (mayLack || mayWait) && (found.size > 0 || made.intersects(first, count));
  for await (const items of readSection(plan, "humanUsers", signal, wants)) {
    for (const { index, bytes, way } of items) {
      const id = userIdOf(bytes);
      if (!made.has(index) && !found.has(id)) continue;
      const plain = plainUserFacts(bytes);
      // Most users have a password and a verified address.
      if (plain?.hashKind !== undefined && !plain.getsMail) continue;
      const entry: unknown = JSON.parse(bytes.toString());
      const user = member(fieldsOf(entry), "user");
      const facts = plain ?? checkHumanUser(entry, () => {});
      const isInitial = startsInitial(facts, hasUsersApi ? way : "import");
      if (memberAt(user, ["hashedPassword", "value"]) || memberAt(user, ["password"])) {
        if (!isInitial) continue;
        initial += 1;
        if (named.size < NAMED && id !== "") named.set(id, textMember(fieldsOf(user), "userName"));
      } else if (linked.get(id) === undefined) {
        numbers.without += 1;
        if (isInitial) numbers.asked += 1;
        else if (facts.isClosed) numbers.closed += 1;
        else if (id !== "") numbers.toInvite += 1;
      }
    }
  }
  return { ...numbers, initial: { count: initial, named } };
}
