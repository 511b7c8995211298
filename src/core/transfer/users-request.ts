import type { MetadataEntry } from "../document/user-metadata.ts";
import { type Fields, fieldsOf, member, textMember } from "../json/members.ts";

/** What a user becomes after it was made: `state` of a humanUsers entry, which the users API takes in a call of its own. */
export type LaterState = "deactivate" | "lock";

/**
 * The body of `POST /v2/users/human` for an entry of `humanUsers` (service behaviour 0.3; tried on versions 2.62 and 4). Nobody
 * verified is mailed; of the others the service asks for a proof by mail or text message, or with `noMail` hands back a code that
 * nobody sees.
 */
export function toUsersRequest(
  entry: unknown,
  orgId: string,
  metadata: readonly MetadataEntry[],
  { noMail }: { readonly noMail: boolean },
): Fields {
  const userId = textMember(fieldsOf(entry), "userId");
  const user = fieldsOf(member(fieldsOf(entry), "user"));
  const proof = noMail ? { returnCode: {} } : { sendCode: {} };
  const email = fieldsOf(member(user, "email"));
  const phone = fieldsOf(member(user, "phone"));
  const links = member(user, "idps");
  return withoutNothing({
    userId: userId === "" ? undefined : userId,
    username: textMember(user, "userName"),
    organization: { orgId },
    profile: toProfile(fieldsOf(member(user, "profile"))),
    email: { email: textMember(email, "email"), ...(isTrue(email, "isEmailVerified") ? { isVerified: true } : proof) },
    phone: textMember(phone, "phone") === "" ? undefined : toPhone(phone, proof),
    ...toPassword(user),
    idpLinks: Array.isArray(links) && links.length > 0 ? links.map((link) => toLink(fieldsOf(link))) : undefined,
    totpSecret: textMember(user, "otpCode") === "" ? undefined : textMember(user, "otpCode"),
    metadata: metadata.length === 0 ? undefined : metadata.map(({ key, value }) => ({ key, value })),
  });
}

/** The call that follows the making of a user; undefined for somebody active (service behaviour 0.19b). */
export function laterState(entry: unknown): LaterState | undefined {
  const state = member(fieldsOf(entry), "state");
  if (state === "USER_STATE_INACTIVE" || state === 2) return "deactivate";
  return state === "USER_STATE_LOCKED" || state === 4 ? "lock" : undefined;
}

function toProfile(profile: Fields): Fields {
  return withoutNothing({
    givenName: textMember(profile, "firstName"),
    familyName: textMember(profile, "lastName"),
    nickName: member(profile, "nickName"),
    displayName: member(profile, "displayName"),
    preferredLanguage: member(profile, "preferredLanguage"),
    gender: member(profile, "gender"),
  });
}

function toPhone(phone: Fields, proof: Fields): Fields {
  return { phone: textMember(phone, "phone"), ...(isTrue(phone, "isPhoneVerified") ? { isVerified: true } : proof) };
}

/** As the import endpoint, which looks at a plain password only where there is no hash. */
function toPassword(user: Fields): Fields {
  const changeRequired = isTrue(user, "passwordChangeRequired") ? { changeRequired: true } : {};
  const hash = textMember(fieldsOf(member(user, "hashedPassword")), "value");
  if (hash !== "") return { hashedPassword: { hash, ...changeRequired } };
  const password = textMember(user, "password");
  return password === "" ? {} : { password: { password, ...changeRequired } };
}

/** The users API wants a name for the identity at the provider, which an entry need not have. */
function toLink(link: Fields): Fields {
  const userId = textMember(link, "externalUserId");
  return { idpId: textMember(link, "configId"), userId, userName: textMember(link, "displayName") || userId };
}

function isTrue(fields: Fields, name: string): boolean {
  return member(fields, name) === true;
}

function withoutNothing(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
