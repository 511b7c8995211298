import { ImportError } from "../../../contract/import-result.ts";
import { createWalker, type Layout, type Walker } from "../../json/walker.ts";

/** What an import answer says, bit by bit: an answer may be larger than memory. */
export interface AnswerListener {
  error(entry: ImportError): void;
  /** The answer has a part about successes, be it empty. */
  successes(): void;
  /** An organization the service worked on. */
  org(orgId: string): void;
  /** One element of a list of successes, such as `humanUserIds`. */
  success(list: string, element: unknown): void;
}

export interface AnswerReader extends Walker {
  /** False for `{}` and everything else without errors and success: no answer to a body variant (service behaviour 2.7). */
  readonly saidSomething: boolean;
}

const list: Layout = { elements: undefined };
const org: Layout = { members: () => list };
const orgs: Layout = { elements: org };
const success: Layout = { members: (key) => (key === "orgs" ? orgs : undefined) };
const answer: Layout = { members: (key) => (key === "errors" ? list : key === "success" ? success : undefined) };

/** Reads an answer of `POST /admin/v1/import` (service behaviour 1.6). Raises BrokenJson. */
export function createAnswerReader(listener: AnswerListener): AnswerReader {
  let saidSomething = false;
  const walker = createWalker(answer, {
    opened(path) {
      if (path.length !== 1) return;
      saidSomething = true;
      if (path[0] === "success") listener.successes();
    },
    value(path, bytes) {
      const value: unknown = JSON.parse(bytes.toString());
      if (path.length === 2 && path[0] === "errors") listener.error(ImportError.parse(value));
      else if (path[3] === "orgId" && typeof value === "string") listener.org(value);
      else if (path.length === 5) listener.success(path[3] as string, value);
    },
  });
  return {
    push: (chunk) => walker.push(chunk),
    end: () => walker.end(),
    get saidSomething() {
      return saidSomething;
    },
  };
}
