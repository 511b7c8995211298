import type { Answer } from "../../../src/admin/call.ts";
import { toFrame, unframed } from "../../../src/admin/grpc-web/frames.ts";
import { BrokenMessage, createMessageReader } from "../../../src/admin/grpc-web/message-reader.ts";
import { ProblemError } from "../../../src/problem.ts";
import type { Notes } from "../checks/findings.ts";
import { damaged } from "../input/damage.ts";
import type { Random } from "../random.ts";
import { chunksOf } from "./json.ts";

/** A frame in any pieces, damaged or not: what was framed comes out, or a problem. */
export async function frameCase(random: Random, notes: Notes): Promise<void> {
  const message = random.bytes(random.below(80));
  const trailer = toFrame(Buffer.from("grpc-status:0\r\ngrpc-message:\r\n"));
  trailer[0] = 0x80;
  const whole = Buffer.concat([toFrame(message), trailer]);
  const isWhole = random.chance(0.4);
  const bytes = isWhole ? whole : damaged(random, whole, 1);
  async function* pieces(): AsyncGenerator<Buffer> {
    yield* chunksOf(random, bytes);
  }
  const answer = { host: "h", bytes: pieces, header: () => undefined } as unknown as Answer; // unframed uses these alone
  const parts: Buffer[] = [];
  try {
    for await (const part of unframed(answer, () => {})) parts.push(Buffer.from(part));
    const isSame = Buffer.concat(parts).equals(message);
    notes.expect(!isWhole || isSame, `other bytes than were framed: ${whole.toString("hex")}`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    notes.expect(!isWhole, `refused, though it is whole: ${error.problem.code}`);
  }
}

/** Any bytes as a message: the reading ends, with fields or with a refusal; the same however they are cut. */
export function messageCase(random: Random, notes: Notes): void {
  const field = (number: number, bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  const inner = Array.from({ length: random.below(4) }, () =>
    field(random.between(1, 5), random.bytes(random.below(20))),
  );
  const whole = field(1, Buffer.concat(inner).subarray(0, 120));
  const bytes = random.chance(0.8) ? damaged(random, whole) : whole;
  const [one, other] = [read(random, bytes), read(random, bytes)];
  notes.expect(one === other, `read in two ways: ${bytes.toString("hex")}`);
}

function read(random: Random, bytes: Buffer): string {
  const story: string[] = [];
  const reader = createMessageReader({
    enters: (path) => path.length === 1 && path[0] === 1,
    opened: (path) => story.push(`open ${path.join(".")}`),
    closed: (path) => story.push(`close ${path.join(".")}`),
    field: (path, value, raw) => story.push(`${path.join(".")} ${value.toString("hex")} ${raw.toString("hex")}`),
  });
  try {
    for (const chunk of chunksOf(random, bytes)) reader.push(chunk);
    reader.end();
    return story.join("\n");
  } catch (error) {
    // What was read before a fault shows depends on where the pieces end.
    if (error instanceof BrokenMessage) return "broken";
    throw error;
  }
}
