import { camelKey } from "../../contract/import-request.ts";
import type { FoundKind } from "../../problem.ts";
import { firstKeys } from "../json/first-keys.ts";
import { dataFields } from "./scan-types.ts";

/** A file of a provider, by the fields that only its rows have. */
export interface KnownFile {
  /** As in `migrate <id>`. */
  readonly source: string;
  /** The provider's name for people. */
  readonly title: string;
  readonly flag: string;
  /** Any of these fields identifies the file. */
  readonly marks: readonly string[];
}

/** Members that only an export of the first major version has (service behaviour 2.11). */
const V1_MEMBER = /"(iamPolicy|secondFactors|multiFactors)"\s*:/;

/**
 * The kind of a file, by the fields at its beginning; undefined for an unknown kind, and for the expected one.
 * @param expected the marks of the expected kind
 */
export function recognize(
  beginning: Buffer,
  files: readonly KnownFile[],
  expected: readonly string[] = [],
): FoundKind | undefined {
  const keys = firstKeys(beginning);
  if (expected.some((mark) => keys.has(mark))) return undefined;
  if ([...keys][0] === "schemaVersion" && keys.has("command")) return { kind: "report" };
  const names = [...keys].map(camelKey);
  if (names.includes("orgs")) return { kind: V1_MEMBER.test(beginning.toString()) ? "export-v1" : "export" };
  if (names.some((name) => dataFields.has(name))) return { kind: "body" };
  const file = files.find(({ marks }) => marks.some((mark) => keys.has(mark)));
  return file === undefined ? undefined : { kind: "source", source: file.source, title: file.title, flag: file.flag };
}
