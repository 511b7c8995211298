import * as z from "zod";
import { Fault } from "../http/faults.ts";
import { groups, statuses } from "../http/groups.ts";
import { hashLimitNames } from "./hash-limits.ts";
import { verifierNames } from "./traits.ts";

const text = z.string().min(1);
const Roles = z.array(z.string()).default(["IAM_OWNER"]);
const Token = z.strictObject({
  token: text,
  roles: Roles,
  userId: text.default("seeded"),
  userName: text.optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});
const Client = z.strictObject({
  clientId: text,
  clientSecret: text,
  userId: text.optional(),
  roles: Roles,
  expiresInSeconds: z.number().int().min(1).default(43_199),
});
const SourceConnection = z.strictObject({ id: text, name: text, strategy: z.string().default("auth0") });
const SourceOrganization = z.strictObject({
  id: text,
  name: text,
  members: z.record(z.string(), z.array(z.string())).default({}),
});
const SourceRole = z.strictObject({ id: text, name: text, users: z.array(z.string()).default([]) });

/** The seed file, as `SeedInput` describes it. Every key is optional. */
export const Seed = z.strictObject({
  tokens: z.array(Token).default([]),
  clients: z.array(Client).default([]),
  orgs: z.array(z.looseObject({ orgId: text })).default([]),
  instanceIdpIds: z.array(z.string()).default([]),
  verifiers: z.array(z.enum(verifierNames)).optional(),
  limits: z.partialRecord(z.enum(hashLimitNames), z.int().min(0)).optional(),
  without: z.partialRecord(z.enum(groups), z.literal(statuses)).optional(),
  faults: z.array(Fault).default([]),
  sourceConnections: z.array(SourceConnection).default([]),
  sourceOrganizations: z.array(SourceOrganization).default([]),
  sourceRoles: z.array(SourceRole).default([]),
  sourceUsers: z.array(z.record(z.string(), z.unknown())).default([]),
});
export type Seed = z.infer<typeof Seed>;

const calledBack = z.custom((value) => typeof value === "function", "write a function").optional();

/** The form of `MockOptions`, for callers without types. What has a check of its own is not checked here. */
export const Options = z.strictObject({
  dataDir: z.string().optional(),
  host: z.string().optional(),
  port: z.int().min(0).max(65_535).optional(),
  token: z.string().optional(),
  seed: z.unknown().optional(),
  faults: z.array(z.unknown()).optional(),
  mimic: z.unknown().optional(),
  without: z.partialRecord(z.enum(groups), z.literal(statuses).optional()).optional(),
  verifiers: Seed.shape.verifiers,
  limits: z.partialRecord(z.enum(hashLimitNames), z.int().min(0).optional()).optional(),
  maxRequestBytes: z.int().min(1).optional(),
  maxResponseBytes: z.int().min(1).optional(),
  now: calledBack,
  keepBodies: z.boolean().optional(),
  onRequest: calledBack,
  onNote: calledBack,
});

/** An invalid seed, or one whose import has errors; the message names the first. */
export class SeedMisfit extends Error {
  override readonly name = "SeedMisfit";
}
