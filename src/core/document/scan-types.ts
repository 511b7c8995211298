import { camelKey, importVariants, otherImportVariants } from "../../contract/import-request.ts";
import type { RowProblem } from "../../problem.ts";
import type { Layout } from "../json/walker.ts";
import type { AddressRules } from "../rules/email.ts";
import type { Routing } from "../rules/route.ts";
import type { PositionSet } from "../tables/position-set.ts";
import type { IdpMap, OrgMap } from "./org-map.ts";
import { stepOf } from "./org-sections.ts";
import type { References } from "./references.ts";
import type { NamedInScan, ScanTotals } from "./scan-totals.ts";

/** Part of a document, by offsets of its bytes. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** One list of one organization that is sent apart (core/org-sections.ts). The extent is that of the whole array. */
export interface Section extends Extent {
  readonly org: number;
  readonly key: string;
  readonly line: number;
  readonly count: number;
  /** Positions of the elements that break the service's rules. */
  readonly invalid: ReadonlySet<number>;
  /** Of `invalid`, the users with the id of an earlier one of the input. */
  readonly repeated: ReadonlySet<number>;
  /** Positions of the users that go through the users API. */
  readonly viaUsers: PositionSet;
  /** The elements are the links within the users of this list (see `linksWithin`); `invalid` has positions of users. */
  readonly isWithinUsers?: true;
}

export interface ScannedOrg {
  /** The id on the target. */
  readonly orgId: string;
  /** The id in the input, where ids are mapped. */
  readonly sourceId?: string;
  /** The name in the input, where it has one. */
  readonly name?: string;
  readonly line: number;
  /** The members that go with the first users: key as it stands in the document, and where its value is. */
  readonly head: readonly (Extent & { readonly key: string })[];
  /** The head is without texts of messages that the input has. */
  readonly lacksMessages?: true;
}

/** True for the first place of an organization, which may stand in a document several times. */
export function isFirstOf(orgs: readonly Pick<ScannedOrg, "orgId">[], place: number): boolean {
  return orgs.findIndex(({ orgId }) => orgId === orgs[place]?.orgId) === place;
}

/** What a first reading of a body or an export found. */
export interface BodyScan
  extends Readonly<Pick<ScanTotals, "counts" | "hashes" | "breaches" | "routes" | "closed" | "routed">> {
  /** "as-is": a variant that is not cut into batches (object storage and the like). */
  readonly carries: "body" | "export" | "as-is";
  /** The request's data field as orgferry sends it, or would for an export. */
  readonly container: "dataOrgs" | "dataOrgsv1";
  readonly timeout: string | undefined;
  readonly orgs: readonly ScannedOrg[];
  /**
   * What no known version of the service reads: members of organizations and fields of their objects, by paths such as
   * `humanUsers.user.nick`. The first thousand.
   */
  readonly unknownMembers: readonly string[];
  /** States of users that no known version has, and how many users have each. The first thousand. */
  readonly unknownStates: ReadonlyMap<string, number>;
  /** The users that the counts of remarks count. */
  readonly named: NamedInScan;
  readonly sections: readonly Section[];
  /** User ids that occur several times: to which of the users the elements of other lists belong is unknown. */
  readonly repeatedIds: ReadonlySet<string>;
  /** Organizations that get another id as they are sent. */
  readonly orgMap?: OrgMap;
  /** Identity providers that have another id on the target. */
  readonly idpMap?: IdpMap;
  /** Of an export: what its elements may refer to. */
  readonly references?: References;
}

export interface ScanSettings {
  readonly file: string;
  /** Called for every fault of the content, in the order of the document. */
  readonly onFault: (problem: RowProblem) => void;
  /** The addresses that the target accepts; undefined: what every known version accepts. */
  readonly addresses?: AddressRules | undefined;
  /** Which way users go; undefined: all through the import endpoint. */
  readonly routing?: Routing;
  /** Existing users are updated: a hash that the users API refuses is no fault, as such a user may exist with it. */
  readonly isUpdate?: boolean;
  /** Keep the ids of the objects of an export, to find references to other objects: takes some memory per user. */
  readonly withReferences?: boolean;
  /** Called for every human user. */
  readonly onUser?: (userId: string, org: number, line: number) => void;
  /** Called for every element of the other lists, parsed. */
  readonly onElement?: (section: string, element: unknown, org: number) => void;
}

export interface BodyScanner {
  /** Raises input.malformed, input.unclosed, input.row-too-long, input.two-bodies. */
  push(chunk: Buffer): void;
  /** Raises input.not-a-body, input.unclosed. */
  end(): BodyScan;
}

/** The containers of a body or an export that are walked into: down to each element of each list that is sent apart. */
const section: Layout = { elements: undefined };
const org: Layout = { members: (key) => (stepOf(camelKey(key)) > 0 ? section : undefined) };
const orgs: Layout = { elements: org };
const container: Layout = { members: (key) => (key === "orgs" ? orgs : undefined) };
export const bodyLayout: Layout = {
  members: (key) => (key === "orgs" ? orgs : isContainer(camelKey(key)) ? container : undefined),
};

/** The two data fields whose content stands in the request. */
export function isContainer(key: string): key is "dataOrgs" | "dataOrgsv1" {
  return key === "dataOrgs" || key === "dataOrgsv1";
}

/** Every name a variant of the request may have. spec: Endpoints, rules; service behaviour 1.1. */
export const dataFields = new Set(
  [...importVariants, ...otherImportVariants].flatMap(({ camel, snake }) => [camel, snake]) as string[],
);
