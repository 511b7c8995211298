import { camelKey } from "../../contract/import-request.ts";
import { ProblemError } from "../../problem.ts";
import { brokenProblem } from "../json/broken-problem.ts";
import { newlinesIn } from "../json/newlines.ts";
import { createWalker, type JsonPath, type Walker } from "../json/walker.ts";
import { bodyLayout, dataFields, type Extent, isContainer } from "./scan-types.ts";

/** Finds the organizations of a document, so that those of several documents can be joined. */
export interface FoundOrgs {
  /** The field that they are in: `orgs` for an export. */
  readonly field: "orgs" | "dataOrgs" | "dataOrgsv1";
  /** What stands between the brackets of the list. */
  readonly inside: Extent;
  /** The line on which that begins, and how many line breaks are in it. */
  readonly line: number;
  readonly lineBreaks: number;
  readonly isEmpty: boolean;
  readonly timeout: string | undefined;
}

/** Looks for the list of organizations in a document that comes in pieces; whether the service would take it is not its business. */
export class OrgsFinder {
  readonly #file: string;
  readonly #walker: Walker;
  #field: FoundOrgs["field"] | undefined;
  #fields = 0;
  #start: { readonly offset: number; readonly line: number } | undefined;
  #end: { readonly offset: number; readonly line: number } | undefined;
  #isEmpty = true;
  #timeout: string | undefined;
  #chunk: Buffer = Buffer.alloc(0);
  #chunkOffset = 0;
  #linesBefore = 0;

  constructor(file: string) {
    this.#file = file;
    this.#walker = createWalker(bodyLayout, {
      opened: (path, line, offset) => this.#opened(path, line, offset),
      closed: (path, offset) => this.#closed(path, offset),
      value: (path, bytes) => this.#value(path, bytes),
    });
  }

  /** Raises input.malformed, input.unclosed, input.row-too-long. */
  push(chunk: Buffer): void {
    this.#chunk = chunk;
    this.#guard(() => this.#walker.push(chunk));
    this.#linesBefore += newlinesIn(chunk);
    this.#chunkOffset += chunk.length;
  }

  /** Raises input.unclosed, and input.not-joinable for what has no list of organizations, or more than that. */
  end(): FoundOrgs {
    this.#guard(() => this.#walker.end());
    const [field, start, end] = [this.#field, this.#start, this.#end];
    if (field === undefined || start === undefined || end === undefined || this.#fields > 1) {
      throw new ProblemError({ code: "input.not-joinable", file: this.#file });
    }
    return {
      field,
      inside: { start: start.offset + 1, end: end.offset - 1 },
      line: start.line,
      lineBreaks: end.line - start.line,
      isEmpty: this.#isEmpty,
      timeout: this.#timeout,
    };
  }

  #opened(path: JsonPath, line: number, offset: number): void {
    const [first] = path;
    if (path.length === 1 && typeof first === "string") {
      const field = camelKey(first);
      this.#fields += 1;
      this.#field = field === "orgs" || isContainer(field) ? field : undefined;
    }
    if (isOrgs(path)) {
      // Of two lists one would be lost.
      if (this.#start !== undefined) this.#fields += 1;
      this.#start = { offset, line };
    } else if (isOrgs(path.slice(0, -1))) this.#isEmpty = false;
  }

  #closed(path: JsonPath, offset: number): void {
    if (!isOrgs(path)) return;
    // Everything before the bracket, of which the chunk holds the last part.
    this.#end = { offset, line: 1 + this.#linesBefore + newlinesIn(this.#chunk, 0, offset - this.#chunkOffset) };
  }

  #value(path: JsonPath, bytes: Buffer): void {
    const [key] = path;
    if (path.length !== 1 || typeof key !== "string") return;
    if (dataFields.has(key)) this.#fields += 1;
    if (key === "timeout" && bytes[0] === 0x22) this.#timeout = bytes.toString("utf8", 1, bytes.length - 1);
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw brokenProblem(error, this.#file);
    }
  }
}

function isOrgs(path: JsonPath): boolean {
  return path.at(-1) === "orgs" && (path.length === 1 || path.length === 2);
}
