import * as z from "zod";

/** The values of an attribute; versions before 2 wrote one as a bare text. */
export type Attributes = ReadonlyMap<string, readonly string[]>;

export const NO_ATTRIBUTES: Attributes = new Map();

const Text = z.string().nullish();
const Flag = z.boolean().nullish();
const WholeNumber = z.int().nullish();

const AttributeMap = z
  .unknown()
  .optional()
  .transform((value, context): Attributes => {
    if (value === null || value === undefined) return NO_ATTRIBUTES;
    const attributes = new Map<string, readonly string[]>();
    if (typeof value !== "object" || Array.isArray(value)) context.addIssue("an object");
    for (const [name, given] of Object.entries(value)) {
      const values = (Array.isArray(given) ? given : [given]).filter((one) => one !== null);
      if (values.every((one) => typeof one === "string")) attributes.set(name, values);
      else context.addIssue("an object with lists of strings");
    }
    return attributes;
  });

/**
 * One credential. What it is made of stands as JSON in two strings; before version 8 it stood in fields of its own, of which
 * `hashedSaltedValue` held the hash of a password or the key of one-time codes.
 */
const StoredCredential = z.object({
  type: Text,
  secretData: Text,
  credentialData: Text,
  hashedSaltedValue: Text,
  salt: Text,
  hashIterations: WholeNumber,
  algorithm: Text,
  digits: WholeNumber,
  period: WholeNumber,
});
export type StoredCredential = z.infer<typeof StoredCredential>;

/** One element of `users` in a realm export. null counts as absent; other fields are not read. */
export const User = z.object({
  id: Text,
  username: Text,
  email: Text,
  emailVerified: Flag,
  enabled: Flag,
  firstName: Text,
  lastName: Text,
  attributes: AttributeMap,
  credentials: z.array(StoredCredential).nullish(),
  requiredActions: z.array(z.string()).nullish(),
  federatedIdentities: z.array(z.object({ identityProvider: Text, userId: Text, userName: Text })).nullish(),
  // Of these it only counts whether there are any, so that nothing in them costs a user.
  realmRoles: z.unknown().optional(),
  clientRoles: z.unknown().optional(),
  groups: z.unknown().optional(),
  federationLink: z.unknown().optional(),
  serviceAccountClientId: z.unknown().optional(),
});
export type User = z.infer<typeof User>;
