import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { parseAs } from "../../admin/answer-json.ts";
import type { Context } from "../../context.ts";
import { readText } from "../../io/input/text.ts";
import { openOutput } from "../../io/output/output.ts";
import { ProblemError } from "../../problem.ts";
import type { Choice } from "./choose-connections.ts";

/** The requested exports, without tokens, links or data of users. */
const Jobs = z.object({
  schemaVersion: z.literal(1),
  origin: z.string(),
  fields: z.array(z.string()),
  connections: z.array(z.string()),
  jobs: z.array(z.object({ connection: z.string(), id: z.string(), askedAt: z.string() })),
});
type Jobs = z.infer<typeof Jobs>;

/** What is fetched. A run can continue a file only for the same. */
export interface Wanted {
  readonly origin: string;
  readonly fields: readonly string[];
  readonly connections: readonly Choice[];
}

/** Stands for all users of the tenant. */
const ALL_USERS = "";

/** The jobs of a fetch, kept beside its output until that is complete, so that the same command continues with them. */
export class JobFile {
  readonly wanted: Wanted;
  readonly #path: string | undefined;
  readonly #context: Pick<Context, "cwd" | "stdout" | "cleanUp" | "signal"> | undefined;
  #jobs: Jobs["jobs"];

  private constructor(wanted: Wanted, jobs: Jobs["jobs"], path?: string, context?: Context) {
    this.wanted = wanted;
    this.#jobs = jobs;
    this.#path = path;
    this.#context = context;
  }

  /** A job file that is not kept. */
  static none(wanted: Wanted): JobFile {
    return new JobFile(wanted, []);
  }

  /** Raises input.not-jobs, input.other-jobs, input.unreadable. */
  static async open(path: string, wanted: Wanted, context: Context): Promise<JobFile> {
    if (!existsSync(resolve(context.cwd, path))) return new JobFile(wanted, [], path, context);
    const read = parseAs(Jobs, await readText(path, { ...context, flag: "--job-file" }));
    if (read === undefined) throw new ProblemError({ code: "input.not-jobs", file: path });
    const what = difference(read, wanted);
    if (what !== undefined) throw new ProblemError({ code: "input.other-jobs", file: path, what });
    return new JobFile(wanted, read.jobs, path, context);
  }

  /** As the user named it; undefined if it is not kept. */
  get path(): string | undefined {
    return this.#path;
  }

  /** The jobs that were requested so far. */
  get jobs(): Jobs["jobs"] {
    return this.#jobs;
  }

  idOf({ id = ALL_USERS }: Choice): string | undefined {
    return this.#jobs.find(({ connection }) => connection === id)?.id;
  }

  /** Adds a job for the next run to continue with. */
  async add({ id: connection = ALL_USERS }: Choice, id: string, askedAt: Date): Promise<void> {
    this.#jobs = [...this.#jobs, { connection, id, askedAt: askedAt.toISOString() }];
    await this.#write();
  }

  /** Removes a job that failed or is gone. */
  async forget(id: string): Promise<void> {
    this.#jobs = this.#jobs.filter((job) => job.id !== id);
    if (this.#jobs.length === 0) this.remove();
    else await this.#write();
  }

  remove(): void {
    if (this.#path !== undefined && this.#context !== undefined)
      rmSync(resolve(this.#context.cwd, this.#path), { force: true });
  }

  async #write(): Promise<void> {
    if (this.#path === undefined || this.#context === undefined) return;
    const { origin, fields, connections } = this.wanted;
    const document: Jobs = {
      schemaVersion: 1,
      origin,
      fields: [...fields],
      connections: connections.map(({ id = ALL_USERS }) => id),
      jobs: this.#jobs,
    };
    const output = openOutput(this.#path, this.#context);
    try {
      await output.write(Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`));
      await output.commit();
    } finally {
      output.discard();
    }
  }
}

function difference(
  file: Jobs,
  { origin, fields, connections }: Wanted,
): "tenant" | "fields" | "connections" | undefined {
  if (file.origin !== origin) return "tenant";
  if (!isSame(file.fields, fields)) return "fields";
  return isSame(
    file.connections,
    connections.map(({ id = ALL_USERS }) => id),
  )
    ? undefined
    : "connections";
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify([...some].sort()) === JSON.stringify([...others].sort());
}
