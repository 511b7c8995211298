import * as z from "zod";

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
