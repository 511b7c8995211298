import * as z from "zod";

// The wire of Auth0's Management API v2, as its documentation has it (manage-users/user-migration/bulk-user-exports, api/management/v2);
// what the specification says of it is the call that asks for an export.

/** Paths of the calls. */
export const auth0Paths = {
  token: "/oauth/token",
  connections: "/api/v2/connections",
  userExports: "/api/v2/jobs/users-exports",
  job: (id: string) => `/api/v2/jobs/${encodeURIComponent(id)}`,
} as const;

/** Rights that a token must have been given. */
export const auth0Scopes = { users: "read:users", connections: "read:connections" } as const;

/** A link to an export is valid for a minute, and everything of a job is deleted after a day. */
export const auth0Limits = { jobHours: 24, fieldLength: 100, connectionsPerPage: 100 } as const;

/** Body of the call that asks for an export; without `connection_id` it is of the whole tenant. */
export interface UserExportRequest {
  readonly connection_id?: string;
  readonly format: "json";
  readonly fields: readonly { readonly name: string }[];
}

/** A job as it is answered with when it is made and when it is asked for. */
export const Job = z.object({
  id: z.string().min(1),
  status: z.string(),
  created_at: z.string().nullish(),
  /** Where the file is, once the job is completed. */
  location: z.string().nullish(),
  percentage_done: z.number().nullish(),
  time_left_seconds: z.number().nullish(),
  status_details: z.string().nullish(),
});
export type Job = z.infer<typeof Job>;

/** A connection: a database of users, or a way to sign in elsewhere. */
export const Connection = z.object({ id: z.string().min(1), name: z.string(), strategy: z.string().nullish() });
export type Connection = z.infer<typeof Connection>;

/** A page of them: with `take` it is an object that may name the next one, otherwise it was a bare list. */
export const Connections = z.union([
  z.array(Connection).transform((connections) => ({ connections, next: undefined })),
  z.object({ connections: z.array(Connection), next: z.string().nullish() }),
]);

/** Answer of the token endpoint. */
export const Auth0Token = z.object({ access_token: z.string().min(1), expires_in: z.number().optional() });

/** A refused call. The token endpoint has `error_description` in place of `message`. */
export const Auth0Error = z.object({
  statusCode: z.number().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  errorCode: z.string().optional(),
  error_description: z.string().optional(),
});
export type Auth0Error = z.infer<typeof Auth0Error>;
