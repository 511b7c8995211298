import { describe, expect, test } from "vitest";
import { human, type ImportReply, startMock } from "../helpers/mock-client.ts";

const acme = { orgId: "1", org: { name: "Acme" } };
const existing = { type: "org", id: "1", message: "ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting" };

/** Ids of the human users that were created. */
const created = ({ success }: ImportReply): unknown => success?.orgs?.[0]?.["humanUserIds"];
const TAKEN =
  'Parent=(ERROR: duplicate key value violates unique constraint "unique_constraints_pkey" (SQLSTATE 23505))';
/** Errors besides the one an existing organization always gives. */
const failures = ({ errors = [] }: ImportReply) => errors.filter(({ message }) => message !== existing.message);

describe("service behaviour 2.2, per-entry errors", () => {
  test("user name taken: two organizations may share one where login names end in the organization's domain", async () => {
    const { importOrgs } = await startMock();
    const domainPolicy = { orgId: "x", userLoginMustBeDomain: true };
    const user = (id: string) => human(id, { userName: "ada" });
    const result = await importOrgs(
      { ...acme, domainPolicy, humanUsers: [user("a")] },
      { orgId: "2", org: { name: "Bolt" }, domainPolicy, humanUsers: [user("b")] },
    );
    expect(failures(result)).toEqual([]);
  });

  test("userName's @domain is a verified domain of another org: COMMAND-SFd21", async () => {
    const { importOrgs } = await startMock();
    const domains = [{ orgId: "1", domainName: "acme.com" }]; // verified at once, where no policy wants a proof
    const outsider = human("b", { userName: "b@acme.com" });
    const result = await importOrgs(
      { ...acme, domains, humanUsers: [human("a", { userName: "a@acme.com" })] },
      { orgId: "2", org: { name: "Bolt" }, humanUsers: [outsider] },
    );
    expect(created(result)).toEqual(["a"]);
    expect(failures(result)).toEqual([
      { type: "human_user", id: "b", message: "ID=COMMAND-SFd21 Message=Errors.User.DomainNotAllowedAsUsername" },
    ]);
  });

  test.each([
    ["", "ID=EMAIL-spblu Message=Errors.User.Email.Empty"],
    ["nobody", "ID=EMAIL-599BI Message=Errors.User.Email.Invalid"],
  ])("email empty or invalid beyond PGV (%j), as only a file in object storage can hold it", async (email, message) => {
    const { mock } = await startMock();
    const result = await mock.importOrgs([{ ...acme, humanUsers: [human("a", { email: { email } })] }]);
    expect(result).toMatchObject({ errors: [{ type: "human_user", id: "a", message }] });
  });

  test.each([
    ["Sh0rt!", "DOMAIN-HuJf6", "MinLength"],
    ["NO-LOWER-1", "DOMAIN-co3Xw", "HasLower"],
    ["no-upper-1", "DOMAIN-VoaRj", "HasUpper"],
    ["No-number", "DOMAIN-ZBv4H", "HasNumber"],
    ["NoSymbol1", "DOMAIN-ZDLwA", "HasSymbol"],
  ])("plain password vs. complexity policy (%s): %s", async (password, id, rule) => {
    const { importOrgs } = await startMock();
    const result = await importOrgs({ ...acme, humanUsers: [human("a", { password })] });
    expect(failures(result)).toEqual([
      { type: "human_user", id: "a", message: `ID=${id} Message=Errors.User.PasswordComplexityPolicy.${rule}` },
    ]);
  });

  test("plain password vs. complexity policy: the organization's own policy wins, and the password is kept as a hash", async () => {
    const { importOrgs, exportAll } = await startMock();
    const passwordComplexityPolicy = { minLength: "4" };
    const result = await importOrgs({
      ...acme,
      passwordComplexityPolicy,
      humanUsers: [human("a", { password: "easy" })],
    });
    expect(failures(result)).toEqual([]);
    const text = JSON.stringify(await exportAll());
    expect(text).toContain("$2a$04$"); // bcrypt, as the service hashes; the fewest rounds, since this guards nothing
    expect(text).not.toContain("easy");
  });

  test("duplicate project grant / role", async () => {
    const { importOrgs } = await startMock();
    const grant = (grantId: string) => ({ grantId, projectGrant: { projectId: "p", grantedOrgId: "2" } });
    const role = { projectId: "p", roleKey: "admin", displayName: "Admin" };
    const result = await importOrgs(
      {
        ...acme,
        projects: [{ projectId: "p", project: { name: "P" } }],
        projectRoles: [role, role],
        projectGrants: [grant("g1"), grant("g2")],
      },
      { orgId: "2", org: { name: "Bolt" } },
    );
    expect(failures(result)).toEqual([
      {
        type: "project_role",
        id: "p_admin",
        message: `ID=V3-DKcYh Message=Errors.Project.Role.AlreadyExists ${TAKEN}`,
      },
      {
        type: "project_grant",
        id: "1_p_2",
        message: `ID=V3-DKcYh Message=Errors.Project.Grant.AlreadyExists ${TAKEN}`,
      },
    ]);
    expect(result.success?.orgs?.[0]).toMatchObject({
      projectRoles: ["p_admin"],
      projectGrants: [{ grantId: "g1", projectId: "p", orgId: "2" }],
    });
  });

  test("duplicates inside one body behave the same: the first wins, the second gets the entry", async () => {
    const { importOrgs } = await startMock();
    const result = await importOrgs({
      ...acme,
      humanUsers: [human("a"), human("a"), human("b", { userName: "a@example.com" })],
    });
    expect(created(result)).toEqual(["a"]);
    expect(failures(result).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("every other kind names itself and joins its ids with underscores when what it refers to is missing", async () => {
    const { importOrgs } = await startMock();
    const result = await importOrgs({
      ...acme,
      domains: [{ domainName: "a.com" }, { domainName: "a.com" }, { domainName: "b.com", isPrimary: true }],
      userMetadata: [{ id: "u", key: "k", value: "AA==" }],
      machineKeys: [{ keyId: "mk", userId: "u" }],
      userLinks: [{ userId: "u", idpId: "i", providedUserId: "x" }],
      oidcApps: [{ appId: "oa", app: { projectId: "p", name: "n" } }],
      apiApps: [{ appId: "aa", app: { projectId: "p", name: "n" } }],
      appKeys: [{ id: "ak", projectId: "p", appId: "oa" }],
      projectRoles: [{ projectId: "p", roleKey: "r", displayName: "R" }],
      triggerActions: [{ flowType: "1", triggerType: "2", actionIds: ["gone"] }],
      projectGrants: [{ grantId: "g", projectGrant: { projectId: "p", grantedOrgId: "2" } }],
      userGrants: [{ userId: "u", projectId: "p" }],
      orgMembers: [{ userId: "u", roles: ["ORG_OWNER"] }],
      projectGrantMembers: [{ projectId: "p", grantId: "g", userId: "u" }],
      projectMembers: [{ projectId: "p", userId: "u" }],
    });
    expect(failures(result).map(({ type, id }) => `${type} ${id}`)).toEqual([
      "domain 1_a.com",
      "user_metadata u_k",
      "machine_user_key mk",
      "user_link u_i",
      "oidc_app oa",
      "api_app aa",
      "app_key ak",
      "project_role p_r",
      "trigger_action 1_2",
      "project_grant 1_p_2",
      "user_grant 1_p_u",
      "org_member 1_u",
      "project_grant_member 1_p_g_u",
      "project_member 1_p_u",
    ]);
  });

  // Probed on v4: a domain is verified when it is added, unless the policy requires a proof.
  test.each([
    [{}, { domainName: "b.com", isVerified: true }, ["domain_isverified V3-DKcYh"], { isVerified: true }],
    [{}, { domainName: "b.com", isPrimary: true }, [], { isVerified: true, isPrimary: true }],
    [{ validateOrgDomains: true }, { domainName: "b.com", isVerified: true }, [], { isVerified: true }],
    [{ validateOrgDomains: true }, { domainName: "b.com" }, [], {}],
    [{ validateOrgDomains: true }, { domainName: "b.com", isPrimary: true }, ["domain_isprimary ORG-Ggd32"], {}],
  ])("with the policy %j the domain %j becomes as the service makes it", async (policy, domain, errors, becomes) => {
    const { importOrgs, exportAll } = await startMock();
    const result = await importOrgs({ ...acme, domainPolicy: { orgId: "1", ...policy }, domains: [domain] });
    expect(failures(result).map(({ type, message }) => `${type} ${/ID=(\S+)/.exec(message)?.[1]}`)).toEqual(errors);
    expect(result.success).toMatchObject({ orgs: [{ domains: ["b.com"] }] });
    const { orgs } = (await exportAll()) as { orgs: { domains: object[] }[] };
    expect(orgs[0]?.domains).toContainEqual({ domainName: "b.com", ...becomes });
  });

  test("existing settings are errors with AlreadyExists", async () => {
    const { importOrgs } = await startMock();
    const org = {
      ...acme,
      domainPolicy: { orgId: "1" },
      labelPolicy: {},
      lockoutPolicy: {},
      loginPolicy: {},
      passwordComplexityPolicy: {},
      privacyPolicy: {},
      machineUsers: [{ userId: "m", user: { userName: "m", name: "M" } }],
      oidcIdps: [{ idpId: "i", idp: { name: "n", clientId: "c", clientSecret: "s", issuer: "i" } }],
    };
    await importOrgs(org);
    const again = failures(await importOrgs(org));
    expect(again.map(({ type }) => type)).toEqual([
      "domain_policy",
      "label_policy",
      "lockout_policy",
      "oidc_idp",
      "login_policy",
      "password_complexity_policy",
      "privacy_policy",
      "machine_user",
    ]);
    expect(again.every(({ message }) => /AlreadyExist/.test(message))).toBe(true);
  });
});

describe("service behaviour 2.3, target org", () => {
  test("not existing and org.name given: created with the given id, a domain of its name, and its caller as a member", async () => {
    const { importOrgs, exportOf, post } = await startMock();
    await importOrgs(acme);
    expect(await exportOf("1")).toEqual({
      ...acme,
      domains: [{ orgId: "1", domainName: "acme.127.0.0.1", isVerified: true, isPrimary: true }],
      orgState: "ORG_STATE_ACTIVE",
    });
    const events = await post("/admin/v1/events/_search", { aggregate_types: ["org"], asc: true });
    const types = (events.body as { events: { type: { type: string } }[] }).events.map(({ type }) => type.type);
    expect(types).toEqual([
      ...["org.added", "org.domain.added", "org.domain.verified", "org.domain.primary.set", "org.member.added"],
    ]);
  });

  test("the member is exported where the export holds its user", async () => {
    const { importOrgs, exportAll } = await startMock({ mimic: "v4" });
    await importOrgs(acme);
    const { orgs } = (await exportAll()) as { orgs: { orgMembers: object[] }[] };
    expect(orgs[1]?.orgMembers).toEqual([{ userId: expect.stringMatching(/^\d{18}$/), roles: ["ORG_OWNER"] }]);
  });

  test("deleted org id: an error; users can be imported into it, and the ids of its former users stay taken", async () => {
    const { mock, importOrgs } = await startMock({ seed: { orgs: [{ ...acme, humanUsers: [human("a")] }] } });
    mock.removeOrg("1");
    expect(await importOrgs({ ...acme, humanUsers: [human("b")] })).toEqual({
      errors: [{ type: "org", id: "1", message: "ID=COMMA-Bd2jj Message=Errors.Org.Domain.AlreadyExists" }],
      success: { orgs: [{ orgId: "1", humanUserIds: ["b"] }] },
    });
    const elsewhere = await importOrgs({ orgId: "2", org: { name: "Bolt" }, humanUsers: [human("a")] });
    expect(failures(elsewhere)).toEqual([
      { type: "human_user", id: "a", message: "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting" },
    ]);
  });

  test("deleted org id, following v2: counts as existing, and nothing is imported", async () => {
    const { mock, importOrgs } = await startMock({ mimic: "v2", seed: { orgs: [acme] } });
    mock.removeOrg("1");
    const message = "ID=ORG-lapo2m Message=Errors.Org.AlreadyExisting";
    expect(await importOrgs({ ...acme, humanUsers: [human("b")] })).toEqual({
      errors: [{ type: "org", id: "1", message }],
      success: {},
    });
  });
});

describe("service behaviour 2.6, an imported user", () => {
  test("a user without an id gets a generated one, which success does not list", async () => {
    const { importOrgs, exportAll } = await startMock();
    const { user } = human("a");
    const ids = created(await importOrgs({ ...acme, humanUsers: [{ user }] }));
    expect(ids).toEqual([""]);
    expect(await exportAll()).toMatchObject({
      orgs: [{ humanUsers: [{ userId: expect.stringMatching(/^\d{18}$/) }] }],
    });
  });

  test.each([
    ["verified with a hash", { hashedPassword: { value: "h" } }, ["user.human.added", "user.human.email.verified"]],
    [
      "without a password",
      {},
      ["user.human.added", "user.human.email.verified", "user.human.initialization.code.added"],
    ],
    [
      "unverified with phone",
      { hashedPassword: { value: "h" }, email: { email: "a@example.com" }, phone: { phone: "+41791234567" } },
      ["user.human.added", "user.human.initialization.code.added", "user.human.phone.code.added"],
    ],
  ])("a user %s gets these events, numbered from 1", async (_title, user, types) => {
    const { importOrgs, post } = await startMock();
    await importOrgs({ ...acme, humanUsers: [human("a", user)] });
    const { body } = await post("/admin/v1/events/_search", { aggregate_id: "a", asc: true });
    expect(body).toMatchObject({
      events: types.map((type, index) => ({ type: { type }, sequence: String(index + 1), aggregate: { id: "a" } })),
    });
  });

  test.each([
    ["specification", "m"],
    ["v4", expect.stringMatching(/^\d{18}$/)],
  ] as const)("a machine user's id, following the %s", async (mimic, userId) => {
    const { importOrgs, exportOf } = await startMock({ mimic });
    const result = await importOrgs({ ...acme, machineUsers: [{ userId: "m", user: { userName: "m", name: "M" } }] });
    expect(result.success?.orgs?.[0]).toMatchObject({ machineUserIds: ["m"] });
    expect(await exportOf("1")).toMatchObject({ machineUsers: [{ userId, user: { userName: "m" } }] });
  });
});
