import { listEvents } from "../../../admin/events.ts";
import { type Item, readItems } from "../../../core/document/items.ts";
import { projectIdOf } from "../../../core/document/references.ts";
import { fieldsOf, textMember, textsMember } from "../../../core/json/members.ts";
import type { Failure } from "../../../core/transfer/answer/batch-result.ts";
import { shown } from "../../../problem/format.ts";
import type { Asking } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { Items } from "./plan.ts";
import type { TargetState } from "./target-state.ts";

/** Why an object of the input is not sent. `id`: of a project or an action; of what refers to one, "". */
type Foreign = Pick<Failure, "cause" | "id" | "message">;

/** These objects, by the indexes of their items. */
export type ForeignObjects = ReadonlyMap<number, Foreign>;

/** Objects whose ids are unique in an instance, but which the service does not look for in other organizations. */
const kinds = {
  projects: { id: "projectId", added: "project.added", removed: "project.removed" },
  actions: { id: "actionId", added: "action.added", removed: "action.removed" },
} as const;

/** Objects that would change the project that they name. */
const partsOfProject: ReadonlySet<string> = new Set([
  "projectRoles",
  "oidcApps",
  "apiApps",
  "appKeys",
  "projectGrants",
]);
/** Objects that give rights in the project, or run the actions, that they name. */
const usesOf: ReadonlySet<string> = new Set(["projectMembers", "projectGrantMembers", "userGrants", "triggerActions"]);

type Kind = keyof typeof kinds;

/**
 * Finds the projects and actions of the input whose ids belong to other organizations of the target, or of the input, and what refers to
 * them. The service answers with success, writes the object onto the other organization's, and gives rights in that one (service behaviour
 * 9.33). So is a project that another organization had: what the service makes of a deleted one is empty (9.39). Raises
 * what reading events raises; no objects where the target does not offer its events.
 */
export async function findForeign(
  { orgs }: Pick<TargetState, "orgs">,
  { scan, parts, read: readExtent }: Items,
  asking: Asking,
): Promise<ForeignObjects> {
  const found = new Map<number, Foreign>();
  const wanted = parts.filter(
    ({ section }) => section !== undefined && (isKind(section.key) || partsOfProject.has(section.key)),
  );
  const read = wanted.length === 0 ? undefined : await ifOffered(() => readHomes(asking));
  if (read === undefined) return found;
  const { homes, former } = read;
  const orgOf = ({ org }: Item): string => scan.orgs[org]?.orgId ?? "";
  const elsewhere = (home: string | undefined, item: Item): boolean =>
    home !== undefined && home !== orgOf(item) && orgs.get(home)?.isRemoved !== true;
  const fail = ({ index }: Item, id: string, home: string): void =>
    void found.set(index, {
      ...{ cause: "in-other-org", id },
      message: `organization ${shown(asking.api.redactor.clean(home))}`,
    });
  /** Of each organization of the input: the ids that belong to another one. */
  const foreign = new Set<string>();
  const each = async (isWanted: (key: string) => boolean, take: (item: Item) => void): Promise<void> => {
    const some = parts.filter(({ section }) => section !== undefined && isWanted(section.key));
    for await (const items of readItems(some, scan, readExtent, () => true)) {
      asking.signal.throwIfAborted();
      for (const item of items) take(item);
    }
  };
  await each(isKind, (item) => {
    const id = textMember(fieldsOf(JSON.parse(item.bytes.toString())), kinds[item.key as Kind].id); // only these are read
    const name = nameOf(item.key, id);
    const home = homes.get(name) ?? former.get(name);
    if (home !== undefined && elsewhere(home, item)) {
      fail(item, id, home);
      foreign.add(`${item.org} ${name}`);
    } else homes.set(name, orgOf(item));
  });
  await each(
    (key) => partsOfProject.has(key) || (foreign.size > 0 && usesOf.has(key)),
    (item) => {
      const element = fieldsOf(JSON.parse(item.bytes.toString()));
      const projectId = projectIdOf(item.key, element);
      const used =
        item.key === "triggerActions"
          ? textsMember(element, "actionIds").map((id) => nameOf("actions", id))
          : [nameOf("projects", projectId)];
      const home = homes.get(nameOf("projects", projectId));
      if (used.some((name) => foreign.has(`${item.org} ${name}`)))
        found.set(item.index, { cause: "consequence", id: "", message: "" });
      else if (partsOfProject.has(item.key) && home !== undefined && elsewhere(home, item)) fail(item, projectId, home);
    },
  );
  return found;
}

/** What the target knows of the ids of projects and actions. */
interface Homes {
  /** The organization of each that was not deleted: the one that created it. */
  readonly homes: Map<string, string>;
  /** The organization of each project that was deleted. */
  readonly former: ReadonlyMap<string, string>;
}

async function readHomes({ api, retry, signal }: Asking): Promise<Homes> {
  const homes = new Map<string, string>();
  const former = new Map<string, string>();
  const eventTypes = Object.values(kinds).flatMap(({ added, removed }) => [added, removed]);
  for await (const { aggregate, type } of listEvents(api, { eventTypes }, retry, signal)) {
    for (const [key, { added, removed: removal }] of Object.entries(kinds)) {
      const name = nameOf(key, aggregate.id);
      if (type.type === added && !homes.has(name)) homes.set(name, aggregate.resourceOwner);
      else if (type.type === removal) {
        homes.delete(name);
        if (key === "projects") former.set(name, aggregate.resourceOwner);
      }
    }
  }
  return { homes, former };
}

function isKind(key: string): key is Kind {
  return Object.hasOwn(kinds, key);
}

function nameOf(key: string, id: string): string {
  return `${key} ${id}`;
}
