import { digits, letters, type Random } from "../random.ts";
import type { Secrets } from "./secrets.ts";

type Lists = Readonly<Record<string, readonly unknown[]>>;

/**
 * Everything that an organization has beside its people, each element referring only to what is in the same document, in an order of its
 * own: the order of sending is the program's business.
 */
export function randomLists(
  random: Random,
  orgIds: readonly string[],
  users: readonly { readonly id: string; readonly orgId: string }[],
  secrets: Secrets,
): Lists[] {
  let last = 0;
  const id = (kind: string): string => {
    last += 1;
    return `${kind}${random.text(digits, 12)}${last}`;
  };
  const many = (most: number): undefined[] => Array.from({ length: random.between(0, most) }, () => undefined);
  const people = users.map((user) => user.id);
  const made = orgIds.map((orgId) => ({
    orgId,
    projects: many(3).map(() => id("p")),
    machines: many(3).map(() => id("m")),
    actions: many(2).map(() => id("act")),
  }));
  const grants: { readonly grantId: string; readonly projectId: string; readonly orgId: string }[] = [];
  const allUsers = [...people, ...made.flatMap(({ machines }) => machines)];
  const anyUser = (): string | undefined => (allUsers.length === 0 ? undefined : random.pick(allUsers));
  const lists = made.map(({ orgId, projects, machines, actions }): Record<string, unknown[]> => {
    const apps = projects.flatMap((projectId) => many(2).map(() => ({ appId: id("app"), projectId })));
    const keyed = new Set<string>();
    for (const projectId of projects) {
      for (const other of orgIds) {
        if (other === orgId || !random.chance(0.4)) continue;
        grants.push({ grantId: id("g"), projectId, orgId: other });
      }
    }
    const own = users.filter((user) => user.orgId === orgId).map((user) => user.id);
    const once = (key: string): boolean => !keyed.has(key) && keyed.add(key).size > 0;
    return {
      domains: many(1).map(() => ({ domainName: `${id("d")}.example.net`, isVerified: true, isPrimary: false })),
      oidcIdps: many(1).map(() => ({
        idpId: id("idp"),
        idp: { name: "Google", clientId: "c", clientSecret: secrets.plain(random), issuer: "https://example.com" },
      })),
      machineUsers: machines.map((userId) => ({ userId, user: { userName: userId, name: "Robot" } })),
      machineKeys: machines.map((userId) => ({ keyId: id("mk"), userId, type: "KEY_TYPE_JSON", publicKey: "LS0t" })),
      userMetadata: random
        .some(own, 0.3)
        .map((userId) => ({ id: userId, key: random.text(letters, 5), value: random.pick(["Z29sZA==", "w6Q="]) })),
      userLinks: random.some(own, 0.1).map((userId) => ({
        userId,
        idpId: "idp",
        idpName: "Google",
        providedUserId: id("ext"),
        providedUserName: "x",
      })),
      projects: projects.map((projectId) => ({ projectId, project: { name: `Project ${projectId}` } })),
      projectRoles: projects.flatMap((projectId) =>
        many(2).map((_, at) => ({ projectId, roleKey: `role${at}`, displayName: "Role" })),
      ),
      oidcApps: apps.map(({ appId, projectId }) => ({ appId, app: { projectId, name: appId } })),
      apiApps: projects.flatMap((projectId) =>
        many(1).map(() => {
          const appId = id("api");
          return { appId, app: { projectId, name: appId } };
        }),
      ),
      appKeys: apps.map(({ appId, projectId }) => ({
        id: id("ak"),
        projectId,
        appId,
        clientId: "c",
        publicKey: "LS0t",
      })),
      actions: actions.map((actionId) => ({
        actionId,
        action: { name: actionId, script: "function x() {}", timeout: "10s" },
      })),
      triggerActions: actions.length === 0 ? [] : [{ flowType: "1", triggerType: "2", actionIds: actions }],
      projectGrants: grants
        .filter(({ projectId }) => projects.includes(projectId))
        .map(({ grantId, projectId, orgId: grantedOrgId }) => ({
          grantId,
          projectGrant: { projectId, grantedOrgId, roleKeys: [] },
        })),
      userGrants: projects.flatMap((projectId) =>
        random
          .some(own, 0.2)
          .filter((userId) => once(`grant ${projectId} ${userId}`))
          .map((userId) => ({ userId, projectId, roleKeys: [] })),
      ),
      orgMembers: [anyUser()].flatMap((userId) => (userId === undefined ? [] : [{ userId, roles: ["ORG_OWNER"] }])),
      projectMembers: projects.flatMap((projectId) => {
        const userId = anyUser();
        return userId === undefined ? [] : [{ projectId, userId, roles: ["PROJECT_OWNER"] }];
      }),
      projectGrantMembers: [],
    };
  });
  // Members and users of a granted project stand with the organization that it is granted to.
  for (const { grantId, projectId, orgId } of grants) {
    const there = lists[orgIds.indexOf(orgId)];
    const userId = users.find((user) => user.orgId === orgId)?.id;
    if (there === undefined || userId === undefined) continue;
    there["projectGrantMembers"]?.push({ projectId, grantId, userId, roles: ["PROJECT_GRANT_OWNER"] });
    if (random.chance(0.5)) there["userGrants"]?.push({ userId, projectId, projectGrantId: grantId, roleKeys: [] });
  }
  return lists;
}
