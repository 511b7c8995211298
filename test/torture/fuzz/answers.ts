import { createBodyScanner } from "../../../src/core/document/body-scan.ts";
import { type Item, readItems } from "../../../src/core/document/items.ts";
import { planParts } from "../../../src/core/document/parts.ts";
import { BrokenJson } from "../../../src/core/json/walker.ts";
import { createAnswerReader } from "../../../src/core/transfer/answer/answer-reader.ts";
import { toOutcome } from "../../../src/core/transfer/answer/outcome.ts";
import { ResultReader } from "../../../src/core/transfer/answer/result-reader.ts";
import type { Notes } from "../checks/findings.ts";
import { randomBody } from "../input/body.ts";
import { damaged } from "../input/damage.ts";
import { Secrets } from "../input/secrets.ts";
import { Truth } from "../instance/truth.ts";
import type { Random } from "../random.ts";
import { chunksOf } from "./json.ts";

/** An answer, true, damaged or made of another one: it is refused, or every user of the batch comes to exactly one thing. */
export async function answerCase(random: Random, notes: Notes): Promise<void> {
  const settings = { mostUsers: 4, form: "dataOrgs", timeout: "1m", withInvalid: false, withTwins: true } as const;
  const shape = { ...settings, withLists: random.chance(0.5), withNameless: random.chance(0.3), isPlain: true };
  const given = randomBody(random, shape, new Secrets());
  const scanner = createBodyScanner({ file: "f", onFault() {}, withReferences: true });
  scanner.push(given.bytes);
  const scan = scanner.end();
  async function* read({ start, end }: { start: number; end: number }): AsyncGenerator<Buffer> {
    yield given.bytes.subarray(start, end);
  }
  const items: Item[] = [];
  for await (const portion of readItems(planParts(scan), scan, read, () => true)) items.push(...portion);
  const answer = answerBytes(random, given.bytes);
  const result = new ResultReader((text) => text);
  const reader = createAnswerReader(result);
  try {
    for (const chunk of chunksOf(random, answer)) reader.push(chunk);
    reader.end();
  } catch (error) {
    const isRefusal = error instanceof BrokenJson || error instanceof SyntaxError;
    if (isRefusal || (error instanceof Error && error.name === "ZodError")) return;
    throw error;
  }
  const found = result.finish({ items }, scan);
  const whose = (): "ours" | "theirs" | "untold" => random.pick(["ours", "theirs", "untold"]);
  const outcome = toOutcome(found, { whose, failOnExisting: random.chance(0.5) });
  const users = items.filter(({ key }) => key === "humanUsers").length;
  const sum = outcome.created + outcome.alreadyThere + outcome.failed + outcome.unknown.length;
  notes.expect(sum === users, `${users} users came to ${sum}: ${answer.toString().slice(0, 600)}`);
  const places = [...found.created.map(({ index }) => index), ...placed(found.failures), ...placed(found.existing)];
  notes.expect(new Set(places).size === places.length, `a user came to two things: ${answer.toString().slice(0, 600)}`);
  const counts = Object.values(outcome.others).flatMap((one) => Object.values(one) as number[]);
  notes.expect(
    counts.every((count) => count >= 0),
    "below nothing",
  );
}

function placed(all: readonly { readonly type: string; readonly item?: number }[]): number[] {
  return all.flatMap(({ type, item }) => (type === "human_user" && item !== undefined ? [item] : []));
}

function answerBytes(random: Random, body: Buffer): Buffer {
  const truth = new Truth({ eventsOfExports: true, stepMs: 1 });
  const parsed = JSON.parse(body.toString().replace(/^\ufeff/, "")) as Record<string, unknown>;
  if (random.chance(0.5)) truth.import(parsed, random.below(20));
  const answer = JSON.stringify(truth.import(parsed));
  const bytes = Buffer.from(random.chance(0.4) ? exchanged(random, answer) : answer);
  return random.chance(0.4) ? damaged(random, bytes, 1) : bytes;
}

/** One text of the answer in the place of another. */
function exchanged(random: Random, answer: string): string {
  const found = [...answer.matchAll(/"(?:[^"\\]|\\.)*"/g)];
  const [one, other] = [random.pick(found), random.pick(found)];
  return answer.slice(0, one.index) + other[0] + answer.slice(one.index + one[0].length);
}
