import { fieldsOf, member, memberAt, textMember } from "../../core/json/members.ts";
import type { Document } from "../../io/input/document.ts";
import { walkObjects } from "../shared/scan-input.ts";

/** A user of a file who has no password there. */
export interface Candidate {
  readonly id: string;
  readonly orgId: string;
  /** The user name and the e-mail address, in lower case. */
  readonly names: readonly string[];
}

export interface FoundUsers {
  readonly candidates: readonly Candidate[];
  readonly orgIds: readonly string[];
  /** All users. */
  readonly read: number;
  /** With a hash or a password. */
  readonly withPassword: number;
  /** Without a password, and with an account at an identity provider. */
  readonly signInElsewhere: number;
}

/** Finds the users of a body or an export that have no password in it. Organizations without an id are refused before. */
export async function usersWithoutPassword(
  document: Document,
  orgIds: readonly string[],
  signal: AbortSignal,
): Promise<FoundUsers> {
  const candidates: Candidate[] = [];
  const linked = new Set<string>();
  let read = 0;
  let withPassword = 0;
  await walkObjects(
    document,
    { signal },
    (section) => section === "humanUsers" || section === "userLinks",
    ({ section, org, value }) => {
      const fields = fieldsOf(value);
      if (section === "userLinks") {
        linked.add(textMember(fields, "userId"));
        return;
      }
      read += 1;
      const user = member(fields, "user");
      const hash = memberAt(user, ["hashedPassword", "value"]);
      const password = memberAt(user, ["password"]);
      const accounts = memberAt(user, ["idps"]);
      const id = textMember(fields, "userId");
      if (hash || password) withPassword += 1;
      else if (id !== "") candidates.push({ id, orgId: orgIds[org] ?? "", names: namesOf(user) });
      if (Array.isArray(accounts) && accounts.length > 0) linked.add(id);
    },
  );
  const needy = candidates.filter(({ id }) => !linked.has(id));
  return { candidates: needy, orgIds, read, withPassword, signInElsewhere: candidates.length - needy.length };
}

function namesOf(user: unknown): readonly string[] {
  const names = [memberAt(user, ["userName"]), memberAt(user, ["email", "email"])];
  return names.flatMap((name) => (typeof name === "string" && name !== "" ? [name.toLowerCase()] : []));
}
