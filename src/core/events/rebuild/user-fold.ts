import { personEvents, stateEvents } from "../../../contract/events.ts";
import { comparedUserFields, isOfProfile } from "../../compared-fields.ts";
import { type Fields, fieldsOf, member, textMember } from "../../json/members.ts";
import { hashOf } from "../user-change.ts";
import { creationEvents, isCreationType, MACHINE_ADDED, USER_REMOVED } from "../user-life.ts";

/** The members of an event from which a user is rebuilt. `sequence` counts the events of the user. */
export interface FoldedEvent {
  readonly type: string;
  readonly sequence: number;
  readonly payload?: unknown;
}

/** The states of a user, as an export names them after `USER_STATE_`. */
export type RebuiltState = "ACTIVE" | "INACTIVE" | "LOCKED" | "INITIAL";

/** A link to an account of an identity provider. */
export interface RebuiltLink {
  readonly idpId: string;
  readonly externalId: string;
  readonly externalName: string;
}

/** A public key of a machine user. */
export interface RebuiltKey {
  readonly keyId: string;
  readonly expirationDate: string;
  readonly publicKey: string;
}

/** A user as the event log leaves them. */
export interface RebuiltUser {
  readonly isMachine: boolean;
  readonly state: RebuiltState;
  /** The texts of the user, by the names of the events: userName, firstName, email, name … */
  readonly texts: Readonly<Record<string, string>>;
  /** 0 or less if unspecified. */
  readonly gender: number;
  readonly isEmailVerified: boolean;
  readonly isPhoneVerified: boolean;
  /** "" without a password. */
  readonly hash: string;
  /** The service encrypts the secret, so the log does not contain it. */
  readonly hasOtp: boolean;
  /** Values in base64, by key. */
  readonly metadata: ReadonlyMap<string, string>;
  readonly links: readonly RebuiltLink[];
  readonly keys: readonly RebuiltKey[];
  /** The hashes of the recovery codes that were not used (service behaviour 9.26). */
  readonly recoveryCodes: readonly string[];
}

/**
 * The user that these events of one id leave, in any order, undefined if the last life ended with a removal. The service recreates a
 * removed id without its former metadata, links and keys (service behaviour 0.28).
 */
export function foldUser(events: readonly FoldedEvent[]): RebuiltUser | undefined {
  const ordered = [...events].sort((a, b) => a.sequence - b.sequence);
  let user: Draft | undefined;
  for (const { type, payload } of ordered) {
    const name = unversioned(type);
    if (isCreationType(type)) user = begun(user, type === MACHINE_ADDED);
    else if (type === USER_REMOVED) user = undefined;
    if (user !== undefined) steps[name]?.(user, fieldsOf(payload));
  }
  return user === undefined ? undefined : { ...user, links: [...user.links.values()], keys: [...user.keys.values()] };
}

const usualEvents = [
  ...creationEvents,
  USER_REMOVED,
  "user.username.changed",
  "user.domain.claimed",
  ...personEvents,
  "user.human.password.changed",
  "user.human.password.hash.updated",
  "user.human.initialization.code.added",
  "user.human.initialization.check.succeeded",
  "user.human.mfa.otp.verified",
  "user.human.mfa.otp.removed",
  ...stateEvents,
  "user.machine.changed",
  "user.metadata.set",
  "user.metadata.removed",
  "user.metadata.removed.all",
  "user.human.externalidp.added",
] as const;

/** Written only since the types have "human" in their names. */
const LATER: ReadonlySet<string> = new Set(["user.human.password.hash.updated", "user.human.externalidp.added"]);
const older = usualEvents
  .filter((type) => type.startsWith("user.human.") && !LATER.has(type) && !isCreationType(type))
  .map(unversioned);

/** The types of the events that rebuild users, in groups of which one search takes each (service behaviour 0.19). */
export const rebuildingEventTypes: readonly (readonly string[])[] = [
  usualEvents,
  [
    "user.human.externalidp.removed",
    "user.human.externalidp.cascade.removed",
    "user.human.externalidp.id.migrated",
    "user.human.externalidp.username.changed",
    "user.machine.key.added",
    "user.machine.key.removed",
    ...older,
  ],
];

/** More of them, which only versions with recovery codes know: a search for a type that is unknown fails (service behaviour 9.17). */
export const recoveryCodeEventTypes = [
  "user.human.mfa.recoverycode.added",
  "user.human.mfa.recoverycode.check.succeeded",
  "user.human.mfa.recoverycode.removed",
] as const;

/** The state of a fold. */
type Draft = {
  -readonly [Field in keyof Omit<RebuiltUser, "texts" | "metadata" | "links" | "keys">]: RebuiltUser[Field];
} & {
  readonly texts: Record<string, string>;
  readonly metadata: Map<string, string>;
  readonly links: Map<string, RebuiltLink>;
  readonly keys: Map<string, RebuiltKey>;
};

function begun(existing: Draft | undefined, isMachine: boolean): Draft {
  return {
    isMachine,
    state: "ACTIVE",
    texts: {},
    gender: 0,
    isEmailVerified: false,
    isPhoneVerified: false,
    hash: "",
    hasOtp: false,
    // A second creation of an existing user is written onto that user (service behaviour 0.43).
    metadata: existing?.metadata ?? new Map(),
    links: existing?.links ?? new Map(),
    keys: existing?.keys ?? new Map(),
    recoveryCodes: existing?.recoveryCodes ?? [],
  };
}

const profileTexts = comparedUserFields.flatMap((field) =>
  isOfProfile(field) && field.form !== "gender" && field.event !== undefined ? [field.event] : [],
);
const createdTexts = [...profileTexts, "userName", "email", "phone", "name", "description"];

type Step = (user: Draft, payload: Fields) => void;

const steps: Readonly<Record<string, Step>> = {
  "user.added": created,
  "user.selfregistered": created,
  "user.machine.added": created,
  "user.machine.changed": (user, payload) => takeTexts(user, payload, ["name", "description"]),
  "user.username.changed": (user, payload) => takeTexts(user, payload, ["userName"]),
  "user.domain.claimed": (user, payload) => takeTexts(user, payload, ["userName"]),
  "user.profile.changed": (user, payload) => {
    takeTexts(user, payload, profileTexts);
    takeGender(user, payload);
  },
  "user.email.changed": (user, payload) => {
    takeTexts(user, payload, ["email"]);
    user.isEmailVerified = false;
  },
  "user.email.verified": becomes({ isEmailVerified: true }),
  "user.phone.changed": (user, payload) => {
    takeTexts(user, payload, ["phone"]);
    user.isPhoneVerified = false;
  },
  "user.phone.verified": becomes({ isPhoneVerified: true }),
  "user.phone.removed": (user) => {
    user.texts["phone"] = "";
    user.isPhoneVerified = false;
  },
  "user.password.changed": takeHash,
  "user.password.hash.updated": takeHash,
  "user.initialization.code.added": becomes({ state: "INITIAL" }),
  "user.initialization.check.succeeded": becomes({ state: "ACTIVE" }),
  "user.mfa.otp.verified": becomes({ hasOtp: true }),
  "user.mfa.otp.removed": becomes({ hasOtp: false }),
  "user.mfa.recoverycode.added": takeCodes("added"),
  "user.mfa.recoverycode.check.succeeded": takeCodes("check.succeeded"),
  "user.mfa.recoverycode.removed": takeCodes("removed"),
  "user.locked": becomes({ state: "LOCKED" }),
  "user.unlocked": becomes({ state: "ACTIVE" }),
  "user.deactivated": becomes({ state: "INACTIVE" }),
  "user.reactivated": becomes({ state: "ACTIVE" }),
  "user.metadata.set": (user, payload) =>
    void user.metadata.set(textMember(payload, "key"), textMember(payload, "value")),
  "user.metadata.removed": (user, payload) => void user.metadata.delete(textMember(payload, "key")),
  "user.metadata.removed.all": (user) => user.metadata.clear(),
  "user.externalidp.added": (user, payload) =>
    link(user, {
      idpId: textMember(payload, "idpConfigId"),
      externalId: textMember(payload, "userId"),
      externalName: textMember(payload, "displayName"),
    }),
  "user.externalidp.removed": unlink,
  "user.externalidp.cascade.removed": unlink,
  "user.externalidp.id.migrated": (user, payload) => {
    const idpId = textMember(payload, "idpConfigId");
    const former = linkKey(idpId, textMember(payload, "previousId"));
    const known = user.links.get(former);
    if (known === undefined) return;
    user.links.delete(former);
    link(user, { ...known, externalId: textMember(payload, "newId") });
  },
  "user.externalidp.username.changed": (user, payload) => {
    const known = user.links.get(linkKey(textMember(payload, "idpConfigId"), textMember(payload, "userId")));
    if (known !== undefined) link(user, { ...known, externalName: textMember(payload, "username") });
  },
  "user.machine.key.added": (user, payload) => {
    const keyId = textMember(payload, "keyId");
    const [expirationDate, publicKey] = [textMember(payload, "expirationDate"), textMember(payload, "publicKey")];
    user.keys.set(keyId, { keyId, expirationDate, publicKey });
  },
  "user.machine.key.removed": (user, payload) => void user.keys.delete(textMember(payload, "keyId")),
};

function becomes(
  change: Partial<Pick<Draft, "state" | "isEmailVerified" | "isPhoneVerified" | "hasOtp" | "recoveryCodes">>,
): Step {
  return (user) => void Object.assign(user, change);
}

/** The hashes of the recovery codes that an event leaves: new ones are added to those that are left, and each is used once. */
export function remainingCodes(before: readonly string[], type: string, payload: unknown): readonly string[] {
  const fields = fieldsOf(payload);
  if (type.endsWith("removed")) return [];
  if (type.endsWith("succeeded")) return before.filter((code) => code !== textMember(fields, "codeChecked"));
  const codes = member(fields, "codes");
  return Array.isArray(codes) ? [...before, ...codes.map(String)] : before;
}

function takeCodes(end: "added" | "check.succeeded" | "removed"): Step {
  return (user, payload) => {
    user.recoveryCodes = remainingCodes(user.recoveryCodes, end, payload);
  };
}

/** The first major version wrote the same events without "human" in their types. */
function unversioned(type: string): string {
  return type.replace(/^user\.human\./, "user.");
}

function created(user: Draft, payload: Fields): void {
  takeTexts(user, payload, createdTexts);
  takeGender(user, payload);
  takeHash(user, payload);
}

function takeTexts(user: Draft, payload: Fields, names: readonly string[]): void {
  for (const name of names) {
    const value = member(payload, name);
    if (typeof value === "string") user.texts[name] = value;
  }
}

function takeGender(user: Draft, payload: Fields): void {
  const value = member(payload, "gender");
  if (typeof value === "number") user.gender = value;
}

function takeHash(user: Draft, payload: Fields): void {
  const hash = hashOf(payload);
  if (hash !== "") user.hash = hash;
}

function linkKey(idpId: string, externalId: string): string {
  return `${idpId}\u0000${externalId}`;
}

function link(user: Draft, added: RebuiltLink): void {
  user.links.set(linkKey(added.idpId, added.externalId), added);
}

function unlink(user: Draft, payload: Fields): void {
  user.links.delete(linkKey(textMember(payload, "idpConfigId"), textMember(payload, "userId")));
}
