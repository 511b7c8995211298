import { readSettings } from "../../admin/org-lists.ts";
import type { SettingsAnswer } from "../../contract/orgs.ts";
import { compareSettings, namesById } from "../../core/compare/settings.ts";
import { describe } from "../../problem/describe.ts";
import { ProblemError } from "../../problem.ts";
import type { Place } from "../../ui/summary/diff-summary.ts";
import type { Asking } from "../shared/asking.ts";
import { isNotTold } from "../shared/not-offered.ts";
import { instancePlaces, orgPlaces, type SettingPlace } from "./places.ts";

/**
 * Compares the settings of two instances that no export carries, and those of organizations that both have. Writes nothing. Raises auth.*,
 * api.*, net.*; a place that one of them does not offer is "not-read".
 */
export async function diffInstances(
  source: Asking,
  target: Asking,
  orgIds: readonly string[],
): Promise<readonly Place[]> {
  const wanted: readonly Wanted[] = [
    ...instancePlaces.map((place) => ({ place })),
    ...orgIds.flatMap((orgId) => orgPlaces.map((place) => ({ place, orgId }))),
  ];
  const [ours, theirs] = await Promise.all([readPlaces(wanted, source), readPlaces(wanted, target)]);
  const [ourNames, theirNames] = [namesById(ours.filter(isRead)), namesById(theirs.filter(isRead))];
  return wanted.map(({ place: { name, page }, orgId }, at) => {
    const of = { name, page, ...(orgId === undefined ? {} : { orgId }) };
    const [one, other] = [ours[at] ?? NEVER_ASKED, theirs[at] ?? NEVER_ASKED]; // each place was asked
    if (!isRead(one)) return { ...of, state: "not-read", why: one.why, differences: [] };
    if (!isRead(other)) return { ...of, state: "not-read", why: other.why, differences: [] };
    const differences = compareSettings({ content: one, names: ourNames }, { content: other, names: theirNames });
    return { ...of, state: differences.length === 0 ? "same" : "different", differences };
  });
}

interface Wanted {
  readonly place: SettingPlace;
  readonly orgId?: string;
}

/** Why a place was not read. */
class Unread {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

const NEVER_ASKED = new Unread("");

function isRead(content: SettingsAnswer | Unread): content is SettingsAnswer {
  return !(content instanceof Unread);
}

/**
 * Unread for a place that the instance does not have, refuses, or fails at (service behaviour 9.20). Raises the first refusal if no place
 * can be read.
 */
async function readPlaces(wanted: readonly Wanted[], asking: Asking): Promise<readonly (SettingsAnswer | Unread)[]> {
  const contents: (SettingsAnswer | Unread)[] = [];
  let refusal: unknown;
  for (const { place, orgId } of wanted) {
    try {
      contents.push(await readSettings(place, asking, orgId));
    } catch (error) {
      if (!(error instanceof ProblemError) || !isNotTold(error.problem.code)) throw error;
      refusal ??= error;
      contents.push(new Unread(describe(error.problem).message));
    }
  }
  if (!contents.some(isRead)) throw refusal;
  return contents;
}
