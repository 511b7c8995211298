import { count, counted, linesIf, shown } from "../../problem/format.ts";
import { moreLines } from "../reasons.ts";
import type { ReportFields } from "../report.ts";
import { SHOWN } from "./left-objects.ts";

type Settings = NonNullable<ReportFields<"diff">["settings"]>;

type ReportedPlace = NonNullable<ReportFields<"diff">["places"]>[number];

/** A compared place. */
export interface Place extends Omit<ReportedPlace, "differences"> {
  readonly differences: readonly Omit<Settings[number], "place" | "orgId">[];
}

/** The differences by place, and the sum. */
export function diffLines(places: readonly Place[], hosts: Readonly<Record<"source" | "target", string>>): string[] {
  return [
    `source:   ${hosts.source}`,
    `target:   ${hosts.target}`,
    ...places
      .filter(({ state }) => state === "different")
      .flatMap(({ differences, ...place }) => [
        differentLine(toReported({ differences, ...place })),
        ...differences.map((difference) => `  ${differenceLine(difference)}`),
      ]),
    ...samePlaces(places).map((names) => `the same: ${names}`),
    ...places.filter(({ state }) => state === "not-read").map(notReadLine),
    `${diffSummary(places.map(toReported))} Nothing was changed.`,
  ];
}

/** Places that one side or both did not answer, then places that differ: the first of each, for a quiet run. */
export function quietLines(places: readonly ReportedPlace[]): readonly string[] {
  const linesOf = (state: Place["state"], line: (place: ReportedPlace) => string): readonly string[] => {
    const found = places.filter((place) => place.state === state);
    return [...found.slice(0, SHOWN).map(line), ...moreLines(found.length - SHOWN)].map((text) => `  ${text}`);
  };
  const different = linesOf("different", differentLine);
  return [
    ...linesOf("not-read", notReadLine),
    ...different,
    ...linesIf(
      different.length > 0,
      "  Make the same change on one side. Without --quiet, or with --report, each setting is named.",
    ),
  ];
}

function differentLine({ differences, ...place }: ReportedPlace): string {
  return `${placeName(place)}  (${counted(differences, "difference")}; console: /ui/console/${place.page})`;
}

function notReadLine(place: Pick<Place, "name" | "orgId" | "why">): string {
  return `not read: ${placeName(place)}: ${place.why ?? ""}`;
}

/** The sum in one sentence. */
export function diffSummary(places: readonly ReportedPlace[]): string {
  const of = (state: Place["state"]): readonly ReportedPlace[] => places.filter((place) => place.state === state);
  const differences = of("different").reduce((sum, place) => sum + place.differences, 0);
  const notRead = of("not-read").length;
  const unread = notRead === 0 ? "" : `, ${count(notRead)} that one side or both did not answer`;
  return `${counted(differences, "difference")} in ${count(of("different").length)} of ${counted(places.length, "place")}${unread}.`;
}

/** A difference in one line: `allowRegister: true → not set`. */
export function differenceLine({ item, setting, source, target, only }: Place["differences"][number]): string {
  const of = item === undefined ? "" : `${shown(item)}: `;
  if (only !== undefined) return `${of}only on the ${only}`;
  return `${of}${shown(setting ?? "")}: ${valueText(source)} → ${valueText(target)}`;
}

function valueText(value: string | undefined): string {
  return value === undefined ? "not set" : shown(value);
}

/** The name of a place; the settings of an organization begin with its id. */
export function placeName({ name, orgId }: Pick<Place, "name" | "orgId">): string {
  return orgId === undefined ? name : `organization ${shown(orgId)}: ${name}`;
}

/** The names of the places without differences, as one text; none if there are none. */
export function samePlaces(places: readonly Pick<Place, "state" | "name" | "orgId">[]): readonly string[] {
  const names = places.filter(({ state }) => state === "same").map(placeName);
  return linesIf(names.length > 0, names.join(", "));
}

/** The place as the report has it. */
export function toReported({ differences, ...place }: Place): ReportedPlace {
  return { ...place, differences: differences.length };
}
