import type { Leftover } from "./join-rows.ts";
import {
  ADDRESS_OWNER,
  BAD_HASH,
  OTHER_PROVIDER,
  OWNER_REJECTED,
  type PersonTable,
  REJECTED_WITH_USER,
  SHARED_BY_PROFILES,
  SHARED_BY_ROWS,
} from "./person-table.ts";

/**
 * Why a password row is left over when every profile has been judged.
 *
 * @param emailAt where in `keys` the key of the row's e-mail address is; -1 = it has none.
 */
export function leftoverOf(people: PersonTable, row: number, keys: Uint32Array, emailAt: number): Leftover {
  if (people.kind(row) === BAD_HASH) return { kind: "bad-hash", rule: people.rule(row) };
  if (people.fate(row) === REJECTED_WITH_USER) return { kind: "user-rejected" };
  const email = emailAt === -1 ? -1 : people.findName(keys, emailAt);
  if (email === -1) return { kind: "unmatched", why: "no-profile" };
  const hasOwner = people.get(email, ADDRESS_OWNER) !== 0;
  if (hasOwner && people.has(email, SHARED_BY_ROWS | SHARED_BY_PROFILES)) {
    return { kind: "unmatched", why: "email-shared" };
  }
  if (hasOwner && people.has(email, OWNER_REJECTED)) return { kind: "user-rejected" };
  if (hasOwner) return { kind: "unmatched", why: "user-has-own-row" };
  return { kind: "unmatched", why: people.has(email, OTHER_PROVIDER) ? "not-a-database-user" : "no-profile" };
}
