import { readItems } from "../../../core/document/items.ts";
import { planParts } from "../../../core/document/parts.ts";
import type { BodyScan, Extent } from "../../../core/document/scan-types.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import type { Document } from "../../../io/input/document.ts";
import type { Asking } from "../../shared/asking.ts";
import type { Items } from "./plan.ts";
import { type BuiltIn, readTargetState, type TargetState } from "./target-state.ts";

/** Where an element of these lists has its name, and the kind of object it is. */
const named = {
  humanUsers: { id: "userId", content: "user", name: "userName", kind: "user" },
  machineUsers: { id: "userId", content: "user", name: "userName", kind: "user" },
  projects: { id: "projectId", content: "project", name: "name", kind: "project" },
} as const;

/**
 * Every instance has an organization with an administrator, service users and the project of its APIs, each with an id of that instance.
 * If the input brings those of another instance into this organization, they exist by name: this returns their indexes, so that they are
 * skipped, and takes their ids out of the references of the input.
 */
export async function findBuiltIn(
  { orgs, builtIn }: TargetState,
  { scan, parts, read }: Items,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  if (builtIn.users.size + builtIn.projects.size === 0) return found;
  const own = parts.filter(({ org }) => orgs.get(scan.orgs[org]?.orgId ?? "")?.isBuiltIn === true);
  const wanted = own.filter(({ section }) => section !== undefined && Object.hasOwn(named, section.key));
  for await (const items of readItems(wanted, scan, read, () => true)) {
    signal.throwIfAborted();
    for (const { key, bytes, index } of items) {
      const { kind, id } = replacedBy(key as keyof typeof named, bytes, builtIn) ?? {}; // only such sections are read
      if (kind === undefined || id === undefined) continue;
      found.add(index);
      scan.references?.forget(kind, id);
    }
  }
  return found;
}

/** Takes the ids of built-in objects out of the references of an export that no import of this run has planned. */
export async function forgetBuiltIn(scan: BodyScan, input: Document, asking: Asking): Promise<void> {
  const target = await readTargetState(scan, asking);
  const items = { scan, parts: planParts(scan), read: (extent: Extent) => input.read(extent) };
  if (target !== undefined) await findBuiltIn(target, items, asking.signal);
}

/** The kind and id of an element that has the name of a built-in object of the target, and another id. */
function replacedBy(
  key: keyof typeof named,
  bytes: Buffer,
  builtIn: BuiltIn,
): { readonly kind: "user" | "project"; readonly id: string } | undefined {
  const place = named[key];
  const fields = fieldsOf(JSON.parse(bytes.toString()));
  const id = textMember(fields, place.id);
  const name = textMember(fieldsOf(member(fields, place.content)), place.name).toLowerCase();
  const own = (place.kind === "user" ? builtIn.users : builtIn.projects).get(name);
  return own === undefined || own === id ? undefined : { kind: place.kind, id };
}
