import { ImportError } from "../../../contract/import-result.ts";
import { createWalker, type Layout, type Walker } from "../../json/walker.ts";
import { elementTypes } from "./element-types.ts";

const list: Layout = { elements: undefined };
const org: Layout = { members: () => list };
const orgs: Layout = { elements: org };
const success: Layout = { members: (key) => (key === "orgs" ? orgs : undefined) };
const answer: Layout = { members: (key) => (key === "errors" ? list : key === "success" ? success : undefined) };

/**
 * Reads an answer of `POST /admin/v1/import` in pieces, because it may be larger than memory (service behaviour 1.6), and keeps what it
 * says, by type and id, until it is taken out.
 */
export class Mentions implements Walker {
  readonly #walker: Walker;
  readonly #clean: (text: string) => string;
  readonly #errors = new Map<string, Map<string, ImportError[]>>();
  readonly #made = new Map<string, Map<string, number>>();
  /** Created elements of lists that only later versions have, by the name of the list. */
  readonly #unknownLists = new Map<string, number>();
  readonly #workedOn = new Set<string>();
  #hasSuccesses = false;
  #isAnswer = false;

  /** `clean` takes secrets out of the service's words. */
  constructor(clean: (text: string) => string) {
    this.#clean = clean;
    this.#walker = createWalker(answer, {
      opened: (path) => {
        if (path.length !== 1) return;
        this.#isAnswer = true;
        if (path[0] === "success") this.#hasSuccesses = true;
      },
      value: (path, bytes) => {
        const value: unknown = JSON.parse(bytes.toString());
        if (path.length === 2 && path[0] === "errors") this.#error(ImportError.parse(value));
        else if (path[3] === "orgId" && typeof value === "string") this.#workedOn.add(value);
        else if (path.length === 5) this.#success(path[3] as string, value);
      },
    });
  }

  /** Raises BrokenJson. */
  push(chunk: Buffer): void {
    this.#walker.push(chunk);
  }

  /** Raises BrokenJson. */
  end(): void {
    this.#walker.end();
  }

  /** False for `{}` and everything else without errors and success: no answer to a body variant (service behaviour 2.7). */
  get saidSomething(): boolean {
    return this.#isAnswer;
  }

  #error(entry: ImportError): void {
    const type = this.#clean(entry.type);
    const errors = this.#errors.get(type) ?? new Map<string, ImportError[]>();
    this.#errors.set(type, errors);
    const same = errors.get(entry.id);
    if (same === undefined) errors.set(entry.id, [entry]);
    else same.push(entry);
  }

  #success(list: string, element: unknown): void {
    const found = byList.get(list);
    if (found === undefined) {
      this.#unknownLists.set(list, (this.#unknownLists.get(list) ?? 0) + 1);
      return;
    }
    const key = found.successKey(element);
    const made = this.#made.get(found.type) ?? new Map<string, number>();
    this.#made.set(found.type, made);
    made.set(key, (made.get(key) ?? 0) + 1);
  }

  /** False when the answer mentions no successes at all, so that not being among them means nothing. */
  get hasSuccesses(): boolean {
    return this.#hasSuccesses;
  }

  /** True when the service went into the organization. */
  workedOn(orgId: string): boolean {
    return this.#workedOn.has(orgId);
  }

  /** What is said against one thing, with the words cleaned; it is not said twice. */
  takeErrors(type: string, id: string): ImportError[] {
    const errors = this.#errors.get(type);
    const taken = errors?.get(id) ?? [];
    errors?.delete(id);
    return taken.map((error) => this.#cleaned(error));
  }

  /** Takes created elements of this key, `most` at most; returns how many. */
  takeMade(type: string, key: string, most: number): number {
    const made = this.#made.get(type);
    const count = Math.min(made?.get(key) ?? 0, most);
    if (count > 0) made?.set(key, (made.get(key) as number) - count); // count > 0: it is there
    return count;
  }

  /** Takes created elements of any key that are left, `most` at most; returns how many. */
  takeAnyMade(type: string, most: number): number {
    let left = most;
    for (const key of this.#made.get(type)?.keys() ?? []) left -= this.takeMade(type, key, left);
    return most - left;
  }

  /** Errors that are left: about elements that were not sent, or not as items. */
  *rest(): Generator<ImportError> {
    for (const errors of this.#errors.values()) {
      for (const same of errors.values()) for (const error of same) yield this.#cleaned(error);
    }
  }

  /** The created elements of lists that only later versions have, by the cleaned name of the list. */
  *unknownMade(): Generator<readonly [list: string, count: number]> {
    for (const [list, count] of this.#unknownLists) yield [this.#clean(list), count];
  }

  /** The created elements that are left, by type. */
  *restMade(): Generator<readonly [type: string, count: number]> {
    for (const [type, made] of this.#made) yield [type, [...made.values()].reduce((sum, times) => sum + times, 0)];
  }

  /** Organizations that the service processed. */
  get orgs(): Iterable<string> {
    return this.#workedOn;
  }

  #cleaned({ type, id, message }: ImportError): ImportError {
    return { type: this.#clean(type), id: this.#clean(id), message: this.#clean(message) };
  }
}

const byList = new Map(Object.values(elementTypes).map((type) => [type.successList, type]));
