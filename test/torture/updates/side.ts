import { Caller, type Reply } from "../instance/caller.ts";
import { at, list, text } from "../instance/json.ts";
import type { Person } from "./person.ts";
import type { SeenEvent } from "./seen.ts";

export const ORG = "org1";
/** Another one, which only the target has. */
export const OTHER_ORG = "org2";
/** Identity provider of both instances. */
export const IDP = "idp";
const MOST_EVENTS = 1_000;

/** An instance without faults, as one caller sees it. */
export class MockSide extends Caller {
  /** Into the organization, which is made where it is not there. */
  async import(lists: object, orgId = ORG): Promise<void> {
    const orgs = [{ orgId, org: { name: orgId === ORG ? "One" : "Two" }, ...lists }];
    await this.expect("POST", "/admin/v1/import", { timeout: "1m", dataOrgs: { orgs } });
  }

  /** Creates a user through the users API. */
  async add({
    id: userId,
    userName: username,
    email,
    isEmailVerified,
    phone,
    metadata,
    ...rest
  }: Person): Promise<void> {
    const proof = (isVerified: boolean): object => (isVerified ? { isVerified } : { returnCode: {} });
    const body = {
      userId,
      username,
      organization: { orgId: ORG },
      profile: profileOf(rest),
      email: { email, ...proof(isEmailVerified) },
      ...(phone === "" ? {} : { phone: { phone, ...proof(rest.isPhoneVerified) } }),
      metadata: [...metadata].map(([key, value]) => ({ key, value })),
    };
    await this.expect("POST", "/v2/users/human", body);
  }

  /** Changes a user from one form to the other; false if the service refuses a part of it. */
  async bring(from: Person, to: Person): Promise<boolean> {
    const path = `/v2/users/${encodeURIComponent(from.id)}`;
    const proof = (isVerified: boolean): object => (isVerified ? { isVerified } : { returnCode: {} });
    const isOther = (name: keyof Person): boolean => from[name] !== to[name];
    const isProfile = (
      ["firstName", "lastName", "nickName", "displayName", "preferredLanguage", "gender"] as const
    ).some(isOther);
    const put = {
      ...(isOther("userName") ? { username: to.userName } : {}),
      ...(isProfile ? { profile: profileOf(to) } : {}),
      ...(isOther("email") || isOther("isEmailVerified")
        ? { email: { email: to.email, ...proof(to.isEmailVerified) } }
        : {}),
      ...((isOther("phone") || isOther("isPhoneVerified")) && to.phone !== ""
        ? { phone: { phone: to.phone, ...proof(to.isPhoneVerified) } }
        : {}),
      ...(isOther("hash") ? { password: { hashedPassword: { hash: to.hash } } } : {}),
    };
    const calls: (() => Promise<Reply>)[] = [];
    if (Object.keys(put).length > 0)
      calls.push(() => this.send("PUT", `/v2/users/human/${encodeURIComponent(from.id)}`, put));
    if (isOther("phone") && to.phone === "") calls.push(() => this.send("DELETE", `${path}/phone`));
    for (const step of stepsOf(from.state, to.state)) calls.push(() => this.send("POST", `${path}/${step}`, {}));
    for (const call of calls) if (!(await call()).ok) return false;
    return true;
  }

  /** Links a user to an identity at the provider, or ends that; without effect if the service refuses it. */
  async link(userId: string, external: string): Promise<boolean> {
    const idpLink = { idpId: IDP, userId: external, userName: external };
    return (await this.send("POST", `/v2/users/${encodeURIComponent(userId)}/links`, { idpLink })).ok;
  }

  async unlink(userId: string, external: string): Promise<boolean> {
    const path = `/management/v1/users/${encodeURIComponent(userId)}/idps/${IDP}/${external}`;
    return (await this.send("DELETE", path, undefined, ORG)).ok;
  }

  /** All events of users in all organizations, and of what they have, in their order. */
  async events(self: string): Promise<SeenEvent[]> {
    const request = { limit: MOST_EVENTS, asc: true, aggregate_types: ["user", "usergrant", "org", "session"] };
    const events = list(await this.expect("POST", "/admin/v1/events/_search", request), "events");
    if (events.length === MOST_EVENTS) throw new Error("more events than the trial can read");
    const ofUsers = events.filter((event) => /^(user|org\.member|session\.user)\./.test(text(event, "type", "type")));
    const seen = ofUsers.map((event) => ({
      // Of what a user has, the payload names the user.
      id:
        text(event, "aggregate", "type", "type") === "user"
          ? text(event, "aggregate", "id")
          : text(event, "payload", "userId") || text(event, "payload", "userID"),
      orgId: text(event, "aggregate", "resourceOwner"),
      type: text(event, "type", "type"),
      bySelf: text(event, "editor", "userId") === self,
      payload: at(event, "payload"),
      sequence: text(event, "sequence"),
      at: text(event, "creationDate"),
    }));
    // Who creates an organization is its first member.
    return seen.filter(({ id }) => id !== self);
  }

  async self(): Promise<string> {
    return text(await this.expect("GET", "/oidc/v1/userinfo"), "sub");
  }

  /** The organization as it is exported. */
  async exported(): Promise<string> {
    const request = { org_ids: [ORG], with_passwords: true, timeout: "1m" };
    return JSON.stringify(await this.expect("POST", "/admin/v1/export", request));
  }
}

function profileOf(
  person: Pick<Person, "firstName" | "lastName" | "nickName" | "displayName" | "preferredLanguage" | "gender">,
) {
  const { firstName: givenName, lastName: familyName, nickName, displayName, gender } = person;
  const preferredLanguage = person.preferredLanguage || "und";
  return { givenName, familyName, nickName, displayName, preferredLanguage, gender };
}

function stepsOf(from: Person["state"], to: Person["state"]): readonly string[] {
  if (from === to) return [];
  const back = { active: [], inactive: ["reactivate"], locked: ["unlock"] }[from];
  return [...back, ...{ active: [], inactive: ["deactivate"], locked: ["lock"] }[to]];
}
