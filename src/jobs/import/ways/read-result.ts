import type { Answer } from "../../../admin/call.ts";
import { notJson } from "../../../admin/client.ts";
import type { ImportError } from "../../../contract/import-result.ts";
import type { BodyScan } from "../../../core/document/scan-types.ts";
import { BrokenJson, type Walker } from "../../../core/json/walker.ts";
import type { BatchResult } from "../../../core/transfer/answer/batch-result.ts";
import { Mentions } from "../../../core/transfer/answer/mentions.ts";
import { ResultReader } from "../../../core/transfer/answer/result-reader.ts";
import type { Batch } from "../../../core/transfer/batches.ts";
import { ProblemError } from "../../../problem.ts";

/** What an answer says about a batch. `saidSomething`: it has errors or successes at all (service behaviour 2.7). */
export type ReadResult = BatchResult & { readonly saidSomething: boolean };

/** Reads an answer as it comes. Raises net.cut-off, api.not-json, api.unexpected, api.nothing-done. */
export async function readResult(
  answer: Answer,
  batch: Pick<Batch, "items">,
  scan: Pick<BodyScan, "orgs" | "references">,
): Promise<ReadResult> {
  const { host } = answer;
  const result = new ResultReader((text) => answer.clean(text));
  await readInto(result, answer);
  if (!result.saidSomething && batch.items.length > 0) throw new ProblemError({ code: "api.nothing-done", host });
  return { ...result.finish(batch, scan), saidSomething: result.saidSomething };
}

/** What an answer says against things, and nothing else. Raises net.cut-off, api.not-json, api.unexpected. */
export async function readErrors(answer: Answer): Promise<readonly ImportError[]> {
  const mentions = new Mentions((text) => answer.clean(text));
  await readInto(mentions, answer);
  return [...mentions.rest()];
}

async function readInto(reader: Walker, answer: Answer): Promise<void> {
  let beginning = "";
  try {
    for await (const chunk of answer.bytes()) {
      if (beginning === "") beginning = chunk.toString("utf8", 0, 200);
      reader.push(chunk);
    }
    reader.end();
  } catch (error) {
    throw asAnswerProblem(error, answer, beginning);
  }
}

function asAnswerProblem(error: unknown, answer: Answer, beginning: string): unknown {
  const { host } = answer;
  if (error instanceof BrokenJson) {
    const cutOff = error.reason === "unclosed" && beginning !== "";
    return cutOff ? new ProblemError({ code: "net.cut-off", host }) : notJson(answer, beginning);
  }
  if (error instanceof SyntaxError || (error instanceof Error && error.name === "ZodError")) {
    return new ProblemError({ code: "api.unexpected", host, what: "a result of an unknown shape" }, { cause: error });
  }
  return error;
}
