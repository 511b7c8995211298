import * as z from "zod";

/** The values of an attribute; versions before 2 wrote one as a bare text. */
export type Attributes = ReadonlyMap<string, readonly string[]>;

export const NO_ATTRIBUTES: Attributes = new Map();

const Text = z.string().nullish();
const Flag = z.boolean().nullish();

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
 * One element of `users` in a realm export, as far as a wrong type in it is a fault. null counts as absent. The form of a credential
 * depends on its kind and age, and is checked where it is read. Of other members only the presence counts.
 */
export const User = z.object({
  id: Text,
  username: Text,
  email: Text,
  emailVerified: Flag,
  enabled: Flag,
  firstName: Text,
  lastName: Text,
  attributes: AttributeMap,
  credentials: z.array(z.unknown()).nullish(),
  requiredActions: z.array(z.string()).nullish(),
  federatedIdentities: z.array(z.object({ identityProvider: Text, userId: Text, userName: Text })).nullish(),
});
export type User = z.infer<typeof User>;

/** The row as it is, with unchecked fields. */
export type RawUser = Readonly<Record<string, unknown>>;
