import * as z from "zod";
import { Fault } from "../http/faults.ts";
import { groups, statuses } from "../http/groups.ts";
import { hashLimitNames } from "./hash-limits.ts";
import { verifierNames } from "./traits.ts";

const OrgDocument = z.looseObject({ orgId: z.string().min(1) });
const Roles = z.array(z.string()).default(["IAM_OWNER"]);

/** The seed file: tokens, organizations, faults. Every key is optional. */
export const Seed = z.strictObject({
  /** Personal access tokens. Without `expiresAt` they do not expire. */
  tokens: z
    .array(
      z.strictObject({
        token: z.string().min(1),
        roles: Roles,
        userId: z.string().min(1).default("seeded"),
        /** Default: the user id. */
        userName: z.string().min(1).optional(),
        expiresAt: z.iso.datetime({ offset: true }).optional(),
      }),
    )
    .default([]),
  /** For the client credentials flow. */
  clients: z
    .array(
      z.strictObject({
        clientId: z.string().min(1),
        clientSecret: z.string().min(1),
        /** Default: the client id. */
        userId: z.string().min(1).optional(),
        roles: Roles,
        expiresInSeconds: z.number().int().min(1).default(43_199),
      }),
    )
    .default([]),
  /** Organizations in the shape of an export. Existing organizations are not changed. */
  orgs: z.array(OrgDocument).default([]),
  /** Identity providers of the instance itself, which links of users may refer to. */
  instanceIdpIds: z.array(z.string()).default([]),
  /** Algorithms that the instance can verify passwords with. */
  verifiers: z.array(z.enum(verifierNames)).optional(),
  /** Limits of imported hashes that differ from those of a new instance. */
  limits: z.partialRecord(z.enum(hashLimitNames), z.int().min(0)).optional(),
  /** Groups of endpoints that the instance does not have, with the status they answer. */
  without: z.partialRecord(z.enum(groups), z.literal(statuses)).optional(),
  faults: z.array(Fault).default([]),
  /** Connections of the source provider; none: the default database of a tenant. */
  sourceConnections: z
    .array(z.strictObject({ id: z.string().min(1), name: z.string().min(1), strategy: z.string().default("auth0") }))
    .default([]),
  /** Organizations of the source provider, with the ids of their members and the members' roles there. */
  sourceOrganizations: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        name: z.string().min(1),
        members: z.record(z.string(), z.array(z.string())).default({}),
      }),
    )
    .default([]),
  /** Roles of the source provider, with the ids of the users who have them. */
  sourceRoles: z
    .array(z.strictObject({ id: z.string().min(1), name: z.string().min(1), users: z.array(z.string()).default([]) }))
    .default([]),
  /** Profiles in the source provider's bulk export. */
  sourceUsers: z.array(z.record(z.string(), z.unknown())).default([]),
});
export type Seed = z.infer<typeof Seed>;

/** An invalid seed, or one whose import has errors; the message names the first. */
export class SeedMisfit extends Error {
  override readonly name = "SeedMisfit";
}
