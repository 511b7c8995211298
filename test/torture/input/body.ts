import { gzipSync } from "node:zlib";
import { objectsIn } from "../instance/kinds.ts";
import { digits, hexDigits, letters, type Random } from "../random.ts";
import { randomLists } from "./lists.ts";
import type { Secrets } from "./secrets.ts";

/** A row of `humanUsers`, as the checks need it. */
export interface GivenUser {
  readonly id: string;
  readonly userName: string;
  readonly orgId: string;
  readonly otp: string;
  /** The service would refuse it, so it must not be sent. */
  readonly isInvalid: boolean;
}

export interface GivenOrg {
  readonly orgId: string;
  readonly name: string;
  readonly lists: Readonly<Record<string, readonly unknown[]>>;
}

/** An input file, and what is in it. */
export interface GivenBody {
  readonly bytes: Buffer;
  readonly form: "dataOrgs" | "dataOrgsv1" | "export";
  readonly orgs: readonly GivenOrg[];
  readonly users: readonly GivenUser[];
  /** Everything else: `<type> <key>`. */
  readonly others: ReadonlySet<string>;
}

export interface BodySettings {
  readonly mostUsers: number;
  /** With everything that hangs on users and projects. */
  readonly withLists: boolean;
  readonly withInvalid: boolean;
  readonly withTwins: boolean;
  readonly withNameless: boolean;
  readonly form: GivenBody["form"];
  /** Every organization has a name, so that it can be made. */
  readonly isNamed?: boolean;
  /** Not compressed. */
  readonly isPlain?: boolean;
  /** Of the call, as the service shall have it. */
  readonly timeout: string;
}

const names = [
  "Ada",
  "Zoë",
  "王",
  "Ümit",
  "Ørsted",
  "D'Arcy",
  'Quo"te',
  "back\\slash",
  "Иван",
  "😀",
  "a\u2028b",
  "‮gnip",
];

/** A random body: every value is the service's to take, unless it is meant to be invalid. */
export function randomBody(random: Random, settings: BodySettings, secrets: Secrets): GivenBody {
  const count = settings.form === "export" || settings.withLists ? random.between(1, 4) : random.pick([1, 1, 1, 2, 3]);
  const orgIds = Array.from(
    { length: count },
    (_, at) => `${random.text(digits.slice(1), 1)}${random.text(digits, 17)}${at}`,
  );
  const marker = random.text(letters, 4);
  const orgs: GivenOrg[] = [];
  const users: GivenUser[] = [];
  const people: Record<string, unknown>[][] = [];
  for (const orgId of orgIds) {
    const entries = randomPeople(random, orgId, marker, settings, secrets, users);
    people.push(entries);
  }
  const rest = settings.withLists
    ? randomLists(
        random,
        orgIds,
        users.filter(({ id, isInvalid }) => id !== "" && !isInvalid),
        secrets,
      )
    : orgIds.map(() => ({}));
  for (const [place, orgId] of orgIds.entries()) {
    // A plain body goes into organizations that are there; these are given names too, at times.
    const name =
      settings.form === "export" || settings.isNamed === true || random.chance(0.7) ? `Org ${marker} ${place}` : "";
    orgs.push({ orgId, name, lists: { humanUsers: people[place] ?? [], ...rest[place] } });
  }
  const others = new Set(orgs.flatMap(({ orgId, lists }) => objectsIn({ orgId, ...lists })));
  return { bytes: toBytes(random, orgs, settings), form: settings.form, orgs, users, others };
}

function randomPeople(
  random: Random,
  orgId: string,
  marker: string,
  { mostUsers, withInvalid, withTwins, withNameless }: BodySettings,
  secrets: Secrets,
  users: GivenUser[],
): Record<string, unknown>[] {
  const entries: Record<string, unknown>[] = [];
  const count = random.between(0, mostUsers);
  for (let at = 0; at < count; at += 1) {
    const isInvalid = withInvalid && random.chance(0.03);
    const twin = withTwins && users.length > 0 && random.chance(0.04) ? random.pick(users) : undefined;
    const id = twin?.id ?? (withNameless && random.chance(0.03) ? "" : randomId(random));
    const userName =
      withTwins && users.length > 0 && random.chance(0.03)
        ? random.pick(users).userName.toUpperCase()
        : `${marker}${users.length}.${random.text(letters, 4)}@${random.pick(["example.com", "xn--mller-kva.example", "EXAMPLE.org"])}`;
    const entry = randomPerson(random, { id, userName, isInvalid }, secrets);
    users.push({ id, userName, orgId, otp: entry.otp, isInvalid });
    entries.push(entry.fields);
  }
  return entries;
}

function randomId(random: Random): string {
  return random.pick([
    () => random.text(digits, 18),
    () => `auth0|${random.text(hexDigits, 24)}`,
    () => `google-oauth2|${random.text(digits, 21)}`,
    () => `f:${random.text(hexDigits, 8)}:${random.pick(["josé", "ß", "иван", "😀"])}${random.text(digits, 5)}`,
    () => `id with spaces ${random.text(digits, 6)}/${random.text(digits, 3)}?x=#%`,
    () => `${random.text(letters, 10)}_${random.text(letters, 190 - 11)}`,
  ])();
}

function randomPerson(
  random: Random,
  { id, userName, isInvalid }: { readonly id: string; readonly userName: string; readonly isInvalid: boolean },
  secrets: Secrets,
): { readonly fields: Record<string, unknown>; readonly otp: string } {
  const hash = random.chance(0.7) ? secrets.hash(random) : "";
  const otp = random.chance(0.1) ? secrets.otp(random) : "";
  const user = {
    userName: isInvalid && random.chance(0.5) ? "" : userName,
    profile: {
      firstName: random.pick(names),
      lastName: random.pick(names),
      ...(random.chance(0.2) ? { displayName: random.pick(names), preferredLanguage: "de" } : {}),
    },
    email: { email: isInvalid ? "no address" : userName.toLowerCase(), isEmailVerified: random.chance(0.7) },
    ...(random.chance(0.1)
      ? { phone: { phone: `+4179${random.text(digits, 7)}`, isPhoneVerified: random.chance(0.7) } }
      : {}),
    ...(hash === "" ? {} : { hashedPassword: { value: hash } }),
    ...(hash === "" && random.chance(0.2) ? { password: secrets.plain(random) } : {}),
    ...(otp === "" ? {} : { otpCode: otp }),
  };
  const state = random.chance(0.06) ? { state: random.pick(["USER_STATE_INACTIVE", "USER_STATE_LOCKED"]) } : {};
  return { fields: { ...(id === "" ? {} : { userId: id }), user, ...state }, otp };
}

/** Written as people and programs write JSON: on one line, indented, one user a line, with a mark, compressed. */
function toBytes(random: Random, orgs: readonly GivenOrg[], { form, timeout, isPlain = false }: BodySettings): Buffer {
  const document = {
    orgs: orgs.map(({ orgId, name, lists }) => ({
      ...(random.chance(0.9) ? { orgId } : {}),
      ...(name === "" ? {} : { org: { name } }),
      orgId,
      ...Object.fromEntries(random.shuffled(Object.entries(lists).filter(([, entries]) => entries.length > 0))),
    })),
  };
  const whole =
    form === "export" ? document : random.chance(0.5) ? { [form]: document, timeout } : { timeout, [form]: document };
  const plain = JSON.stringify(whole, undefined, random.pick([undefined, undefined, undefined, 2, "\t"]));
  const spaced = random.chance(0.3) ? plain.replaceAll('{"userId"', '\n{"userId"') : plain;
  const bytes = Buffer.from(`${random.chance(0.1) ? "\ufeff" : ""}${spaced}${random.pick(["", "\n", "\r\n  "])}`);
  return !isPlain && random.chance(0.1) ? gzipSync(bytes) : bytes;
}
