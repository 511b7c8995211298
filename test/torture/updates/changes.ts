import type { Secrets } from "../input/secrets.ts";
import { digits, letters, type Random } from "../random.ts";
import {
  encode,
  genders,
  linkEntries,
  metadataEntries,
  type Person,
  randomAddress,
  randomIdentity,
  randomName,
  randomPerson,
  randomPhone,
  randomUserName,
  toEntry,
} from "./person.ts";
import { seenIn } from "./seen.ts";
import { type MockSide, ORG, OTHER_ORG } from "./side.ts";

export interface Source {
  readonly side: MockSide;
  readonly people: Map<string, Person>;
  /** Users that its events delete, and when they were last deleted or created; ISO 8601. */
  readonly removed: Map<string, string>;
  /** All users that the source has ever had. */
  readonly known: Set<string>;
  /** Machine users: their names by ids. */
  readonly machines: Map<string, string>;
  /** Users of both kinds with a role in the organization. */
  readonly members: Set<string>;
  /** The time on the instances; ISO 8601. */
  now(): string;
}

/** Makes people in the source, the way that leaves them as they are meant to be. */
export async function addPeople(
  { side, people, removed, known, now }: Source,
  added: readonly Person[],
): Promise<void> {
  for (const person of added) {
    person.neverFinished = person.hash !== "" && !person.isEmailVerified;
    if (person.neverFinished || person.hash === "") person.state = "active";
  }
  // Without a password only the users API keeps an address verified.
  const alone = added.filter(({ hash }) => hash === "");
  const together = added.filter(({ hash }) => hash !== "");
  await side.import({ humanUsers: together.map(toEntry), userMetadata: together.flatMap(metadataEntries) });
  for (const person of alone) await side.add(person);
  await side.import({ userLinks: added.flatMap(linkEntries) });
  // The service makes a display name for a recreated user, who may exist on the target with another one, or with an empty one.
  const again = added.filter(({ id, displayName }) => displayName === "" && known.has(id));
  const seen = again.length === 0 ? undefined : seenIn(await side.events(await side.self()));
  for (const person of again) person.displayName = seen?.get(person.id)?.fields.get("displayName")?.value ?? "";
  for (const person of added) {
    people.set(person.id, person);
    known.add(person.id);
  }
  for (const { id } of added) if (removed.has(id)) removed.set(id, now());
}

/** A random change of a user on the source and in the model; without effect if the service refuses it. */
export async function changeSource(random: Random, source: Source, secrets: Secrets): Promise<string> {
  const { side, people, removed } = source;
  if (random.chance(0.15)) return await changeBelongings(random, source);
  if (people.size === 0 || random.chance(0.15)) {
    const again = random.chance(0.3) ? random.pick([...removed.keys(), undefined]) : undefined;
    const id = again !== undefined && !people.has(again) ? again : undefined;
    const person = randomPerson(random, secrets, id);
    await addPeople(source, [person]);
    return `${person.id} is new`;
  }
  const person = random.pick([...people.values()]);
  if (random.chance(0.18)) {
    await side.expect("DELETE", `/v2/users/${encodeURIComponent(person.id)}`);
    people.delete(person.id);
    source.members.delete(person.id);
    removed.set(person.id, source.now());
    if (!random.chance(0.3)) return `${person.id} goes`;
    const back = randomPerson(random, secrets, person.id);
    // The service deletes the metadata of a deleted user, and takes the same values for known: the recreated user has others.
    const same = { ...person, metadata: back.metadata, links: back.links, hash: secrets.bcrypt(random) };
    await addPeople(source, [random.chance(0.5) ? same : back]);
    return `${person.id} goes and comes back`;
  }
  return await changePerson(random, side, person, people, secrets);
}

/** A machine user comes or goes, or a user gets a role in the organization. */
async function changeBelongings(random: Random, source: Source): Promise<string> {
  const { side, people, removed, machines, members, now } = source;
  const what = random.pick(["comes", "comes", "goes", "member", "member"] as const);
  if (what === "comes") return `${await addMachine(random, source)} comes`;
  const ids = [...(what === "member" ? people.keys() : []), ...machines.keys()];
  if (ids.length === 0) return "no machine user";
  const id = random.pick(ids);
  if (what === "member") {
    await addMembers(source, [id]);
    return `${id} gets a role in the organization`;
  }
  await side.expect("DELETE", `/v2/users/${encodeURIComponent(id)}`);
  machines.delete(id);
  members.delete(id);
  removed.set(id, now());
  return `${id} goes`;
}

/** Returns the id. */
export async function addMachine(random: Random, { side, machines }: Source): Promise<string> {
  const [userId, userName] = [`machine-${random.text(digits, 9)}`, randomUserName(random)];
  await side.import({ machineUsers: machineEntries(new Map([[userId, userName]])) });
  machines.set(userId, userName);
  return userId;
}

export async function addMembers({ side, members }: Source, ids: readonly string[]): Promise<void> {
  await side.import({ orgMembers: memberEntries(ids) });
  for (const id of ids) members.add(id);
}

export function machineEntries(machines: ReadonlyMap<string, string>): Record<string, unknown>[] {
  return [...machines].map(([userId, userName]) => ({ userId, user: { userId, userName, name: "Robot" } }));
}

export function memberEntries(ids: Iterable<string>): Record<string, unknown>[] {
  return [...ids].map((userId) => ({ userId, roles: ["ORG_OWNER"] }));
}

/** A random change of a user on an instance; true if it was done. */
async function changePerson(
  random: Random,
  side: MockSide,
  person: Person,
  people: ReadonlyMap<string, Person>,
  secrets: Secrets,
): Promise<string> {
  const next = { ...person };
  const always = ["name", "address", "names", "phone", "metadata", "link"] as const;
  const what = random.pick(person.neverFinished ? always : ([...always, "hash", "hash", "state"] as const));
  switch (what) {
    case "name": {
      const other = random.pick([...people.values()]);
      next.userName = randomUserName(random);
      if (random.chance(0.3) && other !== person) await passOn(random, side, person, other);
      break;
    }
    case "address":
      if (random.chance(0.7)) next.email = randomAddress(random, secrets);
      next.isEmailVerified = next.email === person.email || random.chance(0.6);
      break;
    case "names":
      changeNames(random, next);
      break;
    case "hash":
      next.hash = secrets.bcrypt(random);
      break;
    case "phone":
      next.phone = random.chance(0.3) ? "" : random.chance(0.7) ? randomPhone(random) : person.phone;
      next.isPhoneVerified = next.phone !== "" && (next.phone === person.phone || random.chance(0.5));
      break;
    case "state":
      next.state = random.pick(["active", "inactive", "locked"]);
      break;
    case "metadata":
      await changeMetadata(random, side, person);
      return `${person.id} metadata`;
    case "link":
      return `${person.id} link${await changeLink(random, side, person, people)}`;
    default:
      what satisfies never;
  }
  const isDone = await side.bring(person, next);
  if (isDone) Object.assign(person, next);
  return `${person.id} ${what}${isDone ? "" : " refused"}`;
}

/** A user gets an identity at the provider, maybe the one of another user, or loses one. */
async function changeLink(
  random: Random,
  side: MockSide,
  { id, links }: Person,
  people: ReadonlyMap<string, Person>,
): Promise<string> {
  const [last] = links;
  if (last !== undefined && random.chance(0.5)) {
    if (!(await side.unlink(id, last))) return " refused";
    links.delete(last);
    const other = random.pick([...people.values()]);
    if (other.id === id || !random.chance(0.4)) return " gone";
    if (await side.link(other.id, last)) other.links.add(last);
    return ` is ${other.id}'s`;
  }
  const external = randomIdentity(random);
  if (!(await side.link(id, external))) return " refused";
  links.add(external);
  return "";
}

/** A user gets the name that another user gives up. */
async function passOn(random: Random, side: MockSide, person: Person, other: Person): Promise<void> {
  const { userName } = person;
  const free = { ...person, userName: randomUserName(random) };
  if (!(await side.bring(person, free))) return;
  person.userName = free.userName;
  if (await side.bring(other, { ...other, userName })) other.userName = userName;
}

function changeNames(random: Random, next: Person): void {
  if (random.chance(0.6)) next.firstName = randomName(random);
  if (random.chance(0.4)) next.lastName = randomName(random);
  if (random.chance(0.4)) next.nickName = random.chance(0.3) ? "" : random.text(letters, 5);
  if (random.chance(0.4)) next.displayName = random.chance(0.3) ? "" : random.text(letters, 7);
  if (random.chance(0.3)) next.preferredLanguage = random.pick(["", "en", "de", "fr"]);
  if (random.chance(0.3)) next.gender = random.pick(genders);
}

async function changeMetadata(random: Random, side: MockSide, { id, metadata }: Person): Promise<void> {
  const key = random.pick(["plan", "team", "seit/ä"]);
  if (metadata.has(key) && random.chance(0.4)) {
    const path = `/v2/users/${encodeURIComponent(id)}/metadata?keys=${encodeURIComponent(key)}`;
    if ((await side.send("DELETE", path)).ok) metadata.delete(key);
    return;
  }
  const value = encode(random.text(letters, 8));
  const path = `/v2/users/${encodeURIComponent(id)}/metadata`;
  if ((await side.send("POST", path, { metadata: [{ key, value }] })).ok) metadata.set(key, value);
}

/** Callers of the target: the service user of the copy, and another account with all rights. */
export interface Callers {
  readonly self: MockSide;
  readonly others: MockSide;
}

/** A change on the target, by another account: changes, creates or deletes a user. */
export async function changeTarget(
  random: Random,
  callers: Callers,
  source: Source,
  { secrets, untouchable }: { readonly secrets: Secrets; readonly untouchable: ReadonlySet<string> },
): Promise<string> {
  const { people, machines } = source;
  if (random.chance(0.25)) return await addStranger(random, callers, source, secrets);
  const { others: side } = callers;
  const remove = async (id: string): Promise<string> => {
    await side.send("DELETE", `/v2/users/${encodeURIComponent(id)}`);
    return `${id} removed by somebody else`;
  };
  if (machines.size > 0 && random.chance(0.15)) {
    const id = random.pick([...machines.keys()]);
    return random.chance(0.5)
      ? await remove(id)
      : `${await remove(id)}, ${await addStranger(random, callers, { ...source, people: new Map() }, secrets, id)}`;
  }
  const person = people.size === 0 ? undefined : random.pick([...people.values()]);
  if (person === undefined) return "nobody";
  // Of a deleted user nothing would be known of the role on the instance.
  if (random.chance(0.1) && !untouchable.has(person.id)) return await remove(person.id);
  const copy = { ...person, neverFinished: false, metadata: new Map(person.metadata), links: new Set(person.links) };
  return `by somebody else: ${await changePerson(random, side, copy, new Map([[copy.id, copy]]), secrets)}`;
}

/**
 * Another program, or an import of other people by the same account, creates a user on the target, maybe with the id, the user name or the identity of a
 * user of the source.
 */
async function addStranger(
  random: Random,
  { self, others }: Callers,
  { people, removed, machines }: Source,
  secrets: Secrets,
  id?: string,
): Promise<string> {
  const ids = [...people.keys(), ...removed.keys(), ...machines.keys(), undefined];
  const named = id ?? (random.chance(0.7) ? random.pick(ids) : undefined);
  const stranger = randomPerson(random, secrets, named);
  const [known] = random.shuffled([...people.values()]);
  if (known !== undefined && random.chance(0.1)) stranger.userName = known.userName;
  if (known !== undefined && random.chance(0.2)) for (const external of known.links) stranger.links.add(external);
  const orgId = random.pick([ORG, OTHER_ORG]);
  const isByCopy = random.chance(orgId === OTHER_ORG ? 0.5 : 0.2);
  const { userId, userName } = { userId: stranger.id, userName: stranger.userName };
  const user = random.chance(0.2)
    ? { machineUsers: machineEntries(new Map([[userId, userName]])) }
    : { humanUsers: [toEntry(stranger)], userLinks: linkEntries(stranger) };
  await (isByCopy ? self : others).import(user, orgId);
  return `a stranger ${stranger.id} in ${orgId}${isByCopy ? " by the same account" : ""}`;
}
