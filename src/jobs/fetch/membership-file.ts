import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { parseAs } from "../../admin/answer-json.ts";
import type { Context } from "../../context.ts";
import { readText } from "../../io/input/text.ts";
import { bufferedOutput } from "../../io/output/buffered-output.ts";
import { openOutput } from "../../io/output/output.ts";
import { ProblemError } from "../../problem.ts";

const Row = z.tuple([z.enum(["org", "role"]), z.string(), z.string()]);
/** What a user has, the user's id, and the name of the organization or role. */
export type Row = Readonly<z.infer<typeof Row>>;

/** The lists that are complete, by the ids of organizations and roles. */
const Lists = z.object({ schemaVersion: z.literal(1), origin: z.string(), lists: z.record(z.string(), z.array(Row)) });

/** Complete lists after which the file is written: with a limit of some calls per second, minutes of work. */
const SAVE_EVERY = 200;
/** Some hundred MB: millions of rows. */
const MAX_BYTES = 2 ** 29;

type FileWorld = Pick<Context, "cwd" | "stdin" | "stdout" | "signal" | "cleanUp">;

/** The memberships that were fetched so far, kept in a file until all are, so that the same command continues with the rest. */
export class MembershipFile {
  readonly #path: string;
  readonly #origin: string;
  readonly #context: FileWorld;
  readonly #lists: Map<string, readonly Row[]>;
  #unsaved = 0;

  private constructor(path: string, origin: string, context: FileWorld, lists: Map<string, readonly Row[]>) {
    this.#path = path;
    this.#origin = origin;
    this.#context = context;
    this.#lists = lists;
  }

  /** Raises input.not-jobs, input.other-jobs, input.unreadable. */
  static async open(path: string, origin: string, context: FileWorld): Promise<MembershipFile> {
    if (!existsSync(resolve(context.cwd, path))) return new MembershipFile(path, origin, context, new Map());
    const text = await readText(path, { ...context, flag: "" }, MAX_BYTES);
    const read = parseAs(Lists, text);
    if (read === undefined) throw new ProblemError({ code: "input.not-jobs", file: path });
    if (read.origin !== origin) throw new ProblemError({ code: "input.other-jobs", file: path, what: "tenant" });
    return new MembershipFile(path, origin, context, new Map(Object.entries(read.lists)));
  }

  get rows(): number {
    return [...this.#lists.values()].reduce((sum, rows) => sum + rows.length, 0);
  }

  has(id: string): boolean {
    return this.#lists.has(id);
  }

  async add(id: string, rows: readonly Row[]): Promise<void> {
    this.#lists.set(id, rows);
    this.#unsaved += 1;
    if (this.#unsaved >= SAVE_EVERY) await this.save();
  }

  /** Writes what was fetched so far. */
  async save(): Promise<void> {
    if (this.#unsaved === 0) return;
    await this.#write(this.#path, (text) => {
      text(`{"schemaVersion":1,"origin":${JSON.stringify(this.#origin)},"lists":{`);
      let separator = "";
      for (const [id, rows] of this.#lists) {
        text(`${separator}${JSON.stringify(id)}:${JSON.stringify(rows)}`);
        separator = ",\n";
      }
      text("}}\n");
    });
    this.#unsaved = 0;
  }

  /** Writes a table with a row for each user and organization, or role, each once. Returns the number of rows. */
  async writeTable(kind: Row[0], path: string): Promise<number> {
    const written = new Set<string>();
    await this.#write(path, (text) => {
      text(`user_id,${kind}\n`);
      for (const rows of this.#lists.values()) {
        for (const [what, user, name] of rows) {
          const line = `${cellOf(user)},${cellOf(name)}\n`;
          if (what !== kind || written.has(line)) continue;
          written.add(line);
          text(line);
        }
      }
    });
    return written.size;
  }

  remove(): void {
    rmSync(resolve(this.#context.cwd, this.#path), { force: true });
  }

  async #write(path: string, fill: (text: (words: string) => void) => void): Promise<void> {
    const output = bufferedOutput(openOutput(path, this.#context));
    try {
      fill((words) => output.text(words));
      await output.commit();
    } finally {
      output.discard();
    }
  }
}

function cellOf(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
