import { namedElement } from "../../core/document/org-sections.ts";
import type { InactiveObject } from "../../core/events/inactive-objects.ts";
import type { Document } from "../../io/input/document.ts";
import { walkObjects } from "../shared/scan-input.ts";

/** A deactivated object with its name and those of its user and its project, as far as the export has them. */
export interface NamedInactive extends Omit<InactiveObject, "projectGrantId"> {
  readonly name?: string;
  readonly userName?: string;
  readonly projectName?: string;
}

/** Looks for the names in the export. Reads it, if there are such objects. Raises the signal's reason. */
export async function nameInactive(
  inactive: readonly InactiveObject[],
  document: Document,
  signal: AbortSignal,
): Promise<readonly NamedInactive[]> {
  if (inactive.length === 0) return [];
  const wanted = new Set(inactive.flatMap(({ id, userId = "", projectId = "" }) => [id, userId, projectId]));
  const names = new Map<string, string>();
  await walkObjects(
    document,
    { signal },
    (section) => namedElement(section, {}) !== undefined,
    ({ section, value }) => {
      for (const element of Array.isArray(value) ? value : [value]) {
        const { id = "", name = "" } = namedElement(section, element) ?? {};
        if (name !== "" && wanted.has(id)) names.set(id, name);
      }
    },
  );
  return inactive.map(({ projectGrantId: _, ...object }) => ({
    ...object,
    ...named("name", names.get(object.id)),
    ...named("userName", names.get(object.userId ?? "")),
    ...named("projectName", names.get(object.projectId ?? "")),
  }));
}

function named<K extends string>(key: K, name: string | undefined): Partial<Record<K, string>> {
  return name === undefined ? {} : ({ [key]: name } as Record<K, string>); // the key is the one that is asked for
}
