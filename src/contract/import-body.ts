import { z } from "zod";

/**
 * One entry of `humanUsers` as orgferry writes it, keys in the specification's order. spec: Import body for users.
 * `hashedPassword` is absent for a user without a password.
 */
export const HumanUserEntry = z.strictObject({
  userId: z.string(),
  user: z.strictObject({
    userName: z.string(),
    profile: z.strictObject({ firstName: z.string(), lastName: z.string() }),
    email: z.strictObject({ email: z.string(), isEmailVerified: z.boolean() }),
    hashedPassword: z.strictObject({ value: z.string() }).optional(),
  }),
});
export type HumanUserEntry = z.infer<typeof HumanUserEntry>;

/** Lengths the service allows, in code points unless the name says bytes (service behaviour 1.4). */
export const serviceLimits = {
  userName: 200,
  firstName: 200,
  lastName: 200,
  nickName: 200,
  displayName: 200,
  preferredLanguage: 10,
  phone: 50,
  emailBytes: 254,
  emailLocalPartBytes: 64,
  hostNameBytes: 253,
  hostLabelBytes: 63,
} as const;
