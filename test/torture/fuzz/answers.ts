import { createBodyScanner } from "../../../src/core/document/body-scan.ts";
import { type Item, readItems } from "../../../src/core/document/items.ts";
import { planParts } from "../../../src/core/document/parts.ts";
import { BrokenJson } from "../../../src/core/json/walker.ts";
import { toOutcome } from "../../../src/core/transfer/answer/outcome.ts";
import { ResultReader } from "../../../src/core/transfer/answer/result-reader.ts";
import { createMockServer } from "../../../src/mock/server.ts";
import type { Notes } from "../checks/findings.ts";
import { randomBody } from "../input/body.ts";
import { damaged } from "../input/damage.ts";
import { Secrets } from "../input/secrets.ts";
import { Caller } from "../instance/caller.ts";
import { fields } from "../instance/json.ts";
import { partialImport } from "../instance/partial-import.ts";
import { Random } from "../random.ts";
import { chunksOf } from "./json.ts";

/** An answer, true, damaged or made of another one: it is refused, or every user of the batch comes to exactly one thing. */
export async function answerCase(random: Random, notes: Notes): Promise<void> {
  const exchange = await exchangeOf(random.below(EXCHANGES));
  const given = { bytes: exchange.body };
  const scanner = createBodyScanner({ file: "f", onFault() {}, withReferences: true });
  scanner.push(given.bytes);
  const scan = scanner.end();
  async function* read({ start, end }: { start: number; end: number }): AsyncGenerator<Buffer> {
    yield given.bytes.subarray(start, end);
  }
  const items: Item[] = [];
  for await (const portion of readItems(planParts(scan), scan, read, () => true)) items.push(...portion);
  const answer = answerBytes(random, exchange.answer);
  const result = new ResultReader((text) => text);
  try {
    for (const chunk of chunksOf(random, answer)) result.push(chunk);
    result.end();
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

/** A body, and the mock's answer to its import. */
interface Exchange {
  readonly body: Buffer;
  readonly answer: string;
}

/** So many different ones: the mock takes longer for one than the reader for a hundred. */
const EXCHANGES = 64;
const exchanges = new Map<number, Promise<Exchange>>();

function exchangeOf(seed: number): Promise<Exchange> {
  const found = exchanges.get(seed) ?? makeExchange(new Random(seed));
  exchanges.set(seed, found);
  return found;
}

async function makeExchange(random: Random): Promise<Exchange> {
  const settings = { mostUsers: 4, form: "dataOrgs", timeout: "1m", withInvalid: false, withTwins: true } as const;
  const shape = { ...settings, withLists: random.chance(0.5), withNameless: random.chance(0.3), isPlain: true };
  const body = randomBody(random, shape, new Secrets()).bytes;
  const document = fields(JSON.parse(body.toString().replace(/^\ufeff/, "")));
  const mock = await createMockServer({ mimic: "v4" });
  try {
    const caller = new Caller(mock, mock.token);
    // Some of the objects exist already.
    if (random.chance(0.5))
      await caller.expect("POST", "/admin/v1/import", partialImport(document, random.between(1, 20)));
    return { body, answer: JSON.stringify(await caller.expect("POST", "/admin/v1/import", document)) };
  } finally {
    await mock.close();
  }
}

function answerBytes(random: Random, answer: string): Buffer {
  const bytes = Buffer.from(random.chance(0.4) ? exchanged(random, answer) : answer);
  return random.chance(0.4) ? damaged(random, bytes, 1) : bytes;
}

/** One text of the answer in the place of another. */
function exchanged(random: Random, answer: string): string {
  const found = [...answer.matchAll(/"(?:[^"\\]|\\.)*"/g)];
  const [one, other] = [random.pick(found), random.pick(found)];
  return answer.slice(0, one.index) + other[0] + answer.slice(one.index + one[0].length);
}
