/** JSON as it came. */
export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** A member in camel or snake case. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current: unknown = value;
  for (const name of path) {
    const here = fields(current);
    current = here[name] ?? here[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  }
  return current;
}

export function text(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** What an element refers to: a user, a project, an app, an action, a grant, an organization. */
export type Reference = readonly [kind: "user" | "project" | "app" | "action" | "grant" | "org", id: string];

/**
 * A kind of object beside organizations and human users: how the service names it. Written down from what running services answered
 * (service behaviour 1.6, 2.1, 2.2), not from the program under test.
 */
export interface Kind {
  readonly list: string;
  readonly type: string;
  /** In which of its three rounds the service works on it. */
  readonly round: 1 | 2 | 3;
  /** Ends the service's process when it is missing. */
  readonly inner?: string;
  readonly key: (entry: unknown, orgId: string) => string;
  /** In its errors; the key where it is not said. */
  readonly errorId?: (entry: unknown, orgId: string) => string;
  readonly success: readonly [list: string, element: (entry: unknown) => unknown];
  readonly needs?: (entry: unknown) => readonly Reference[];
  /** What it is said to be when it is there; undefined: it is replaced without a word. */
  readonly exists: string | undefined;
  /** The event of its making. */
  readonly event?: string;
  /** The reference that others may make to it. */
  readonly is?: Reference[0];
}

const joined = (entry: unknown, ...names: readonly string[]): string =>
  names.map((name) => text(entry, name)).join("_");
const byId = (name: string) => (entry: unknown) => text(entry, name);
const user = (entry: unknown): Reference => ["user", text(entry, "userId")];
const project = (entry: unknown, ...path: readonly string[]): Reference => [
  "project",
  text(entry, ...path, "projectId"),
];
const pairs = (entry: unknown, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, text(entry, name)]));

/** In the order in which the service works on them within a round. */
export const kinds: readonly Kind[] = [
  {
    list: "domains",
    type: "domain",
    round: 1,
    key: (entry, orgId) => `${orgId}_${text(entry, "domainName")}`,
    success: ["domains", byId("domainName")],
    exists: "ID=V2-e1wse Message=Errors.Already.Exists",
  },
  {
    list: "oidcIdps",
    type: "oidc_idp",
    round: 1,
    inner: "idp",
    key: byId("idpId"),
    success: ["oidcIpds", byId("idpId")],
    exists: "ID=Org-1mkf8 Message=Errors.IDPConfig.AlreadyExists",
  },
  {
    list: "machineUsers",
    type: "machine_user",
    round: 1,
    inner: "user",
    // Tried: `userId` beside it is not looked at.
    key: (entry) => text(entry, "user", "userId"),
    success: ["machineUserIds", byId("userId")],
    exists: "ID=COMMAND-k2una Message=Errors.User.AlreadyExisting",
    event: "user.machine.added",
    is: "user",
  },
  {
    list: "userMetadata",
    type: "user_metadata",
    round: 1,
    key: (entry) => joined(entry, "id", "key"),
    success: ["userMetadata", (entry) => ({ userId: text(entry, "id"), key: text(entry, "key") })],
    needs: (entry) => [["user", text(entry, "id")]],
    exists: undefined,
  },
  {
    list: "machineKeys",
    type: "machine_user_key",
    round: 1,
    key: byId("keyId"),
    success: ["machineKeys", byId("keyId")],
    needs: (entry) => [user(entry)],
    exists: "ID=COMMAND-091mops Message=Errors.User.Machine.Key.AlreadyExists",
  },
  {
    list: "userLinks",
    type: "user_link",
    round: 1,
    key: (entry) => joined(entry, "userId", "idpId", "providedUserId"),
    errorId: (entry) => joined(entry, "userId", "idpId"),
    success: [
      "userLinks",
      (entry) => ({ ...pairs(entry, "userId", "idpId"), externalUserId: text(entry, "providedUserId") }),
    ],
    needs: (entry) => [user(entry)],
    exists: "ID=V3-DKcYh Message=Errors.User.ExternalIDP.AlreadyExists",
    event: "user.human.externalidp.added",
  },
  {
    list: "projects",
    type: "project",
    round: 1,
    inner: "project",
    key: byId("projectId"),
    success: ["projectIds", byId("projectId")],
    exists: "ID=COMMAND-opamwu Message=Errors.Project.AlreadyExisting",
    event: "project.added",
    is: "project",
  },
  ...(["oidc", "api"] as const).map(
    (protocol): Kind => ({
      list: `${protocol}Apps`,
      type: `${protocol}_app`,
      round: 1,
      inner: "app",
      key: byId("appId"),
      success: [`${protocol}AppIds`, byId("appId")],
      needs: (entry) => [project(entry, "app")],
      exists: "ID=PROJECT-lxowmp Message=Errors.Project.App.AlreadyExisting",
      is: "app",
    }),
  ),
  {
    list: "appKeys",
    type: "app_key",
    round: 1,
    key: byId("id"),
    success: ["appKeys", byId("id")],
    needs: (entry) => [["app", text(entry, "appId")]],
    exists: "ID=COMMAND-5m9sd Message=Errors.Project.App.Key.AlreadyExists",
  },
  {
    list: "actions",
    type: "action",
    round: 1,
    inner: "action",
    key: byId("actionId"),
    success: ["actionIds", byId("actionId")],
    exists: "ID=COMMAND-nau2k Message=Errors.Action.AlreadyExisting",
    event: "action.added",
    is: "action",
  },
  {
    list: "projectRoles",
    type: "project_role",
    round: 1,
    key: (entry) => joined(entry, "projectId", "roleKey"),
    success: ["projectRoles", (entry) => joined(entry, "projectId", "roleKey")],
    needs: (entry) => [project(entry)],
    exists: "ID=PROJECT-37fug Message=Errors.AlreadyExists",
  },
  {
    list: "triggerActions",
    type: "trigger_action",
    round: 2,
    key: (entry, orgId) => `${orgId}_${joined(entry, "flowType", "triggerType")}`,
    errorId: (entry) => joined(entry, "flowType", "triggerType"),
    success: ["triggerActions", (entry) => pairs(entry, "flowType", "triggerType")],
    needs: (entry) => list(entry, "actionIds").map((id): Reference => ["action", String(id)]),
    exists: "ID=COMMAND-Nfh52 Message=Errors.Flow.NoChanges.AlreadyExists",
  },
  {
    list: "projectGrants",
    type: "project_grant",
    round: 2,
    inner: "projectGrant",
    key: byId("grantId"),
    errorId: (entry, orgId) => `${orgId}_${joined(at(entry, "projectGrant"), "projectId", "grantedOrgId")}`,
    success: [
      "projectGrants",
      (entry) => ({
        grantId: text(entry, "grantId"),
        projectId: text(entry, "projectGrant", "projectId"),
        orgId: text(entry, "projectGrant", "grantedOrgId"),
      }),
    ],
    needs: (entry) => [project(entry, "projectGrant"), ["org", text(entry, "projectGrant", "grantedOrgId")]],
    exists: "ID=V3-DKcYh Message=Errors.Project.Grant.AlreadyExists",
    event: "project.grant.added",
    is: "grant",
  },
  {
    list: "userGrants",
    type: "user_grant",
    round: 2,
    key: (entry, orgId) => `${orgId}_${joined(entry, "projectId", "projectGrantId", "userId")}`,
    errorId: (entry, orgId) => `${orgId}_${joined(entry, "projectId", "userId")}`,
    success: ["userGrants", (entry) => pairs(entry, "projectId", "userId")],
    needs: (entry) => [
      user(entry),
      project(entry),
      ...(text(entry, "projectGrantId") === "" ? [] : [["grant", text(entry, "projectGrantId")] as const]),
    ],
    exists: "ID=V3-DKcYh Message=Errors.UserGrant.AlreadyExists",
  },
  {
    list: "orgMembers",
    type: "org_member",
    round: 3,
    key: (entry, orgId) => `${orgId}_${text(entry, "userId")}`,
    success: ["orgMembers", byId("userId")],
    needs: (entry) => [user(entry)],
    exists: "ID=V3-DKcYh Message=Errors.Member.AlreadyExists",
  },
  {
    list: "projectGrantMembers",
    type: "project_grant_member",
    round: 3,
    key: (entry, orgId) => `${orgId}_${joined(entry, "projectId", "grantId", "userId")}`,
    success: ["projectGrantMembers", (entry) => pairs(entry, "projectId", "grantId", "userId")],
    needs: (entry) => [user(entry), project(entry), ["grant", text(entry, "grantId")]],
    exists: "ID=V3-DKcYh Message=Errors.Member.AlreadyExists",
  },
  {
    list: "projectMembers",
    type: "project_member",
    round: 3,
    key: (entry, orgId) => `${orgId}_${joined(entry, "projectId", "userId")}`,
    success: ["projectMembers", (entry) => pairs(entry, "projectId", "userId")],
    needs: (entry) => [user(entry), project(entry)],
    exists: "ID=V3-DKcYh Message=Errors.Member.AlreadyExists",
  },
];
