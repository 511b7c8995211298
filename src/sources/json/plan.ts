import type { ColumnUse } from "../../core/merge/counts.ts";
import { ProblemError } from "../../problem.ts";
import { fields } from "../mapped/fields.ts";
import { draftPlan, hasPasswords, type Plan } from "../mapped/plan.ts";
import { UnreadStates } from "../mapped/unread-states.ts";
import type { RowForm, Value } from "./cells.ts";
import type { JsonSettings } from "./options.ts";
import { type Path, readPaths } from "./paths.ts";
import type { JsonPreset } from "./presets.ts";
import { ReadPaths } from "./read-paths.ts";

/** How the rows of a JSON file are read. */
export interface JsonPlan {
  readonly plan: Plan<Value>;
  readonly form: RowForm;
  /** Where a service account says that it is one. */
  readonly serviceAccounts: { readonly at: readonly Value[]; readonly values: readonly string[] } | undefined;
  readonly use: ColumnUse;
}

/**
 * Plans how rows are read: as `--map` says, otherwise as the preset does. Raises usage.no-path-for, usage.plain-passwords.
 */
export function createPlan(settings: JsonSettings, preset: JsonPreset | undefined, now: Date): JsonPlan {
  const { mapping, idp, withoutMetadata } = settings;
  const { plan: draft, without } = draftPlan((text) => ({ cells: valuesOf(text), missing: [] }), settings, preset);
  if (without.length > 0) throw new ProblemError({ code: "usage.no-path-for", fields: without });
  const whole = (values: readonly Value[]): readonly Value[] => values.map((value) => ({ ...value, isWhole: true }));
  const plan: Plan<Value> = {
    ...draft,
    metadata: draft.metadata.map(({ key, cells }) => ({ key, cells: whole(cells) })),
  };
  const { identities, pairs, metadataMembers } = preset ?? {};
  const form: RowForm = {
    pairs,
    metadataMembers: withoutMetadata ? undefined : metadataMembers,
    identities: identities && { list: whole(valuesOf(identities.from)), form: identities },
    links: identities === undefined ? [...idp.keys()].map((key) => ({ key, cells: valuesOf(key) })) : [],
    reads: new ReadPaths(),
    unreadHashes: hasPasswords(plan) ? undefined : new Set(),
    unreadStates: new UnreadStates(now),
    notFound: new Set([...Object.values(mapping.fields), ...Object.values(mapping.metadata)].flatMap(namesIn)),
  };
  const serviceAccounts = preset?.serviceAccounts && {
    at: valuesOf(preset.serviceAccounts.at),
    values: preset.serviceAccounts.values,
  };
  const read = [
    ...Object.values(plan.cells),
    ...[...plan.metadata, ...plan.others, ...form.links].map(({ cells }) => cells),
    plan.providers,
    plan.anonymousWithout,
    form.identities?.list ?? [],
    serviceAccounts?.at ?? [],
  ].flat();
  for (const { path, isWhole } of read) form.reads.add(path, isWhole);
  // What was asked to be left behind is no loss.
  const unwanted = withoutMetadata ? Object.values(preset?.metadata ?? {}) : [];
  for (const { path } of [...(preset?.ignored ?? []), ...unwanted].flatMap(readPaths)) form.reads.add(path, true);
  if (metadataMembers !== undefined) form.reads.addMembers(metadataMembers.of, metadataMembers.form);
  const used = Object.fromEntries(
    fields.flatMap((field) =>
      plan.cells[field].length === 0 ? [] : [[field, plan.cells[field].map(({ column }) => column).join("|")]],
    ),
  );
  const use = {
    preset: preset?.id,
    isRecognized: preset !== undefined && settings.preset === undefined,
    used,
    unused: [],
  };
  return {
    plan,
    form,
    serviceAccounts,
    use: {
      ...use,
      get notFound() {
        return [...form.notFound];
      },
      get unreadHashes() {
        return [...(form.unreadHashes ?? [])];
      },
      get unreadStates() {
        return form.unreadStates.found;
      },
    },
  };
}

function valuesOf(expression: string): readonly Value[] {
  return readPaths(expression).map(({ text, path }) => ({ column: text, name: nameOf(path), path, isWhole: false }));
}

/** The last key. */
function nameOf(path: Path): string {
  return path.flatMap((step) => ("key" in step ? [step.key] : [])).at(-1) ?? "";
}

function namesIn(expression: string | undefined): readonly string[] {
  return expression === undefined ? [] : readPaths(expression).map(({ text }) => text);
}
