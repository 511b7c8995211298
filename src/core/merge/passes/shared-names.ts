import type { IdpLink } from "../source-user.ts";

/** The accounts at identity providers of users who share a name with others, by that name, upper and lower case being the same. */
export class SharedNames {
  readonly #links = new Map<string, { readonly number: number; readonly link: IdpLink }[]>();

  /** @param number which row of its input the user is. */
  add(userName: string, number: number, links: readonly IdpLink[]): void {
    const key = userName.toLowerCase();
    const known = this.#links.get(key) ?? [];
    this.#links.set(key, [...known, ...links.map((link) => ({ number, link }))]);
  }

  /** The user's own links, and those of the others who have the name, each once. */
  linksFor(userName: string, number: number, own: readonly IdpLink[]): readonly IdpLink[] {
    const others = (this.#links.get(userName.toLowerCase()) ?? []).filter((one) => one.number !== number);
    const all = [...own, ...others.map(({ link }) => link)];
    return [...new Map(all.map((link) => [`${link.idpId} ${link.externalUserId}`, link])).values()];
  }
}
