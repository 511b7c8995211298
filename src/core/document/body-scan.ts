import { isUtf8 } from "node:buffer";
import { camelKey } from "../../contract/import-request.ts";
import { ProblemError, type RowProblem } from "../../problem.ts";
import { brokenProblem } from "../json/broken-problem.ts";
import { BrokenJson, createWalker, type JsonPath } from "../json/walker.ts";
import { checkElement } from "../rules/elements.ts";
import { checkHumanUser, type FieldFault, type HumanUserFacts } from "../rules/human-user.ts";
import { type ShapeFault, settingFault, shapeFault } from "../rules/shape.ts";
import { elementId, stepOf } from "./org-sections.ts";
import { plainUserFacts } from "./plain-user.ts";
import { References } from "./references.ts";
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

type OpenOrg = ScannedOrg & { orgId: string; head: (Extent & { key: string })[] };
interface OpenSection {
  readonly key: string;
  readonly start: number;
  readonly line: number;
  count: number;
  readonly invalid: Set<number>;
}

const NOTHING_INVALID: ReadonlySet<number> = new Set();
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
  readonly #counts = {
    orgs: 0,
    users: 0,
    machineUsers: 0,
    withHash: 0,
    withOtp: 0,
    mails: 0,
    sms: 0,
    invalidUsers: 0,
    otherFaults: 0,
  };
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
    this.#counts.orgs = this.#orgs.length;
    return {
      carries: this.#asIs ? "as-is" : isExport ? "export" : "body",
      container: containerName,
      timeout: this.#timeout,
      orgs: this.#orgs,
      sections: this.#sections,
      counts: this.#counts,
      ...(this.#references === undefined ? {} : { references: this.#references }),
    };
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenJson)) throw error;
      throw new ProblemError(brokenProblem(error, this.#settings.file), { cause: error });
    }
  }

  #opened(path: JsonPath, line: number, offset: number): void {
    if (path.length === 1) this.#foundDataField(path[0] as string);
    if (path.at(-1) === "orgs" && path.length <= 2) this.#orgDepth = path.length;
    const depth = path.length - this.#orgDepth;
    if (depth === 1) this.#orgs.push({ orgId: "", line, head: [] });
    if (depth === 2) {
      const key = camelKey(path.at(-1) as string);
      this.#open = { key, start: offset, line, count: 0, invalid: new Set() };
    }
  }

  #closed(path: JsonPath, end: number): void {
    const depth = path.length - this.#orgDepth;
    if (depth === 1) this.#checkOrg();
    if (depth !== 2 || this.#open === undefined) return;
    const { invalid, ...open } = this.#open;
    this.#sections.push({
      ...open,
      end,
      org: this.#orgs.length - 1,
      invalid: invalid.size === 0 ? NOTHING_INVALID : invalid,
    });
    this.#open = undefined;
  }

  #checkOrg(): void {
    const { orgId, line } = this.#orgs.at(-1) as ScannedOrg; // an organization has just been closed
    if (orgId === "") throw new ProblemError({ code: "input.org-without-id", file: this.#settings.file, line });
  }

  #value(path: JsonPath, bytes: Buffer, line: number, offset: number): void {
    this.#line = line;
    const plain = this.#open?.key === "humanUsers" ? plainUserFacts(bytes) : undefined;
    if (plain !== undefined) {
      this.#plainUser(plain);
      return;
    }
    const value = parse(bytes, line);
    const depth = path.length - this.#orgDepth;
    if (this.#open !== undefined && depth === 3) this.#element(this.#open, value);
    else if (this.#open === undefined && depth === 2 && this.#orgs.length > 0) {
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

  /** Organizations as a text, which the specification has; each fault is told at the line of the text. */
  #textOfOrgs(text: string): void {
    const line = this.#line;
    const inner = createBodyScanner({
      file: this.#settings.file,
      onFault: (problem) => this.#settings.onFault({ ...problem, line }),
    });
    try {
      inner.push(Buffer.from(text));
      const { counts } = inner.end();
      this.#counts.otherFaults += counts.invalidUsers + counts.otherFaults;
    } catch (error) {
      // Whatever else it is, it holds no organizations that could do harm.
      if (!(error instanceof ProblemError)) throw error;
    }
  }

  #foundDataField(key: string): void {
    const { file } = this.#settings;
    if (this.#dataField !== undefined) {
      throw new ProblemError({ code: "input.two-bodies", file, keys: [this.#dataField, key] });
    }
    this.#dataField = key;
    if (key === "orgs" && this.#settings.withReferences === true) this.#references = new References();
  }

  #member(key: string, value: unknown, bytes: Buffer, extent: Extent): void {
    const name = camelKey(key);
    const current = this.#orgs.at(-1) as OpenOrg; // a member of an open organization
    if (name === "orgId") current.orgId = typeof value === "string" ? value : "";
    else if (value !== null) {
      // A list that is sent apart and is no list would be refused by the service as a whole.
      if (stepOf(name) > 0) throw new BrokenJson(this.#line, "malformed");
      if (v1Members.has(name)) this.#v1 = true;
      if (Array.isArray(value)) this.#headList(name, bytes);
      else this.#checkShape(settingFault(name, value));
      current.head.push({ key, ...extent });
    }
  }

  /** A list that goes with the head of its organization. */
  #headList(name: string, bytes: Buffer): void {
    const first = this.#line;
    const walker = createWalker(
      { elements: undefined },
      {
        value: (_, element, line) => {
          this.#line = first + line - 1;
          this.#checkShape(shapeFault(name, parse(element, this.#line)));
        },
      },
    );
    walker.push(bytes);
    walker.end();
  }

  #checkShape(fault: ShapeFault | undefined): void {
    if (fault === undefined) return;
    this.#counts.otherFaults += 1;
    this.#tell(fault);
  }

  #element(open: OpenSection, value: unknown): void {
    this.#faulty = false;
    const fault = shapeFault(open.key, value);
    if (fault !== undefined) this.#tell(fault);
    this.#references?.add(open.key, this.#orgs.length - 1, value);
    if (open.key === "humanUsers") this.#humanUser(value, fault !== undefined);
    else {
      if (open.key === "machineUsers") this.#machineUser(value);
      if (open.key === "triggerActions" && isV1Trigger(value)) this.#v1 = true;
      if (fault === undefined) checkElement(open.key, value, this.#fault);
      if (this.#faulty) this.#counts.otherFaults += 1;
    }
    if (this.#faulty) open.invalid.add(open.count);
    open.count += 1;
  }

  #machineUser(value: unknown): void {
    this.#counts.machineUsers += 1;
    this.#settings.onMachineUser?.(elementId("machineUsers", value) ?? "", this.#orgs.length - 1);
  }

  #humanUser(value: unknown, shapeless: boolean): void {
    const user = shapeless ? NOBODY : checkHumanUser(value, this.#fault);
    if (this.#faulty) {
      this.#counts.users += 1;
      this.#counts.invalidUsers += 1;
    } else this.#countUser(user);
    this.#settings.onUser?.(user.userId, this.#orgs.length - 1, this.#line);
  }

  #plainUser(user: HumanUserFacts): void {
    this.#references?.addUser(user.userId);
    (this.#open as OpenSection).count += 1; // called with a section open
    this.#countUser(user);
    this.#settings.onUser?.(user.userId, this.#orgs.length - 1, this.#line);
  }

  #countUser(user: HumanUserFacts): void {
    const counts = this.#counts;
    counts.users += 1;
    if (user.hasHash) counts.withHash += 1;
    if (user.hasOtp) counts.withOtp += 1;
    if (user.getsMail) counts.mails += 1;
    if (user.getsSms) counts.sms += 1;
  }

  readonly #fault = (field: string, fault: FieldFault["fault"]): void => this.#tell({ ...fault, field });

  #tell(fault: ShapeFault | (FieldFault["fault"] & { readonly field: string })): void {
    this.#faulty = true;
    this.#settings.onFault({ ...fault, file: this.#settings.file, line: this.#line } as RowProblem); // a fault, its field and its place make one
  }
}

const NOBODY: HumanUserFacts = { userId: "", hasHash: false, hasOtp: false, getsMail: false, getsSms: false };

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
