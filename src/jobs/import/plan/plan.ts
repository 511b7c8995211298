import { createHash } from "node:crypto";
import { parseDurationMs } from "../../../contract/duration.ts";
import { mapOrgs, type OrgMap } from "../../../core/document/org-map.ts";
import { type Part, planParts } from "../../../core/document/parts.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import type { Document } from "../../../io/input/document.ts";
import { ProblemError, type RowProblem, type RunProblem } from "../../../problem.ts";
import type { Ui } from "../../../ui/ui.ts";
import { scanInput } from "../../shared/scan-input.ts";
import type { ImportSettings } from "../settings.ts";
import type { CallTimeout } from "../ways/way.ts";

export const DEFAULT_TIMEOUT = "5m0s";

/** An input that was read once, and how it is to be sent. */
export interface Prepared {
  readonly scan: BodyScan;
  /** Of the input, in hex. */
  readonly sha256: string;
  /** What decides which item has which place and how it is sent: a journal is good for one of them. */
  readonly routing: string;
  readonly parts: readonly Part[];
  readonly timeout: CallTimeout;
}

/** Reads the whole input once and plans the sending. Raises input.*. */
export async function prepare(
  input: Document,
  settings: Pick<ImportSettings, "from" | "timeout" | "via" | "noMail" | "orgMap" | "update">,
  onFault: (problem: RowProblem) => void,
  { ui, signal }: { readonly ui: Ui; readonly signal: AbortSignal },
): Promise<Prepared> {
  const { via, noMail } = settings;
  const scanSettings = { onFault, withReferences: true, routing: { via, noMail } };
  const { scan: found, sha256 } = await scanInput(input, scanSettings, ui, signal);
  const scan = mapOrgs(withVariant(found, settings.from), settings.orgMap);
  const routing = `${scan.container} via ${via}${noMail ? " without mail" : ""}${settings.update === undefined ? "" : " update"}${digestOf(settings.orgMap)}`;
  const timeout = readTimeout(settings.timeout ?? scan.timeout ?? DEFAULT_TIMEOUT, input.path);
  return { scan, sha256, routing, timeout, parts: scan.carries === "as-is" ? [] : planParts(scan) };
}

/** A map of any size in a few characters; nothing for none. */
function digestOf(map: OrgMap): string {
  if (map.size === 0) return "";
  return ` map ${createHash("sha256")
    .update(JSON.stringify([...map].sort()))
    .digest("hex")
    .slice(0, 16)}`;
}

/** spec: Versioning; an export of a later version loses data as `dataOrgsv1` (service behaviour 2.11). */
function withVariant(scan: BodyScan, from: ImportSettings["from"]): BodyScan {
  if (from === undefined) return scan;
  return { ...scan, container: from === "v1" ? "dataOrgsv1" : "dataOrgs" };
}

function readTimeout(text: string, file: string): CallTimeout {
  const ms = parseDurationMs(text);
  if (ms === undefined || ms <= 0) throw new ProblemError({ code: "input.bad-timeout", file });
  return { text, ms };
}

/** What keeps the input from being sent; undefined when nothing does. */
export function findObstacle(
  { counts }: Pick<BodyScan, "counts">,
  file: string,
  { skipInvalid }: Pick<ImportSettings, "skipInvalid">,
): RunProblem | undefined {
  const { invalidUsers: users, otherFaults: entries } = counts;
  if (entries > 0) return { code: "input.invalid-entries", file, entries: users + entries };
  return users === 0 || skipInvalid ? undefined : { code: "input.invalid-users", file, users };
}
