import type { Grant, IdpLink, Metadata, SourceUser } from "../source-user.ts";

/** The user with what the others of the name had; `isDoubled`: they have other values for keys of the user's metadata. */
interface JoinedUser {
  readonly user: SourceUser;
  readonly isDoubled: boolean;
}

/** What becomes part of the user who is kept. */
type Added = Pick<SourceUser, "idpLinks" | "metadata" | "grants">;

/** Users with accounts at identity providers who share a name with others, by that name, upper and lower case being the same. */
export class SharedNames {
  /** The one verified address of the users of a name; undefined: they may be several persons. */
  readonly #addresses = new Map<string, string | undefined>();
  readonly #added = new Map<string, { readonly number: number; readonly user: Added }[]>();

  /**
   * Notes a user who shares the name, before any account is asked for. An address that is not verified may have been entered by a stranger:
   * the account that is kept would open with the stranger's password. A user who is inactive or locked must not get in by another account,
   * nor lose an open one.
   */
  note(userName: string, email: string, mayBeLinked: boolean): void {
    const [key, address] = [userName.toLowerCase(), email.toLowerCase()];
    const isOther = !mayBeLinked || (this.#addresses.has(key) && this.#addresses.get(key) !== address);
    this.#addresses.set(key, isOther ? undefined : address);
  }

  /** True if all users of the name have one e-mail address, verified with all of them. */
  isOnePerson(userName: string): boolean {
    return this.#addresses.get(userName.toLowerCase()) !== undefined;
  }

  /** @param number which row of its input the user is. */
  add(number: number, { userName, idpLinks, metadata, grants }: SourceUser): void {
    const key = userName.toLowerCase();
    this.#added.set(key, [...(this.#added.get(key) ?? []), { number, user: { idpLinks, metadata, grants } }]);
  }

  /** The user with the links, metadata and grants of the others who have the name and the address. */
  join(number: number, user: SourceUser): JoinedUser {
    const known = this.isOnePerson(user.userName) ? this.#added.get(user.userName.toLowerCase()) : undefined;
    const others = (known ?? []).filter((one) => one.number !== number).map((one) => one.user);
    if (others.length === 0) return { user, isDoubled: false };
    const all: readonly Added[] = [user, ...others];
    const metadata = all.flatMap((one) => one.metadata ?? []);
    const values = firstValues(metadata);
    const joined = {
      ...user,
      idpLinks: onceEach(all.flatMap((one) => one.idpLinks ?? [])),
      ...(values.length === 0 ? {} : { metadata: values }),
      ...(all.every((one) => one.grants === undefined)
        ? {}
        : { grants: joinGrants(all.flatMap((one) => one.grants ?? [])) }),
    };
    const written = new Map(values.map(({ key, value }) => [key, value]));
    return { user: joined, isDoubled: metadata.some(({ key, value }) => written.get(key) !== value) };
  }
}

function onceEach(links: readonly IdpLink[]): readonly IdpLink[] {
  return [...new Map(links.map((link) => [`${link.idpId} ${link.externalUserId}`, link])).values()];
}

/** Of several values for one key, the first. */
function firstValues(all: readonly Metadata[]): readonly Metadata[] {
  return [...new Map(all.toReversed().map((one) => [one.key, one])).values()].toReversed();
}

/** One grant for each project, with all roles in it. */
function joinGrants(grants: readonly Grant[]): readonly Grant[] {
  const joined = new Map<string, Grant>();
  for (const grant of grants) {
    const { roleKeys = [] } = joined.get(grant.projectId) ?? {};
    joined.set(grant.projectId, { ...grant, roleKeys: [...new Set([...roleKeys, ...grant.roleKeys])] });
  }
  return [...joined.values()];
}
