import { depthFault } from "../../core/rules/text.ts";
import { Cells, isAbsent, listOf, type Place, parseJson, textOf } from "../mapped/cells.ts";
import { hasSalt } from "../mapped/salts.ts";
import type { UnreadStates } from "../mapped/unread-states.ts";
import { isName } from "../mapped/usual-names.ts";
import { type Identity, valueAt } from "../shared/options.ts";
import { looksLikeHash } from "../shared/plain-password.ts";
import type { Path, Step } from "./paths.ts";
import type { IdentityList, JsonPreset, Pairs } from "./presets.ts";
import type { ReadPaths } from "./read-paths.ts";

/** A value of a row. `column`: its path. */
export interface Value extends Place {
  readonly path: Path;
  /** Objects and lists are taken as JSON, as metadata is. */
  readonly isWhole: boolean;
}

/** Where a row has accounts at other providers. */
export interface IdentitySource {
  readonly list: readonly Value[];
  readonly form: IdentityList;
}

/** What a provider's rows have besides values at paths. */
export interface RowForm {
  /** Lists of names and values that are read as objects. */
  readonly pairs: Pairs | undefined;
  readonly metadataMembers: JsonPreset["metadataMembers"];
  readonly identities: IdentitySource | undefined;
  /** Paths to ids at one provider each, by the provider. */
  readonly links: readonly { readonly key: string; readonly cells: readonly Value[] }[];
  readonly reads: ReadPaths;
  /** Where no path of hashes is read: paths that are not read and have some. */
  readonly unreadHashes: Set<string> | undefined;
  readonly unreadStates: UnreadStates;
  /** Paths of `--map` that no row had yet. */
  readonly notFound: Set<string>;
}

type Row = Readonly<Record<string, unknown>>;

/** The values of a parsed object. */
export class JsonCells extends Cells<Value> {
  readonly #form: RowForm;
  #row: Row = {};
  /** Of the user of the row. */
  #isOpen = false;

  constructor(form: RowForm) {
    super();
    this.#form = form;
  }

  of(row: object): this {
    const { pairs } = this.#form;
    this.#row = pairs === undefined ? (row as Row) : withPairs(row as Row, pairs);
    if (this.faults.size > 0) this.faults.clear();
    return this;
  }

  text(place: Value): string | undefined {
    const value = this.#at(place.path, place);
    if (typeof value === "string") {
      const text = value.trim();
      return isAbsent(text) ? undefined : this.#found(place, text);
    }
    if (value === undefined || value === null) return undefined;
    if (typeof value === "number") return this.#found(place, this.#numeral(value, place));
    if (typeof value === "boolean") return this.#found(place, String(value));
    if (place.isWhole) return this.#found(place, JSON.stringify(value));
    // A list of texts, such as the addresses that are verified.
    const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
    return isList ? this.#found(place, value.join("|")) : undefined;
  }

  verbatim(place: Value): string | undefined {
    const value = this.#at(place.path, place);
    return typeof value === "string" && value !== "" ? this.#found(place, value) : undefined;
  }

  isPadded(): boolean {
    return false;
  }

  list(place: Value): readonly string[] {
    const value = this.#at(place.path, place);
    const texts = Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []) : listOf(textOf(value) ?? "");
    if (texts.length > 0 && this.#form.notFound.size > 0) this.#form.notFound.delete(place.column);
    return texts;
  }

  hasSalt(hash: string): boolean {
    return hasSalt("", this.#row, hash);
  }

  identities(): readonly Identity[] {
    const { identities, links } = this.#form;
    const named = links.flatMap(({ key, cells }) => {
      const userId = this.first(cells);
      return userId === undefined ? [] : [{ provider: key, userId }];
    });
    return identities === undefined ? named : [...this.#listed(identities), ...named];
  }

  override addMetadata(values: Record<string, string>): void {
    const { metadataMembers: named } = this.#form;
    const from = named === undefined ? undefined : this.#row[named.of];
    if (named === undefined || typeof from !== "object" || from === null) return;
    for (const [name, value] of Object.entries(from)) {
      const [, key] = named.form.exec(name) ?? [];
      const text = key === undefined ? undefined : textOf(value);
      if (key !== undefined && text !== undefined) values[key] ??= text;
    }
  }

  override leftOut(isOpen: boolean): readonly string[] | undefined {
    this.#isOpen = isOpen;
    return this.#form.reads.leftOut(this.#row, this.#look);
  }

  /** Looks for hashes and states in what is not read, without lists. */
  readonly #look = (value: unknown, path: string): void => {
    if (typeof value !== "object") {
      const { unreadHashes, unreadStates } = this.#form;
      if (unreadHashes !== undefined && typeof value === "string" && looksLikeHash(value)) unreadHashes.add(path);
      if (this.#isOpen && value !== "" && unreadStates.isWanted(path)) unreadStates.take(path, String(value));
    } else if (value !== null && !Array.isArray(value))
      for (const [key, member] of Object.entries(value)) if (isName(key)) this.#look(member, `${path}.${key}`);
  };

  #listed({ list, form }: IdentitySource): readonly Identity[] {
    for (const place of list) {
      const accounts = accountsOf(this.#at(place.path, place), form);
      if (accounts.length > 0) return accounts;
    }
    return [];
  }

  #found(place: Value, text: string): string {
    if (this.#form.notFound.size > 0) this.#form.notFound.delete(place.column);
    return text;
  }

  /** Numbers beyond 2^53 have lost digits when JSON is parsed. */
  #numeral(value: number, { column }: Value): string {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      this.faults.set(column, {
        code: "field.type",
        field: column,
        expected: "a text, because the number is too large",
      });
    }
    return String(value);
  }

  #inAll(list: unknown, rest: Path, place: Value): unknown {
    return Array.isArray(list) ? list.flatMap((one) => this.#at(rest, place, one) ?? []) : undefined;
  }

  #at(path: Path, place: Value, from: unknown = this.#row): unknown {
    let at: unknown = from;
    for (let step = 0; step < path.length && at !== undefined && at !== null; step += 1) {
      const next = path[step] as Step;
      if ("all" in next) return this.#inAll(at, path.slice(step + 1), place);
      at = this.#step(at, next, place);
    }
    return at;
  }

  #step(from: unknown, step: Step, place: Value): unknown {
    const at = typeof from === "string" ? this.#parsed(from, place) : from;
    if (typeof at !== "object" || at === null) return undefined;
    if ("key" in step) return Object.hasOwn(at, step.key) ? (at as Row)[step.key] : undefined;
    if (!Array.isArray(at) || "all" in step) return undefined;
    if ("index" in step) return at[step.index];
    const wanted = typeof step.is === "string" ? step.is : textOf(this.#at(step.is, place));
    return wanted === undefined ? undefined : at.find((one) => textOf(valueAt(one, step.member)) === wanted);
  }

  /** A text that holds JSON, or a list with `|` or `,` between its elements. */
  #parsed(text: string, { column }: Value): unknown {
    const first = text.trimStart()[0];
    if (first !== "{" && first !== "[") return listOf(text);
    const fault = depthFault(text);
    if (fault === undefined) return parseJson(text);
    this.faults.set(column, { ...fault, field: column });
    return undefined;
  }
}

/** The row with one object in place of a list of names and values. */
function withPairs(row: Row, { list, name, value }: Pairs): Row {
  const pairs = row[list];
  if (!Array.isArray(pairs)) return row;
  const found: Record<string, unknown> = Object.create(null);
  for (const pair of pairs) {
    const key = valueAt(pair, [name]);
    if (typeof key === "string") found[key] = valueAt(pair, [value]);
  }
  return { ...row, [list]: found };
}

function accountsOf(
  value: unknown,
  { provider, userId, userName, isKeyed, own = [], only }: IdentityList,
): readonly Identity[] {
  const list = typeof value === "string" ? parseJson(value) : value;
  if (typeof list !== "object" || list === null) return [];
  const named: readonly (readonly [string | undefined, unknown])[] = isKeyed
    ? Object.entries(list)
    : Object.values(list).map((one) => [textOf(valueAt(one, provider)), one]);
  return named.flatMap(([name, one]) => {
    if (name === undefined || own.includes(name)) return [];
    if (only !== undefined && valueAt(one, [only.member]) !== only.is) return [];
    const account = { provider: name, userId: textOf(valueAt(one, userId)) };
    return [userName === undefined ? account : { ...account, userName: textOf(valueAt(one, userName)) }];
  });
}
