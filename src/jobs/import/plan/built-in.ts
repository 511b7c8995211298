import { readItems } from "../../../core/document/items.ts";
import { fieldsOf, member, textMember } from "../../../core/json/members.ts";
import type { SendContext } from "../ways/way.ts";
import type { BuiltIn, TargetState } from "./target-state.ts";

/** Where the name of an element of these lists stands, and what it is called there. */
const named = {
  humanUsers: { id: "userId", content: "user", name: "userName", kind: "user" },
  machineUsers: { id: "userId", content: "user", name: "userName", kind: "user" },
  projects: { id: "projectId", content: "project", name: "name", kind: "project" },
} as const;

/**
 * Every instance has an organization of its own with an administrator, service users and the project of its own APIs, each with an id
 * of its own. Where the input brings the counterparts of another instance into it, they are there already, by name: they are left
 * alone, and what refers to the others' ids leads out of the input. Returns how many they are.
 */
export async function leaveBuiltInAlone(
  { orgs, builtIn }: TargetState,
  { scan, parts, read, signal }: Pick<SendContext, "scan" | "parts" | "read" | "signal">,
  leftAlone: Set<number>,
): Promise<number> {
  if (builtIn.users.size + builtIn.projects.size === 0) return 0;
  const own = parts.filter(({ org }) => orgs.get(scan.orgs[org]?.orgId ?? "")?.isBuiltIn === true);
  const wanted = own.filter(({ section }) => section !== undefined && Object.hasOwn(named, section.key));
  for await (const items of readItems(wanted, scan, read, () => true)) {
    signal.throwIfAborted();
    for (const { key, bytes, index } of items) {
      const { kind, id } = nameOf(key as keyof typeof named, bytes, builtIn) ?? {}; // such sections alone are read
      if (kind === undefined || id === undefined) continue;
      leftAlone.add(index);
      scan.references?.forget(kind, id);
    }
  }
  return leftAlone.size;
}

/** The kind and id of an element that has the name of something of the instance's own, and another id. */
function nameOf(
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
