import { defaultHashLimits, type HashLimits } from "./hash-limits.ts";

/**
 * What a version of the service can do. This table is the only place that compares versions. Each row cites its fact; a row without
 * a measured release begins at the first release that may have the change.
 */
export interface Capabilities {
  /**
   * The e-mail addresses that the import endpoint accepts. `ascii`: an ASCII local part of at most 64 bytes and an ASCII host name.
   * `host-name`: also other letters in the local part. `mailbox`: also quotes there, and any domain without an empty label (service
   * behaviour 9.5).
   */
  readonly importAddress: AddressRule;
  /** The e-mail addresses that the users API accepts: it still refuses what the import endpoint accepts (service behaviour 9.5). */
  readonly usersApiAddress: AddressRule;
  /** The longest e-mail address, in code points (service behaviour 9.5). */
  readonly addressLength: number;
  /** What an address without the right form refuses: every user of the call, or that user (service behaviour 9.5). */
  readonly badAddressRefuses: "call" | "user";
  /** The default limits of the import's check of hashes; undefined: the import accepts any text (service behaviour 9.4). */
  readonly hashLimits: HashLimits | undefined;
  /** The import creates recovery codes; otherwise it drops them without an error (service behaviour 9.8). */
  readonly recoveryCodes: boolean;
  /** Every user without a password can get an invitation; otherwise only one with an unverified address (service behaviour 9.21). */
  readonly invitations: boolean;
  /** The largest answer in bytes; undefined: without a limit (service behaviour 9.7). */
  readonly answerBytes: { readonly rest: number; readonly grpcWeb: number | undefined };
  /** Refusals of a whole call may be 500 code 2 with the real code in the message (service behaviour 9.6). */
  readonly wrapsRefusals: boolean;
  /** The import does not report a JWT identity provider that exists (service behaviour 9.10). */
  readonly isSilentOnJwtProviders: boolean;
  /** Concurrent writes leave no user without a login name (service behaviour 9.2). */
  readonly concurrentWrites: boolean;
  /** Where a deleted user id is recreated: in its former organization, in the named one, or not at all (service behaviour 9.9). */
  readonly deletedIds: "former-org" | "named-org" | "refused";
  /** Metadata can be imported for a recreated user at once; otherwise the service reports success and drops it (service behaviour 9.9). */
  readonly metadataOfRecreated: boolean;
  /** The import reports users of a deleted organization as created, although no list shows that organization (service behaviour 0.11). */
  readonly acceptsDeletedOrgs: boolean;
  /** The import endpoint creates inactive and locked users; otherwise it ignores the state (service behaviour 0.19b). */
  readonly importStates: boolean;
  /** A role grant in a project of another organization needs no id of a project grant (service behaviour 9.36). */
  readonly findsProjectGrants: boolean;
  /** The import looks for the project, the organization and the roles of a project grant (service behaviour 9.47). */
  readonly checksProjectGrants: boolean;
  /** The API that sets metadata of users (service behaviour 0.28). */
  readonly metadataApi: "users" | "management";
}

export type AddressRule = "ascii" | "host-name" | "mailbox";

/** The values of one capability. */
interface Row<Value> {
  /** What every known version accepts, for a version that is unknown. */
  readonly unknown: Value;
  /** The value from each version on, in ascending order; the first holds for all earlier versions too. */
  readonly since: readonly (readonly [version: string, value: Value])[];
}

const MIB = 2 ** 20;

const table: { readonly [Name in keyof Capabilities]: Row<Capabilities[Name]> } = {
  // Versions that accept other letters are the newer ones, so an unknown version is taken for one of these.
  importAddress: {
    unknown: "host-name",
    since: [
      ["2.62", "ascii"],
      ["4.8.1", "mailbox"],
    ],
  },
  usersApiAddress: {
    unknown: "host-name",
    since: [
      ["2.62", "ascii"],
      ["4.8.1", "host-name"],
    ],
  },
  addressLength: {
    unknown: 200,
    since: [
      ["2.62", 254],
      ["4.8.1", 200],
    ],
  },
  badAddressRefuses: {
    unknown: "call",
    since: [
      ["2.62", "call"],
      ["4.8.1", "user"],
    ],
  },
  hashLimits: {
    unknown: defaultHashLimits,
    since: [
      ["2.62", undefined],
      ["4.14.0", defaultHashLimits],
    ],
  },
  recoveryCodes: {
    unknown: false,
    since: [
      ["2.62", false],
      ["4.9.0", true],
    ],
  },
  invitations: {
    unknown: false,
    since: [
      ["2.62", false],
      ["4.0.0", true],
    ],
  },
  answerBytes: {
    unknown: { rest: 4 * MIB, grpcWeb: 10 * MIB },
    since: [
      ["2.62", { rest: 4 * MIB, grpcWeb: undefined }],
      ["4.14.0", { rest: 10 * MIB, grpcWeb: 10 * MIB }],
    ],
  },
  wrapsRefusals: {
    unknown: true,
    since: [
      ["2.62", false],
      ["4.11.0", true],
      ["4.14.0", false],
    ],
  },
  isSilentOnJwtProviders: {
    unknown: true,
    since: [
      ["2.62", false],
      ["4.2.0", true],
    ],
  },
  // On purpose not further than 4.13: the loss came back in the line of June 2026.
  concurrentWrites: {
    unknown: false,
    since: [
      ["2.62", false],
      ["4.2.0", true],
      ["4.14.0", false],
    ],
  },
  deletedIds: {
    unknown: "refused",
    since: [
      ["2.62", "refused"],
      ["4.0.0", "former-org"],
      ["4.15.0", "named-org"],
    ],
  },
  metadataOfRecreated: {
    unknown: false,
    since: [
      ["2.62", false],
      ["4.15.0", true],
    ],
  },
  acceptsDeletedOrgs: {
    unknown: true,
    since: [
      ["2.62", false],
      ["4.0.0", true],
    ],
  },
  importStates: {
    unknown: false,
    since: [
      ["2.62", false],
      ["4.0.0", true],
    ],
  },
  findsProjectGrants: {
    unknown: true,
    since: [
      ["2.62", false],
      ["4.0.0", true],
    ],
  },
  checksProjectGrants: {
    unknown: true,
    since: [
      ["2.62", false],
      ["4.0.0", true],
    ],
  },
  metadataApi: {
    unknown: "management",
    since: [
      ["2.62", "management"],
      ["4.0.0", "users"],
    ],
  },
};

/** The newest version of which facts are known. */
export const NEWEST_VERSION = "4.15";

/** Major, minor and patch. */
type Version = readonly [number, number, number];

/** Reads `v4.13.1`, `4.13` and `v4.15-02d07e951`. undefined: builders may give an instance any name (service behaviour 9.1). */
function readVersion(text: string): Version | undefined {
  const [, major, minor, patch = "0"] = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+].*)?$/.exec(text.trim()) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isFrom(version: Version, since: Version): boolean {
  const at = version.findIndex((part, index) => part !== since[index]);
  return at === -1 || (version[at] as number) > (since[at] as number); // findIndex found it
}

/**
 * True if an import may create the deleted user of organization `from` again in the organization `to` (service behaviour 9.9). Whether an
 * unknown version does so in the same organization, only a try can tell.
 */
export function mayRecreate(version: string | undefined, from: string, to: string): boolean {
  const { deletedIds } = capabilitiesOf(version);
  if (deletedIds === "named-org") return true;
  const refusesAll = deletedIds === "refused" && version !== undefined && isKnownVersion(version);
  return from === to && !refusesAll;
}

/** True for a version whose facts are known: one that can be read, and whose minor version is not newer than the newest known. */
export function isKnownVersion(text: string): boolean {
  const version = readVersion(text);
  const [major, minor] = readVersion(NEWEST_VERSION) as Version; // a constant of this file
  return version !== undefined && !isFrom(version, [major, minor + 1, 0]);
}

/** The capabilities of a version; of one that is undefined or unknown, what every known version accepts. */
export function capabilitiesOf(version: string | undefined): Capabilities {
  const read = version !== undefined && isKnownVersion(version) ? readVersion(version) : undefined;
  const values = Object.entries(table).map(([name, row]) => [name, valueAt(row, read)]);
  return Object.fromEntries(values) as Capabilities; // the table has a row for each
}

function valueAt({ unknown, since }: Row<unknown>, version: Version | undefined): unknown {
  if (version === undefined) return unknown;
  const rows = since.filter(([from], index) => index === 0 || isFrom(version, readVersion(from) as Version));
  return rows.at(-1)?.[1];
}
