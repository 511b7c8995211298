import * as z from "zod";

// The wire of Auth0's Management API v2, as its documentation has it (manage-users/user-migration/bulk-user-exports, api/management/v2);
// what the specification says of it is the call that asks for an export.

/** Paths of the calls. */
export const auth0Paths = {
  token: "/oauth/token",
  connections: "/api/v2/connections",
  organizations: "/api/v2/organizations",
  members: (id: string) => `/api/v2/organizations/${encodeURIComponent(id)}/members`,
  roles: "/api/v2/roles",
  roleUsers: (id: string) => `/api/v2/roles/${encodeURIComponent(id)}/users`,
  userExports: "/api/v2/jobs/users-exports",
  job: (id: string) => `/api/v2/jobs/${encodeURIComponent(id)}`,
} as const;

/** Rights that a token must have been given. */
export const auth0Scopes = {
  users: "read:users",
  connections: "read:connections",
  organizations: "read:organizations",
  members: "read:organization_members and read:organization_member_roles",
  roles: "read:roles",
} as const;

/** A link to an export is valid for a minute, and everything of a job is deleted after a day. */
export const auth0Limits = { jobHours: 24, fieldLength: 100, perPage: 100 } as const;

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

/** An organization or a role, which other calls name by its id. */
export const Auth0Named = z.object({ id: z.string().min(1), name: z.string().min(1) });
export type Auth0Named = z.infer<typeof Auth0Named>;

/** A member of an organization, with the roles that the user has there if they were asked for. */
export const Auth0Member = z.object({ user_id: z.string().min(1), roles: z.array(Auth0Named).nullish() });
export type Auth0Member = z.infer<typeof Auth0Member>;

/**
 * A page of a list: with `take` it is an object that may name the next one, otherwise a bare list.
 *
 * @param key the member that holds the elements.
 */
export function pageOf<Element extends z.ZodType>(key: string, element: Element) {
  const list = z.array(element);
  return z.union([
    list.transform((elements) => ({ elements, next: undefined })),
    z.looseObject({ [key]: list, next: z.string().nullish() }).transform(({ [key]: elements, next }) => ({
      elements: elements as z.infer<typeof list>,
      next: next as string | null | undefined,
    })),
  ]);
}

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
