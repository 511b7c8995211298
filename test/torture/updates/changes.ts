import type { Secrets } from "../input/secrets.ts";
import { letters, type Random } from "../random.ts";
import {
  encode,
  genders,
  metadataEntries,
  type Person,
  randomAddress,
  randomName,
  randomPerson,
  randomPhone,
  randomUserName,
  toEntry,
} from "./person.ts";
import { seenIn } from "./seen.ts";
import type { MockSide } from "./side.ts";

export interface Source {
  readonly side: MockSide;
  readonly people: Map<string, Person>;
  /** Users that its events delete, and when they were last deleted or created; ISO 8601. */
  readonly removed: Map<string, string>;
  /** All users that the source has ever had. */
  readonly known: Set<string>;
}

/** Makes people in the source, the way that leaves them as they are meant to be. */
export async function addPeople({ side, people, removed, known }: Source, added: readonly Person[]): Promise<void> {
  for (const person of added) {
    person.neverFinished = person.hash !== "" && !person.isEmailVerified;
    if (person.neverFinished || person.hash === "") person.state = "active";
  }
  // Without a password only the users API keeps an address verified.
  const alone = added.filter(({ hash }) => hash === "");
  const together = added.filter(({ hash }) => hash !== "");
  await side.import({ humanUsers: together.map(toEntry), userMetadata: together.flatMap(metadataEntries) });
  for (const person of alone) await side.add(person);
  // The service makes a display name for a recreated user, who may exist on the target with another one, or with an empty one.
  const again = added.filter(({ id, displayName }) => displayName === "" && known.has(id));
  const seen = again.length === 0 ? undefined : seenIn(await side.events(await side.self()));
  for (const person of again) person.displayName = seen?.get(person.id)?.fields.get("displayName")?.value ?? "";
  for (const person of added) {
    people.set(person.id, person);
    known.add(person.id);
  }
  for (const { id } of added) if (removed.has(id)) removed.set(id, new Date().toISOString());
}

/** A random change of a user on the source and in the model; without effect if the service refuses it. */
export async function changeSource(random: Random, source: Source, secrets: Secrets): Promise<string> {
  const { side, people, removed } = source;
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
    removed.set(person.id, new Date().toISOString());
    if (!random.chance(0.3)) return `${person.id} goes`;
    const back = randomPerson(random, secrets, person.id);
    // The service deletes the metadata of a deleted user, and takes the same values for known: the recreated user has others.
    const same = { ...person, metadata: back.metadata, hash: secrets.bcrypt(random) };
    await addPeople(source, [random.chance(0.5) ? same : back]);
    return `${person.id} goes and comes back`;
  }
  return await changePerson(random, side, person, people, secrets);
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
  const always = ["name", "address", "names", "phone", "metadata"] as const;
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
    default:
      what satisfies never;
  }
  const isDone = await side.bring(person, next);
  if (isDone) Object.assign(person, next);
  return `${person.id} ${what}${isDone ? "" : " refused"}`;
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

/** A change by another account on the target: changes, creates or deletes a user. */
export async function changeTarget(
  random: Random,
  side: MockSide,
  { people }: Source,
  { secrets, untouchable }: { readonly secrets: Secrets; readonly untouchable: ReadonlySet<string> },
): Promise<string> {
  if (random.chance(0.2)) {
    const named = random.chance(0.3) ? random.pick([...people.keys(), undefined]) : undefined;
    const stranger = randomPerson(random, secrets, named);
    await side.import({ humanUsers: [toEntry(stranger)] });
    return `a stranger ${stranger.id}`;
  }
  const person = people.size === 0 ? undefined : random.pick([...people.values()]);
  if (person === undefined) return "nobody";
  // Of a deleted user nothing would be known of the role on the instance.
  if (random.chance(0.1) && !untouchable.has(person.id)) {
    await side.send("DELETE", `/v2/users/${encodeURIComponent(person.id)}`);
    return `${person.id} removed by somebody else`;
  }
  const copy = { ...person, neverFinished: false, metadata: new Map(person.metadata) };
  return `by somebody else: ${await changePerson(random, side, copy, new Map([[copy.id, copy]]), secrets)}`;
}
