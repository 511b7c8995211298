import type { Grant, NewProject } from "../../core/merge/source-user.ts";
import { textFault } from "../../core/rules/text.ts";
import { ProblemError, type Remark } from "../../problem.ts";
import { OptionFault, type SourceOption } from "../source.ts";

// Roles and groups of the source become roles in projects of the target.

/** A role or group of the source, and the role in a project that its users get. */
export interface GrantRule {
  /** As it was given; `*` stands for any characters. */
  readonly name: string;
  readonly projectId: string;
  /** A `*` is replaced by the characters that the first `*` of the name stands for. */
  readonly roleKey: string;
}

const FORM = "<role or group>=<project id>:<role key>";
/** The service's limit of ids and of role keys, in characters. */
const LIMIT = 200;

/** `--grant`, repeatable; `@file` has one rule per line. */
export const grantOption: SourceOption<readonly GrantRule[]> = {
  flag: "--grant <role=project:key>",
  description: `give users of a role or group a role in a project: ${FORM}, * for any characters, @file (repeatable)`,
  read: (given, readFile) =>
    given.flatMap((text) =>
      text.startsWith("@") ? rulesIn(readFile(text.slice(1)), text.slice(1)) : [ruleOf(text, "")],
    ),
};

/** `--projects`: which projects of `--grant` the body creates, with their names. */
export const projectsOption: SourceOption<ReadonlyMap<string, string> | "all" | undefined> = {
  flag: "--projects <create|id=name>",
  description: "create the projects and roles of --grant on the target: create, or <id>=<name> (repeatable)",
  read(given) {
    if (given.length === 0) return undefined;
    const named = given.filter((text) => text !== "create");
    const names = named.map((text): [string, string] => {
      const [, id, name] = /^([^=\s]+)=(.*\S)\s*$/.exec(text) ?? [];
      if (id === undefined || name === undefined || textFault(name, LIMIT) !== undefined) {
        throw new OptionFault("it must be create, or an id and a name, such as 312909075212959745=Portal.");
      }
      return [id, name];
    });
    return named.length < given.length && names.length === 0 ? "all" : new Map(names);
  },
};

function rulesIn(text: string, file: string): readonly GrantRule[] {
  return text.split(/\r?\n/).flatMap((line, at) => {
    const isSkipped = line.trim() === "" || line.startsWith("#") || (at === 0 && /^role[,;\t]/i.test(line));
    return isSkipped ? [] : [ruleOf(line, `${file}:${at + 1}: `)];
  });
}

/** Reads `name=project:key`, or three columns. @param place in front of the message. Raises OptionFault. */
function ruleOf(text: string, place: string): GrantRule {
  const [, name = "", projectId = "", roleKey = ""] =
    /^(.*)=([^=:\s]+):([^=]+)$/.exec(text) ?? /^(.*)[,;\t]([^,;\t]+)[,;\t]([^,;\t]+)$/.exec(text) ?? [];
  const rule = { name: unquoted(name), projectId: unquoted(projectId), roleKey: unquoted(roleKey) };
  if (Object.values(rule).some((part) => textFault(part, LIMIT) !== undefined)) {
    throw new OptionFault(`${place}it must be ${FORM}, such as editor=312909075212959745:editor.`);
  }
  return rule;
}

function unquoted(text: string): string {
  return text.trim().replace(/^"(.*)"$/, "$1");
}

/** What a user's roles and groups become. */
export interface GrantsReading {
  readonly grants: readonly Grant[] | undefined;
  /** Names without a rule of their own, each once. */
  readonly left: readonly string[];
}

/** A role or group of a user. */
export interface RoleNames {
  readonly name: string;
  /** The groups around it: a rule for one of them is a rule for it. */
  readonly around: readonly string[];
  /** The roles that it includes: the user has each of them, too. */
  readonly parts: readonly string[];
}

/** One that stands alone. */
export function plainRole(name: string): RoleNames {
  return { name, around: NO_NAMES, parts: NO_NAMES };
}

const NO_NAMES: readonly string[] = [];

/** The options about grants. */
export interface GrantSettings {
  readonly grant: readonly GrantRule[];
  readonly projects: ReadonlyMap<string, string> | "all" | undefined;
}

/** Finds the grants of users. One for all users: their roles repeat. */
export class Granter {
  /** The projects that the body creates. Their roles are those of the rules, and those that a `*` gave so far. */
  readonly projects: readonly NewProject[];
  /** Ids of the projects of the rules that the body does not create. */
  readonly foreignProjects: readonly string[];
  readonly #rules: readonly { readonly form: RegExp; readonly rule: GrantRule }[];
  readonly #matched = new Set<string>();
  readonly #created = new Map<string, Set<string>>();
  readonly #known = new Map<string, readonly { readonly projectId: string; readonly roleKey: string }[]>();

  /** Raises usage.invalid for a project to create that no rule names, and for all projects of no rule. */
  constructor({ grant: rules, projects: wanted }: GrantSettings) {
    if (wanted === "all" && rules.length === 0)
      throw new ProblemError({ code: "usage.invalid", message: "--projects create: no --grant names a project." });
    this.#rules = rules.map((rule) => ({ form: formOf(rule.name), rule }));
    const names = wanted === "all" ? new Map(rules.map(({ projectId }) => [projectId, projectId])) : wanted;
    this.projects = [...(names ?? [])].map(([id, name]) => {
      const own = rules.filter(({ projectId }) => projectId === id);
      if (own.length === 0) {
        throw new ProblemError({ code: "usage.invalid", message: `--projects: no --grant names the project ${id}.` });
      }
      const roleKeys = new Set(own.flatMap(({ roleKey }) => (roleKey.includes("*") ? [] : [roleKey])));
      this.#created.set(id, roleKeys);
      return { id, name, roleKeys };
    });
    const ids = new Set(rules.map(({ projectId }) => projectId));
    this.foreignProjects = [...ids].filter((id) => !this.#created.has(id));
  }

  /** The roles and groups of rules that no user had so far. */
  get unmet(): readonly string[] {
    return [...new Set(this.#rules.map(({ rule: { name } }) => name))].filter((name) => !this.#matched.has(name));
  }

  /** One grant for each project. @param remarks gets `granted` and `roles-lost`. */
  read(roles: readonly RoleNames[], remarks: Remark[]): GrantsReading {
    const keys = new Map<string, Set<string>>();
    const left = new Set<string>();
    for (const { name, around, parts } of roles) {
      const own = [name, ...around].flatMap((one) => this.#of(one));
      const all = [[name, own] as const, ...parts.map((one) => [one, this.#of(one)] as const)];
      for (const [one, rules] of all) {
        if (rules.length === 0) left.add(one);
        for (const { projectId, roleKey } of rules)
          keys.set(projectId, (keys.get(projectId) ?? new Set()).add(roleKey));
      }
    }
    if (left.size > 0) remarks.push("roles-lost");
    if (keys.size === 0) return { grants: undefined, left: [...left] };
    remarks.push("granted");
    const grants = [...keys].map(([projectId, all]) => ({ projectId, roleKeys: [...all].sort() }));
    return { grants, left: [...left] };
  }

  #of(name: string): readonly { readonly projectId: string; readonly roleKey: string }[] {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#rules.flatMap(({ form, rule: { name: ofRule, projectId, roleKey } }) => {
      const match = form.exec(name);
      if (match !== null) this.#matched.add(ofRule);
      const key = roleKey.replaceAll("*", () => match?.[1] ?? "");
      if (match === null || textFault(key, LIMIT) !== undefined) return [];
      this.#created.get(projectId)?.add(key);
      return [{ projectId, roleKey: key }];
    });
    this.#known.set(name, found);
    return found;
  }
}

function formOf(name: string): RegExp {
  const parts = name.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(.*)")}$`, "s");
}
