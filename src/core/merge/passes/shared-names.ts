import type { IdpLink } from "../source-user.ts";

/** The accounts at identity providers of users who share a name with others, by that name, upper and lower case being the same. */
export class SharedNames {
  /** The one verified address of the users of a name; undefined: they may be several persons. */
  readonly #addresses = new Map<string, string | undefined>();
  readonly #links = new Map<string, { readonly number: number; readonly link: IdpLink }[]>();

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
  add(userName: string, number: number, links: readonly IdpLink[]): void {
    const key = userName.toLowerCase();
    const known = this.#links.get(key) ?? [];
    this.#links.set(key, [...known, ...links.map((link) => ({ number, link }))]);
  }

  /** The user's own links, and those of the others who have the name and the address, each once. */
  linksFor(userName: string, number: number, own: readonly IdpLink[]): readonly IdpLink[] {
    if (!this.isOnePerson(userName)) return own;
    const others = (this.#links.get(userName.toLowerCase()) ?? []).filter((one) => one.number !== number);
    const all = [...own, ...others.map(({ link }) => link)];
    return [...new Map(all.map((link) => [`${link.idpId} ${link.externalUserId}`, link])).values()];
  }
}
