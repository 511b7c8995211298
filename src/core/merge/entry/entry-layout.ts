import type { SourceUser } from "../source-user.ts";

/**
 * The one description of an entry of `humanUsers`: which key holds which field, in the order of the specification (spec: Import
 * body for users; service behaviour 1.4 for the keys that it does not show). What is absent is left out.
 */
export function toEntry(user: SourceUser) {
  const { userId, userName, firstName, lastName, nickName, displayName, preferredLanguage, gender } = user;
  const { email, isEmailVerified = false, phone, isPhoneVerified = false, hash, otpSecret, idpLinks, state } = user;
  return {
    userId,
    user: {
      userName,
      profile: { firstName, lastName, nickName, displayName, preferredLanguage, gender },
      email: email === undefined ? undefined : { email, isEmailVerified },
      phone: phone === undefined ? undefined : { phone, isPhoneVerified },
      hashedPassword: hash === undefined ? undefined : { value: hash },
      passwordChangeRequired: user.isPasswordChangeRequired,
      otpCode: otpSecret,
      idps: hash === undefined ? idpLinks?.map(({ idpId, ...link }) => ({ configId: idpId, ...link })) : undefined,
    },
    state: state === undefined ? undefined : STATES[state],
  };
}

/** The lists of an organization that say more of its users, in the order in which a body holds them. */
export const besideLists = ["userMetadata", "userLinks"] as const;
export type BesideList = (typeof besideLists)[number];

/**
 * What stands of a user in the lists beside `humanUsers`. The links of somebody with a hash do: a provider that is not there, or lets
 * nobody in by it, costs the link alone. Without a hash they stand in the entry: such a user keeps a verified address and gets no mail,
 * but is not made unless the provider is there and lets people in (service behaviour 0.27).
 */
export const besidesOf: Readonly<Record<BesideList, (user: SourceUser) => readonly object[]>> = {
  userMetadata: ({ userId, metadata = [] }) =>
    metadata.map(({ key, value }) => ({ id: userId, key, value: Buffer.from(value).toString("base64") })),
  userLinks: ({ userId, hash, idpLinks = [] }) =>
    (hash === undefined ? [] : idpLinks).map(({ idpId, externalUserId, displayName = externalUserId }) => ({
      userId,
      idpId,
      providedUserId: externalUserId,
      providedUserName: displayName,
    })),
};

const STATES = { inactive: "USER_STATE_INACTIVE", locked: "USER_STATE_LOCKED" } as const;

/** The fixed text of a plain user's entry. */
export interface PlainLayout {
  /** In front of id, user name, first name, last name and address. */
  readonly before: readonly [string, string, string, string, string];
  /** What ends an entry without a hash, and what stands in front of a hash; by whether the address is verified. */
  readonly tail: Readonly<Record<"verified" | "unverified", { readonly end: string; readonly hash: string }>>;
  /** What stands behind a hash. */
  readonly afterHash: string;
}

/** The layout of a plain user (id, address, names, bcrypt hash), found by looking at what `toEntry` makes of one. */
export const plainLayout: PlainLayout = layoutOf();

function layoutOf(): PlainLayout {
  const holes = { userId: "\u0001", userName: "\u0001", firstName: "\u0001", lastName: "\u0001", email: "\u0001" };
  const pieces = (isEmailVerified: boolean, hash?: "\u0001"): readonly string[] => {
    const user = { ...holes, isEmailVerified, ...(hash === undefined ? {} : { hash }) };
    return JSON.stringify(toEntry(user)).split(JSON.stringify("\u0001").slice(1, -1));
  };
  const [a = "", b = "", c = "", d = "", e = ""] = pieces(false);
  const tail = (isEmailVerified: boolean) => ({
    end: pieces(isEmailVerified).at(-1) ?? "",
    hash: pieces(isEmailVerified, "\u0001").at(-2) ?? "",
  });
  return {
    before: [a, b, c, d, e],
    tail: { verified: tail(true), unverified: tail(false) },
    afterHash: pieces(true, "\u0001").at(-1) ?? "",
  };
}
