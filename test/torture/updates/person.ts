import type { Secrets } from "../input/secrets.ts";
import { digits, letters, type Random } from "../random.ts";
import { IDP } from "./side.ts";

/** A user of the source; missing values are "". */
export interface Person {
  readonly id: string;
  userName: string;
  email: string;
  isEmailVerified: boolean;
  firstName: string;
  lastName: string;
  nickName: string;
  displayName: string;
  preferredLanguage: string;
  gender: string;
  phone: string;
  isPhoneVerified: boolean;
  hash: string;
  state: "active" | "inactive" | "locked";
  /** Has to finish the registration on the source first, which allows few changes; the source keeps the rest. */
  neverFinished: boolean;
  readonly metadata: Map<string, string>;
  /** Identities at the provider. */
  readonly links: Set<string>;
}

export const genders = ["GENDER_UNSPECIFIED", "GENDER_FEMALE", "GENDER_MALE", "GENDER_DIVERSE"];

/** Marked, so that an address that gets where it does not belong is found. */
export function randomAddress(random: Random, secrets: Secrets): string {
  return secrets.mark(`${random.text(letters, 18)}@mail.example`);
}

export function randomPhone(random: Random): string {
  return `+4179${random.text("23456789", 1)}${random.text(digits, 6)}`;
}

export function randomName(random: Random): string {
  return random.pick(["Ada", "Grace", "Zoë", "李", "O'Neil", "von der Höh", " two  spaces", random.text(letters, 6)]);
}

export function randomUserName(random: Random): string {
  return random.text(letters, 12);
}

/** A new user with a new id. */
export function randomPerson(random: Random, secrets: Secrets, id?: string): Person {
  const [firstName, lastName] = [randomName(random), randomName(random)];
  const hasPhone = random.chance(0.3);
  return {
    id: id ?? `id-${random.text(digits, 12)}${random.chance(0.1) ? "|a 1" : ""}`,
    userName: randomUserName(random),
    email: randomAddress(random, secrets),
    isEmailVerified: random.chance(0.85),
    firstName,
    lastName,
    nickName: random.chance(0.3) ? random.text(letters, 5) : "",
    displayName: random.chance(0.3) ? random.text(letters, 8) : `${firstName} ${lastName}`,
    preferredLanguage: random.pick(["", "en", "de", "fr"]),
    gender: random.pick(genders),
    phone: hasPhone ? randomPhone(random) : "",
    isPhoneVerified: hasPhone && random.chance(0.5),
    hash: random.chance(0.85) ? secrets.bcrypt(random) : "",
    state: random.pick(["active", "active", "active", "active", "inactive", "locked"]),
    neverFinished: false,
    metadata: new Map(
      random.some(["plan", "team", "seit/ä"], 0.25).map((key) => [key, encode(random.text(letters, 6))]),
    ),
    links: new Set(random.chance(0.35) ? [randomIdentity(random)] : []),
  };
}

export function randomIdentity(random: Random): string {
  return `ext${random.text(digits, 9)}`;
}

export function encode(value: string): string {
  return Buffer.from(value).toString("base64");
}

/** As an import takes them; of an export when `isWhole` it says everything, of a body only what there is. */
export function toEntry(person: Person): Record<string, unknown> {
  const { id: userId, userName, email, isEmailVerified, phone, isPhoneVerified, hash, state } = person;
  const { firstName, lastName, nickName, displayName, preferredLanguage, gender } = person;
  return {
    userId,
    user: {
      userName,
      profile: { firstName, lastName, nickName, displayName, preferredLanguage, gender },
      email: { email, isEmailVerified },
      ...(phone === "" ? {} : { phone: { phone, isPhoneVerified } }),
      ...(hash === "" ? {} : { hashedPassword: { value: hash } }),
    },
    state: `USER_STATE_${state.toUpperCase()}`,
  };
}

export function linkEntries({ id: userId, links }: Person): Record<string, unknown>[] {
  return [...links].map((external) => ({
    userId,
    idpId: IDP,
    idpName: "Provider",
    providedUserId: external,
    providedUserName: external,
  }));
}

export function metadataEntries({ id, metadata }: Person): Record<string, unknown>[] {
  return [...metadata].map(([key, value]) => ({ id, key, value }));
}
