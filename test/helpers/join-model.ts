/**
 * The rules of the join (design: "The join", "Nothing is lost") written down once more, as plainly as possible and without any
 * regard for memory or speed: whole files as arrays, Maps of strings, several looks at everything. The tests hold the real join
 * against it.
 */
export interface ModelProfile {
  readonly user_id?: string;
  readonly email?: string;
  readonly name?: string;
}

export interface ModelPassword {
  readonly _id?: { readonly $oid: string };
  readonly alt_id?: string;
  readonly email?: string | number;
  readonly passwordHash?: string;
  readonly password_set_date?: { readonly $date: string };
}

export interface ModelOutcome {
  /** user_id → hash, or null for a user without one; in no particular order. */
  readonly users: ReadonlyMap<string, string | null>;
  /** Lines of rejected profiles. */
  readonly rejected: ReadonlySet<number>;
  readonly used: number;
  readonly superseded: number;
  /** Lines of password rows. */
  readonly rejectedRows: ReadonlySet<number>;
  readonly unmatched: ReadonlySet<number>;
}

const GOOD_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

interface Row {
  readonly line: number;
  readonly id: string | undefined;
  readonly email: string | undefined;
  readonly kind: "hash" | "none" | "bad" | "rejected";
  readonly hash: string | null;
  readonly date: number;
}

/** @param sameName "password": of two users with one name, one with a hash is written before one without (ids must differ). */
export function modelJoin(
  profiles: readonly ModelProfile[],
  passwords: readonly ModelPassword[],
  sameName: "first" | "password" = "first",
): ModelOutcome {
  const rejectedRows = new Set<number>();
  const rows: Row[] = [];
  for (const [index, password] of passwords.entries()) {
    const row = modelRow(password, index + 1);
    if (row.kind === "rejected") rejectedRows.add(row.line);
    if (row.id === undefined && row.email === undefined) rejectedRows.add(row.line);
    else rows.push(row);
  }
  const superseded = new Set<Row>();
  const newest = new Map<string, Row>();
  for (const row of rows) {
    if (row.id === undefined || row.kind === "rejected") continue;
    const holder = newest.get(row.id);
    if (holder !== undefined && holder.date > row.date) superseded.add(row);
    else {
      if (holder !== undefined) superseded.add(holder);
      newest.set(row.id, row);
    }
  }
  const ids = new Set(profiles.map(({ user_id }) => user_id));
  // A profile without an id cannot be judged.
  const isDatabase = ({ user_id }: ModelProfile): boolean => !user_id || user_id.startsWith("auth0|");
  const bearers = (email: string): number => {
    const bearing = profiles.filter((p) => p.email?.toLowerCase() === email && isDatabase(p));
    return new Set(bearing.map((p) => p.user_id || Symbol())).size;
  };
  const rowsBearing = (email: string): Row[] => rows.filter((row) => row.email === email);

  /** The row that decides about the user: its own, or the one found by e-mail address. */
  const rowFor = ({ user_id, email }: ModelProfile): Row | undefined => {
    const own = newest.get(user_id as string);
    const bearing = rowsBearing((email as string).toLowerCase()).filter((row) => !superseded.has(row));
    const unique =
      isDatabase({ user_id: user_id as string }) &&
      rowsBearing((email as string).toLowerCase()).length === 1 &&
      bearers((email as string).toLowerCase()) === 1 &&
      bearing[0] !== undefined &&
      !(bearing[0].id !== undefined && ids.has(bearing[0].id));
    return own ?? (unique ? bearing[0] : undefined);
  };

  const users = new Map<string, string | null>();
  const rejected = new Set<number>();
  const names = new Set<string>();
  const used = new Set<Row>();
  const rejectedProfiles: ModelProfile[] = [];
  // Without a hash, and another user's row has the address: the user of that row may have the name, too.
  const givesWay = (profile: ModelProfile): boolean =>
    rowFor(profile)?.kind !== "hash" &&
    rowsBearing(profile.email?.toLowerCase() ?? "").some((row) => row !== newest.get(profile.user_id as string));
  const inOrder = [...profiles.entries()];
  const ordered =
    sameName === "first"
      ? inOrder
      : [...inOrder.filter(([, profile]) => !givesWay(profile)), ...inOrder.filter(([, profile]) => givesWay(profile))];
  for (const [index, profile] of ordered) {
    const { user_id, email, name } = profile;
    const reject = (): void => {
      rejected.add(index + 1);
      rejectedProfiles.push(profile);
    };
    if (!user_id || !email || (name?.length ?? 0) > 200) reject();
    else if (users.has(user_id) || names.has(email.toLowerCase())) reject();
    else if (rows.some((row) => row.kind === "rejected" && row.id === user_id)) reject();
    else if (
      isDatabase(profile) &&
      rowsBearing(email.toLowerCase()).some((row) => row.kind === "rejected" && row.id === undefined)
    )
      reject();
    else {
      const row = rowFor(profile);
      if (row?.kind === "bad" || row?.kind === "rejected") reject();
      else {
        if (row !== undefined) used.add(row);
        users.set(user_id, row?.hash ?? null);
        names.add(email.toLowerCase());
      }
    }
  }
  const unmatched = new Set<number>();
  for (const row of rows) {
    if (used.has(row) || superseded.has(row) || row.kind === "rejected") continue;
    const goesAlong = rejectedProfiles.some(
      (profile) =>
        (row.id !== undefined && profile.user_id === row.id) ||
        (isDatabase(profile) &&
          newest.get(profile.user_id as string) === undefined &&
          row.email !== undefined &&
          profile.email?.toLowerCase() === row.email &&
          rowsBearing(row.email).length === 1 &&
          bearers(row.email) === 1),
    );
    if (row.kind === "bad" || goesAlong) rejectedRows.add(row.line);
    else unmatched.add(row.line);
  }
  return { users, rejected, used: used.size, superseded: superseded.size, rejectedRows, unmatched };
}

function modelRow(password: ModelPassword, line: number): Row {
  const id = password.alt_id || password._id?.$oid || undefined;
  const email = typeof password.email === "string" ? password.email.toLowerCase() : undefined;
  const wrongType = password.email !== undefined && typeof password.email !== "string";
  const hash = password.passwordHash ?? null;
  const kind = wrongType ? "rejected" : hash === null ? "none" : GOOD_HASH.test(hash) ? "hash" : "bad";
  const date =
    password.password_set_date === undefined ? Number.NEGATIVE_INFINITY : Date.parse(password.password_set_date.$date);
  return { line, id: id === undefined ? undefined : `auth0|${id}`, email, kind, hash, date };
}
