/** Method and path of every call, shared by client and mock. spec: Endpoints; assumed ones are marked with their source. */
export const endpoints = {
  importData: { method: "POST", path: "/admin/v1/import" },
  exportData: { method: "POST", path: "/admin/v1/export" },
  /** service behaviour 0.14: the same method over gRPC-Web, whose answer may be of any size. */
  exportOverGrpcWeb: { method: "POST", path: "/zitadel.admin.v1.AdminService/ExportData" },
  /** service behaviour 0.16: which organizations there are. */
  searchOrgs: { method: "POST", path: "/admin/v1/orgs/_search" },
  /** service behaviour 9.44 */
  userGrants: { method: "POST", path: "/management/v1/users/grants/_search" },
  /** service behaviour 0.66: the users with a role on the instance. */
  instanceMembers: { method: "POST", path: "/admin/v1/members/_search" },
  /** service behaviour 9.18: what the token may do on the instance. */
  ownPermissions: { method: "POST", path: "/auth/v1/permissions/zitadel/me/_search" },
  /** service behaviour 9.1: the version of the instance. */
  myInstance: { method: "GET", path: "/admin/v1/instances/me" },
  /** service behaviour 9.15: how far the readers of the event log are. */
  searchViews: { method: "POST", path: "/admin/v1/views/_search" },
  /** service behaviour 1.8: the specification names the endpoint without its path. */
  searchEvents: { method: "POST", path: "/admin/v1/events/_search" },
  /** service behaviour 1.8: the types of events that the instance knows. */
  eventTypes: { method: "POST", path: "/admin/v1/events/types/_search" },
  /** service behaviour 0.3: the users API, of which the specification knows nothing. An id in a path is URL-encoded. */
  addUser: { method: "POST", path: "/v2/users/human" },
  users: { method: "GET", path: "/v2/users" },
  /** service behaviour 0.41: users that match conditions (tried on versions 2.62 and 4). */
  searchUsers: { method: "POST", path: "/v2/users" },
  /** service behaviour 0.28: the same, with the id in a JSON body and not in the path (tried on version 4). */
  userService: { method: "POST", path: "/zitadel.user.v2.UserService" },
  /** service behaviour 0.28: changes what is given of a user; the id follows. */
  updateUser: { method: "PUT", path: "/v2/users/human" },
  /** The older API, which 2.62 has for metadata of users, of the organization that the header names (tried on versions 2.62 and 4). */
  olderUsers: { method: "POST", path: "/management/v1/users" },
  /** The notification policy of the organization that the header names (tried on v4). */
  notificationPolicy: { method: "GET", path: "/management/v1/policies/notification" },
  /** OpenID Connect Core 1.0, 5.3: whose token it is (tried on versions 2.62 and 4 with personal access tokens). */
  userInfo: { method: "GET", path: "/oidc/v1/userinfo" },
  /** service behaviour 7: client credentials flow. */
  token: { method: "POST", path: "/oauth/v2/token" },
} as const;
