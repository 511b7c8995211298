import { isUtf8 } from "node:buffer";
import { camelKey, orgMembers } from "../../contract/import-request.ts";
import { type InDocument, ProblemError, type RowProblem } from "../../problem.ts";
import { brokenProblem } from "../json/broken-problem.ts";
import { fieldsOf, textMember } from "../json/members.ts";
import { BrokenJson, createWalker, type JsonPath } from "../json/walker.ts";
import { checkElement, unknownFields } from "../rules/elements.ts";
import { checkHumanUser, type FieldFault, type HumanUserFacts, isKnownState, NO_USER } from "../rules/human-user.ts";
import { type ShapeFault, shapeFault } from "../rules/shape.ts";
import { IdTable } from "../tables/id-table.ts";
import { PositionSet } from "../tables/position-set.ts";
import { headFaults } from "./head-faults.ts";
import { linksOf } from "./items.ts";
import { elementId, rolesIn, stepOf } from "./org-sections.ts";
import { plainUserFacts } from "./plain-user.ts";
import { References } from "./references.ts";
import { ScanTotals } from "./scan-totals.ts";
import {
  type BodyScan,
  type BodyScanner,
  bodyLayout,
  dataFields,
  type Extent,
  isContainer,
  type ScannedOrg,
  type ScanSettings,
  type Section,
} from "./scan-types.ts";
import { machineIdIn } from "./user-id.ts";

type Fault =
  | ShapeFault
  | (FieldFault["fault"] & { readonly field: string })
  | {
      readonly code:
        | "user.duplicate-id"
        | "element.second-grant"
        | "element.second-membership"
        | "element.second-metadata";
      readonly field: string;
      readonly firstLine: number;
    };
type OpenOrg = ScannedOrg & { orgId: string; name?: string; head: (Extent & { key: string })[] };
interface OpenSection {
  readonly key: string;
  readonly start: number;
  readonly line: number;
  count: number;
  /** Links within the users of the list. */
  links: number;
  readonly invalid: Set<number>;
  readonly repeated: Set<number>;
  readonly viaUsers: PositionSet;
}

const NO_POSITIONS: ReadonlySet<number> = new Set();

/** The same positions; of the many lists without any, one set. */
function orNone(found: ReadonlySet<number>): ReadonlySet<number> {
  return found.size === 0 ? NO_POSITIONS : found;
}

/** A file may have a name of its own in each user. */
const KEPT_NAMES = 1_000;
/** Members that only an export of the first major version has, or only one of a later one (service behaviour 2.11). */
const v1Members = new Set(["iamPolicy", "secondFactors", "multiFactors", "idps"]);

/** Reads a body or an export once, piece by piece, and finds out what is in it, where, and whether the service would take it. */
export function createBodyScanner(settings: ScanSettings): BodyScanner {
  return new StreamingScanner(settings);
}

class StreamingScanner implements BodyScanner {
  readonly #settings: ScanSettings;
  readonly #walker;
  readonly #orgs: OpenOrg[] = [];
  readonly #sections: Section[] = [];
  readonly #totals: ScanTotals;
  readonly #unknownMembers = new Set<string>();
  readonly #unknownStates = new Map<string, number>();
  /** The line of each user by id: the service has one user with an id, of either kind. */
  readonly #userLines = new IdTable();
  readonly #repeatedIds = new Set<string>();
  /** The line of each role grant and membership by user and place, of each entry of metadata by user and key, and of each of them with its value. */
  readonly #valueLines = new IdTable();
  #dataField: string | undefined;
  #asIs = false;
  #references: References | undefined;
  #v1 = false;
  #timeout: string | undefined;
  /** Where in the path the organization's index stands: after "orgs". */
  #orgDepth = 1;
  #open: OpenSection | undefined;
  #line = 0;
  #faulty = false;

  constructor(settings: ScanSettings) {
    this.#settings = settings;
    this.#totals = new ScanTotals(settings.routing ?? { via: "import", noMail: false });
    this.#walker = createWalker(bodyLayout, {
      opened: (path, line, offset) => this.#opened(path, line, offset),
      closed: (path, offset) => this.#closed(path, offset),
      value: (path, bytes, line, offset) => this.#value(path, bytes, line, offset),
    });
  }

  push(chunk: Buffer): void {
    this.#guard(() => this.#walker.push(chunk));
  }

  end(): BodyScan {
    this.#guard(() => this.#walker.end());
    const { file } = this.#settings;
    if (this.#dataField === undefined) throw new ProblemError({ code: "input.not-a-body", file });
    const field = camelKey(this.#dataField);
    const isExport = field === "orgs";
    const containerName = isContainer(field) ? field : this.#v1 ? "dataOrgsv1" : "dataOrgs";
    const { counts, named, hashes, breaches, routes, routed, closed } = this.#totals;
    return {
      carries: this.#asIs ? "as-is" : isExport ? "export" : "body",
      container: containerName,
      timeout: this.#timeout,
      orgs: this.#orgs,
      unknownMembers: [...this.#unknownMembers],
      unknownStates: this.#unknownStates,
      sections: this.#sections,
      repeatedIds: this.#repeatedIds,
      counts,
      named,
      hashes,
      breaches,
      routes,
      closed,
      routed,
      ...(this.#references === undefined ? {} : { references: this.#references }),
    };
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw brokenProblem(error, this.#settings.file);
    }
  }

  #opened(path: JsonPath, line: number, offset: number): void {
    if (path.length === 1) this.#foundDataField(path[0] as string);
    if (path.at(-1) === "orgs" && path.length <= 2) this.#orgDepth = path.length;
    const depth = path.length - this.#orgDepth;
    if (depth === 1) this.#orgs.push({ orgId: "", line, head: [] });
    if (depth === 2) {
      const key = camelKey(path.at(-1) as string);
      const places = { invalid: new Set<number>(), repeated: new Set<number>(), viaUsers: new PositionSet() };
      this.#open = { key, start: offset, line, count: 0, links: 0, ...places };
    }
  }

  #closed(path: JsonPath, end: number): void {
    const depth = path.length - this.#orgDepth;
    if (depth === 1) this.#checkOrg();
    if (depth !== 2 || this.#open === undefined) return;
    const { links, ...open } = this.#open;
    const [invalid, repeated] = [orNone(open.invalid), orNone(open.repeated)];
    const section = { ...open, end, org: this.#orgs.length - 1, invalid, repeated };
    this.#sections.push(section);
    const within = { key: "userLinks", count: links, viaUsers: new PositionSet(), isWithinUsers: true } as const;
    if (links > 0) this.#sections.push({ ...section, ...within });
    this.#open = undefined;
  }

  #checkOrg(): void {
    const { orgId, line } = this.#orgs.at(-1) as ScannedOrg; // an organization has just been closed
    if (orgId === "") throw new ProblemError({ code: "input.org-without-id", file: this.#settings.file, line });
    this.#totals.org(orgId);
  }

  #value(path: JsonPath, bytes: Buffer, line: number, offset: number): void {
    this.#line = line;
    const open = this.#open;
    const plain = open?.key === "humanUsers" ? plainUserFacts(bytes) : undefined;
    if (open !== undefined && plain !== undefined) {
      this.#plainUser(open, plain);
      return;
    }
    const value = parse(bytes, line);
    const depth = path.length - this.#orgDepth;
    if (open !== undefined && depth === 3) this.#element(open, value);
    else if (open === undefined && depth === 2 && this.#orgs.length > 0) {
      this.#member(path.at(-1) as string, value, bytes, { start: offset, end: offset + bytes.length });
    } else if (path.length === 1) this.#topLevel(path[0] as string, value);
    // An organization that is no object, or organizations that are no list.
    else if (typeof path.at(-1) === "number" || (path.at(-1) === "orgs" && value !== null)) {
      throw new BrokenJson(line, "malformed");
    }
  }

  #topLevel(key: string, value: unknown): void {
    if (key === "timeout" && typeof value === "string") this.#timeout = value;
    if (!dataFields.has(key) || value === null) return;
    this.#foundDataField(key);
    this.#asIs = true;
    if (typeof value === "string") this.#textOfOrgs(value);
  }

  /** Organizations in a text, as in the specification; faults are reported at the line of the text. */
  #textOfOrgs(text: string): void {
    const line = this.#line;
    const inner = createBodyScanner({
      file: this.#settings.file,
      onFault: (problem) => this.#settings.onFault({ ...problem, line }),
    });
    try {
      inner.push(Buffer.from(text));
      const { counts } = inner.end();
      this.#totals.otherFaults(counts.invalidUsers + counts.otherFaults);
    } catch (error) {
      // No body, so it holds no organizations that could do harm.
      if (!(error instanceof ProblemError)) throw error;
    }
  }

  #foundDataField(key: string): void {
    const { file } = this.#settings;
    if (this.#dataField !== undefined) {
      throw new ProblemError({ code: "input.two-bodies", file, keys: [this.#dataField, key] });
    }
    this.#dataField = key;
    if (key === "orgs" && this.#settings.withReferences === true) this.#references = new References(this.#orgs);
  }

  #member(key: string, value: unknown, bytes: Buffer, extent: Extent): void {
    const name = camelKey(key);
    const current = this.#orgs.at(-1) as OpenOrg; // a member of an open organization
    if (name === "orgId") current.orgId = typeof value === "string" ? value : "";
    else if (value !== null) {
      // A list that is sent apart and is no list would be refused by the service as a whole.
      if (stepOf(name) > 0) throw new BrokenJson(this.#line, "malformed");
      if (v1Members.has(name)) this.#v1 = true;
      if (!orgMembers.has(name)) this.#noteUnknown(key);
      else this.#noteUnknownFields(name, value);
      for (const { fault, line, element } of headFaults(name, bytes, this.#line)) {
        this.#totals.otherFaults();
        this.#tell(fault, { path: `orgs[${this.#orgs.length - 1}].${key}${element}` }, line);
      }
      current.head.push({ key, ...extent });
      const orgName = name === "org" ? textMember(fieldsOf(JSON.parse(bytes.toString())), "name") : "";
      if (orgName !== "") current.name = orgName;
    }
  }

  #noteUnknown(path: string): void {
    if (this.#unknownMembers.size < KEPT_NAMES) this.#unknownMembers.add(path);
  }

  /** True if the element or setting has fields that are not known. */
  #noteUnknownFields(section: string, value: unknown): boolean {
    const unknown = unknownFields(value, orgMembers.get(section));
    for (const [path] of unknown) this.#noteUnknown(`${section}.${path}`);
    return unknown.length > 0;
  }

  /** True if the user has a state that is not known. */
  #noteUnknownState(value: unknown): boolean {
    const { state } = fieldsOf(value);
    if (isKnownState(state)) return false;
    this.#totals.name("unknownStates", textMember(fieldsOf(value), "userId"));
    const users = this.#unknownStates.get(String(state));
    if (users !== undefined || this.#unknownStates.size < KEPT_NAMES)
      this.#unknownStates.set(String(state), (users ?? 0) + 1);
    return true;
  }

  #element(open: OpenSection, value: unknown): void {
    this.#faulty = false;
    const hasUnknownFields = this.#noteUnknownFields(open.key, value);
    const hasUnknownState = open.key.endsWith("Users") && this.#noteUnknownState(value);
    const tell = (found: Fault): void => this.#tell(found, this.#whereOf(open, value));
    const fault = shapeFault(open.key, value);
    if (fault !== undefined) tell(fault);
    this.#references?.add(open.key, this.#orgs.length - 1, value);
    const report = (field: string, broken: FieldFault["fault"]): void => tell({ ...broken, field });
    if (open.key === "humanUsers")
      this.#humanUser(open, value, fault === undefined ? report : undefined, hasUnknownFields || hasUnknownState);
    else {
      this.#settings.onElement?.(open.key, value, this.#orgs.length - 1);
      if (open.key === "triggerActions" && isV1Trigger(value)) this.#v1 = true;
      if (fault === undefined) checkElement(open.key, value, report);
      if (open.key === "machineUsers") this.#machineUser(open, value);
      if (fault === undefined) this.#checkSecond(open.key, value, tell);
      if (this.#faulty) this.#totals.otherFaults();
    }
    if (this.#faulty) open.invalid.add(open.count);
    open.count += 1;
  }

  #machineUser(open: OpenSection, value: unknown): void {
    this.#checkId(open, machineIdIn(fieldsOf(value)), value);
    this.#totals.machineUser();
  }

  /**
   * The service keeps the first of two grants, or memberships, of a user in one place, and says of the other one that it exists. Of two values of
   * a user's metadata it keeps the last one.
   */
  #checkSecond(section: string, value: unknown, tell: (found: Fault) => void): void {
    const isMetadata = section === "userMetadata";
    const fields = fieldsOf(value);
    const values = isMetadata ? [textMember(fields, "value")] : rolesIn(section, value);
    if (values === undefined) return;
    // What belongs to an id that occurs twice is given to neither user.
    if (isMetadata && this.#repeatedIds.has(textMember(fields, "id"))) return;
    const names = isMetadata ? ["id", "key"] : ["userId", "projectId", "projectGrantId", "grantId"];
    const ids = names.map((name) => textMember(fields, name));
    const { orgId } = this.#orgs.at(-1) as ScannedOrg; // an element of an open organization
    // An id that comes after the list is not known yet.
    const place = orgId === "" ? ["", this.#orgs.length] : [orgId];
    const key = [section, ...place, ...ids].join("\n");
    const withValues = [key, ...[...new Set(values)].sort()].join("\n\n");
    const firstLine = this.#valueLines.get(key);
    if (firstLine === undefined) for (const one of [key, withValues]) this.#valueLines.set(one, this.#line);
    else if (this.#valueLines.get(withValues) === undefined) tell({ ...secondFault(section), firstLine });
  }

  /** Without `report` the user has no form that could be checked. */
  #humanUser(
    open: OpenSection,
    value: unknown,
    report: Parameters<typeof checkHumanUser>[1] | undefined,
    hasUnknown: boolean,
  ): void {
    const user =
      report === undefined
        ? { ...NO_USER, userId: elementId("humanUsers", value) ?? "" }
        : checkHumanUser(value, report, this.#settings.addresses);
    if (report !== undefined && !this.#faulty && this.#totals.wayOf(user) === "users")
      for (const { field, fault } of user.usersApiFaults)
        if (fault.code !== "field.hash" || this.#settings.isUpdate !== true) report(field, fault);
    this.#checkId(open, user.userId, value);
    if (this.#faulty) this.#totals.invalidUser();
    else {
      this.#countUser(open, user, hasUnknown);
      if (user.hasLinks) open.links += linksOf(value).length;
    }
    this.#settings.onUser?.(user.userId, this.#orgs.length - 1, this.#line);
  }

  #plainUser(open: OpenSection, user: HumanUserFacts): void {
    this.#references?.addUser(user.userId);
    this.#faulty = false;
    this.#checkId(open, user.userId, user);
    if (this.#faulty) {
      this.#totals.invalidUser();
      open.invalid.add(open.count);
    } else this.#countUser(open, user);
    open.count += 1;
    this.#settings.onUser?.(user.userId, this.#orgs.length - 1, this.#line);
  }

  /** The second user with an id is a fault, also if the first one has other faults. */
  #checkId(open: OpenSection, userId: string, element: unknown): void {
    if (userId === "") return;
    const firstLine = this.#userLines.get(userId);
    if (firstLine === undefined) this.#userLines.set(userId, this.#line);
    else {
      this.#repeatedIds.add(userId);
      open.repeated.add(open.count);
      this.#tell({ code: "user.duplicate-id", field: "userId", firstLine }, this.#whereOf(open, element));
    }
  }

  #countUser(open: OpenSection, user: HumanUserFacts, hasUnknown = false): void {
    if (this.#totals.user(user, this.#orgs.length - 1, hasUnknown) === "users") open.viaUsers.add(open.count);
  }

  #whereOf({ key, count }: OpenSection, value: unknown): InDocument {
    const id = elementId(key, value);
    return { path: `orgs[${this.#orgs.length - 1}].${key}[${count}]`, ...(id === undefined ? {} : { id }) };
  }

  #tell(fault: Fault, where: InDocument, line = this.#line): void {
    this.#faulty = true;
    this.#settings.onFault({ ...fault, ...where, file: this.#settings.file, line } as RowProblem); // a fault, its field and its place make one
  }
}

/** Raises BrokenJson. */
function parse(bytes: Buffer, line: number): unknown {
  if (!isUtf8(bytes)) throw new BrokenJson(line, "malformed");
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new BrokenJson(line, "malformed");
  }
}

function isV1Trigger(value: unknown): boolean {
  const flow = (value as { flowType?: unknown } | null)?.flowType;
  return typeof flow === "string" && flow.startsWith("FLOW_TYPE_");
}

function secondFault(section: string) {
  switch (section) {
    case "userMetadata":
      return { code: "element.second-metadata", field: "value" } as const;
    case "userGrants":
      return { code: "element.second-grant", field: "roleKeys" } as const;
    default:
      return { code: "element.second-membership", field: "roles" } as const;
  }
}
