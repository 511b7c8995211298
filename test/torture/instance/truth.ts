import { at, type Fields, fields, type Kind, kinds, list, type Reference, text } from "./kinds.ts";

/** A person, as the instance really has it. */
export interface TrueUser {
  readonly id: string;
  readonly orgId: string;
  readonly userName: string;
  readonly email: string;
  readonly hash: string;
  readonly isVerified: boolean;
  /** True when the job under test made it. */
  readonly isOurs: boolean;
  /** Every second factor that was given, in order. */
  readonly otps: string[];
}

export interface TrueEvent {
  readonly type: string;
  readonly id: string;
  readonly orgId: string;
  readonly sequence: number;
  readonly atMs: number;
  readonly payload: Fields;
  readonly isSetup: boolean;
}

export interface ImportAnswer {
  readonly errors: { readonly type: string; readonly id: string; readonly message: string }[];
  readonly success: { readonly orgs: Record<string, unknown>[] };
}

/** What the whole call is refused with. */
export interface Refused {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

export interface TruthSettings {
  /** The events of an instance import: the specification has none. */
  readonly eventsOfExports: boolean;
  readonly stepMs: number;
}

const there = "ID=ORG-lapo2n Message=Errors.Org.AlreadyExisting";

/** An instance, told by what running ones did (service behaviour 2.1, 2.2). It imports nothing of the program under test. */
export class Truth {
  readonly orgs = new Map<string, { name: string; isRemoved: boolean }>();
  readonly users = new Map<string, TrueUser>();
  readonly names = new Map<string, string>();
  /** Everything else: `<type> <key>` and whether the job under test made it. */
  readonly others = new Map<string, { readonly isOurs: boolean; readonly entry: unknown; readonly orgId: string }>();
  readonly events: TrueEvent[] = [];
  readonly removed = new Map<string, string>();
  /** What must never come: it ends the process of a real one, or is refused as a whole. */
  readonly harm: string[] = [];
  isOurs = false;
  #nowMs = Date.parse("2026-03-01T08:00:00.000Z");
  #madeUp = 0;
  readonly #settings: TruthSettings;

  constructor(settings: TruthSettings) {
    this.#settings = settings;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The work of one call; only the first `most` things of it, when the service is stopped in the midst. */
  import(body: Fields, most = Number.POSITIVE_INFINITY): ImportAnswer | Refused {
    const container = ["dataOrgs", "data_orgs", "dataOrgsv1", "data_orgsv1"].find((name) => body[name] !== undefined);
    if (typeof body["timeout"] !== "string") return { status: 500, code: 2, message: 'time: invalid duration ""' };
    const orgs = list(body[container ?? ""], "orgs");
    const fault = orgs.map((org) => this.#refusal(org)).find((found) => found !== undefined);
    if (fault !== undefined) {
      this.harm.push(fault);
      return { status: 400, code: 3, message: fault };
    }
    const withEvents = !(container ?? "").toLowerCase().includes("v1") || this.#settings.eventsOfExports;
    return new Work(this, most, withEvents).run(orgs);
  }

  #refusal(org: unknown): string | undefined {
    for (const entry of list(org, "humanUsers")) {
      const user = at(entry, "user");
      if (user === undefined || user === null) return "a user without its content ends the process";
      const name = text(user, "userName");
      if (name === "" || [...name].length > 200) return "invalid ImportHumanUserRequest.UserName";
      if (!/^[^@\s]+@[^@\s]+$/.test(text(user, "email", "email"))) return "invalid ImportHumanUserRequest.Email";
      if (text(user, "profile", "firstName") === "") return "invalid ImportHumanUserRequest_Profile.FirstName";
    }
    for (const { list: name, inner } of kinds) {
      if (inner === undefined) continue;
      const bad = list(org, name).some((entry) => at(entry, inner) === undefined);
      if (bad) return `an element of ${name} without its content ends the process`;
    }
    return undefined;
  }

  addOrg(id: string, name: string): void {
    this.orgs.set(id, { name, isRemoved: false });
    this.record("org.added", id, id, { name });
  }

  addUser(entry: unknown, orgId: string, withEvents = true): string {
    const user = at(entry, "user");
    this.#madeUp += 1;
    const id = text(entry, "userId") || `made-up-${this.#madeUp}`;
    const userName = text(user, "userName");
    const email = text(user, "email", "email");
    const hash = text(user, "hashedPassword", "value");
    const isVerified = at(user, "email", "isEmailVerified") === true && hash !== "";
    this.names.set(userName.toLowerCase(), id);
    this.users.set(id, { id, orgId, userName, email, hash, isVerified, isOurs: this.isOurs, otps: [] });
    if (!withEvents) return id;
    const profile = fields(at(user, "profile"));
    const names = { firstName: text(profile, "firstName"), lastName: text(profile, "lastName") };
    this.record("user.human.added", id, orgId, {
      userName,
      email,
      ...names,
      ...(hash === "" ? {} : { encodedHash: hash }),
    });
    if (isVerified) this.record("user.human.email.verified", id, orgId, {});
    return id;
  }

  /** A second factor; the service gives it to anybody who has the id (service behaviour 0.6). */
  addOtp(id: string, secret: string, withEvents: boolean): void {
    const user = this.users.get(id);
    if (user === undefined) return;
    user.otps.push(secret);
    if (withEvents) this.record("user.human.mfa.otp.added", id, user.orgId, {});
  }

  /** The users API keeps "verified" without a password (service behaviour 0.3). */
  verify(id: string): void {
    const user = this.users.get(id);
    if (user === undefined || user.isVerified) return;
    this.users.set(id, { ...user, isVerified: true });
    this.record("user.human.email.verified", id, user.orgId, {});
  }

  addMetadata(id: string, orgId: string, key: string, metadata: unknown): void {
    this.others.set(`user_metadata ${id}_${key}`, { isOurs: this.isOurs, entry: { id, ...fields(metadata) }, orgId });
  }

  /** Everything but people, with the name of the list that an export has it in. */
  *othersWithList(): Generator<{ readonly entry: unknown; readonly orgId: string; readonly list: string }> {
    for (const [place, { entry, orgId }] of this.others) {
      const kind = kinds.find(({ type }) => place.startsWith(`${type} `));
      if (kind !== undefined) yield { entry, orgId, list: kind.list };
    }
  }

  removeUser(id: string): void {
    const user = this.users.get(id);
    if (user === undefined) return;
    this.users.delete(id);
    this.names.delete(user.userName.toLowerCase());
    this.removed.set(id, user.orgId);
    this.record("user.removed", id, user.orgId, {});
  }

  removeOrg(id: string): void {
    const org = this.orgs.get(id);
    if (org === undefined) return;
    org.isRemoved = true;
    this.record("org.removed", id, id, {});
  }

  record(type: string, id: string, orgId: string, payload: Fields, isSetup = false): void {
    this.#nowMs += this.#settings.stepMs;
    this.events.push({ type, id, orgId, sequence: this.events.length + 1, atMs: this.#nowMs, payload, isSetup });
  }

  /** From here on, what is made is made by the job under test; everything else was there before. */
  startJob(): void {
    for (const [id, user] of this.users) this.users.set(id, { ...user, isOurs: false });
    for (const [place, other] of this.others) this.others.set(place, { ...other, isOurs: false });
    this.isOurs = true;
    this.pass(1);
  }

  /** Time goes by between two calls. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  has([kind, id]: Reference): boolean {
    if (kind === "org") return this.orgs.has(id);
    if (kind === "user" && this.users.has(id)) return true;
    return kinds.some(({ is, type }) => is === kind && this.others.has(`${type} ${id}`));
  }
}

/** One call at work. */
class Work {
  readonly #truth: Truth;
  #left: number;
  readonly #withEvents: boolean;
  readonly #answer: ImportAnswer = { errors: [], success: { orgs: [] } };

  constructor(truth: Truth, most: number, withEvents: boolean) {
    this.#truth = truth;
    this.#left = most;
    this.#withEvents = withEvents;
  }

  run(orgs: readonly unknown[]): ImportAnswer {
    const open = orgs.filter((org) => this.#org(org));
    for (const round of [2, 3] as const) {
      for (const org of open) for (const kind of kinds) if (kind.round === round) this.#all(kind, org);
    }
    return this.#answer;
  }

  /** The first round; false for an organization that is skipped. */
  #org(org: unknown): boolean {
    const truth = this.#truth;
    const id = text(org, "orgId");
    const name = text(org, "org", "name");
    const known = truth.orgs.get(id);
    if (known !== undefined) this.#fail("org", id, there);
    else if (name === "") return this.#fail("org", id, "ID=ORG-mruNY Message=Errors.Org.Invalid");
    else if (
      [...truth.orgs.values()].some((other) => other.name.toLowerCase() === name.toLowerCase() && !other.isRemoved)
    )
      return this.#fail("org", id, "ID=V3-DKcYh Message=Errors.Org.AlreadyExists");
    else if (!this.#mayGoOn()) return false;
    else truth.addOrg(id, name);
    this.#answer.success.orgs.push({ orgId: id });
    for (const kind of kinds.slice(0, 2)) this.#all(kind, org);
    for (const entry of list(org, "humanUsers")) this.#human(entry, id);
    for (const kind of kinds.slice(2)) if (kind.round === 1) this.#all(kind, org);
    return true;
  }

  #human(entry: unknown, orgId: string): void {
    const truth = this.#truth;
    const id = text(entry, "userId");
    const userName = text(entry, "user", "userName");
    const otp = text(entry, "user", "otpCode");
    if (!this.#mayGoOn()) return;
    let made = id;
    if (id !== "" && (truth.users.has(id) || truth.others.has(`machine_user ${id}`)))
      this.#fail("human_user", id, "ID=COMMAND-ziuna Message=Errors.User.AlreadyExisting");
    else if (truth.names.has(userName.toLowerCase()))
      this.#fail("human_user", id, "ID=V3-DKcYh Message=Errors.User.AlreadyExists");
    else {
      made = truth.addUser(entry, orgId, this.#withEvents);
      this.#succeed(orgId, "humanUserIds", made);
    }
    if (otp === "") return;
    if (truth.users.has(made)) truth.addOtp(made, otp, this.#withEvents);
    else this.#fail("human_user_otp", id, "ID=COMMAND-SqyJz Message=Errors.User.NotFound");
  }

  #all(kind: Kind, org: unknown): void {
    const orgId = text(org, "orgId");
    for (const entry of list(org, kind.list)) this.#one(kind, entry, orgId);
  }

  #one(kind: Kind, entry: unknown, orgId: string): void {
    if (!this.#mayGoOn()) return;
    const truth = this.#truth;
    const key = kind.key(entry, orgId);
    const place = `${kind.type} ${key}`;
    const errorId = kind.errorId?.(entry, orgId) ?? key;
    const missing = kind.needs?.(entry).find((reference) => !truth.has(reference));
    if (missing !== undefined) {
      this.#fail(
        kind.type,
        errorId,
        `ID=COMMAND-Lgk5e Message=Errors.${missing[0] === "user" ? "User" : "Project"}.NotFound`,
      );
    } else if (truth.others.has(place) && kind.exists !== undefined) this.#fail(kind.type, errorId, kind.exists);
    else if (kind.is === "user" && truth.users.has(key)) this.#fail(kind.type, errorId, kind.exists ?? "");
    else {
      truth.others.set(place, { isOurs: truth.isOurs, entry, orgId });
      if (kind.event !== undefined && this.#withEvents) this.#record(kind, kind.event, entry, key, orgId);
      this.#succeed(orgId, kind.success[0], kind.success[1](entry));
    }
  }

  #record(kind: Kind, event: string, entry: unknown, key: string, orgId: string): void {
    if (kind.type === "user_link") {
      const payload = { idpConfigId: text(entry, "idpId"), userId: text(entry, "providedUserId") };
      this.#truth.record(event, text(entry, "userId"), orgId, payload);
    } else if (kind.type === "project_grant") {
      this.#truth.record(event, text(entry, "projectGrant", "projectId"), orgId, { grantId: key });
    } else this.#truth.record(event, key, orgId, { name: text(entry, kind.inner ?? "", "name") });
  }

  #succeed(orgId: string, name: string, element: unknown): void {
    const org = this.#answer.success.orgs.find((one) => one["orgId"] === orgId);
    if (org === undefined) return;
    const elements = org[name];
    if (Array.isArray(elements)) elements.push(element);
    else org[name] = [element];
  }

  #fail(type: string, id: string, message: string): false {
    this.#answer.errors.push({ type, id, message });
    return false;
  }

  #mayGoOn(): boolean {
    this.#left -= 1;
    return this.#left >= 0;
  }
}
