import type { Notes } from "../checks/findings.ts";
import type { Random } from "../random.ts";
import { answerCase } from "./answers.ts";
import { bodyCase, plainUserCase, spellingCase, walkerCase } from "./documents.ts";
import { eventsCase } from "./events.ts";
import { frameCase, messageCase } from "./grpc.ts";
import { journalCase } from "./journals.ts";
import { migrateCase } from "./migrations.ts";
import { headerCase, redactionCase } from "./texts.ts";

type FuzzCase = (random: Random, notes: Notes) => void | Promise<void>;

/** Every reader of the program, as often as it is worth the time that it takes. */
const cases: readonly (readonly [times: number, name: string, run: FuzzCase])[] = [
  [60, "walker", walkerCase],
  [20, "body", bodyCase],
  [60, "plain user", plainUserCase],
  [20, "spelling", spellingCase],
  [30, "answer", answerCase],
  [10, "redaction", redactionCase],
  [20, "header", headerCase],
  [10, "journal", journalCase],
  [1, "events", eventsCase],
  [20, "frames", frameCase],
  [20, "message", messageCase],
  [1, "migrate", migrateCase],
];
const weighted = cases.flatMap((one) => Array.from({ length: one[0] }, () => one));

/** One damaged thing for one reader. */
export async function fuzzTrial(random: Random, notes: Notes): Promise<readonly string[]> {
  const [, name, run] = random.pick(weighted);
  await run(random, notes);
  return [name];
}
