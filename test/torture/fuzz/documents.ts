import { createBodyScanner } from "../../../src/core/document/body-scan.ts";
import { plainUserFacts } from "../../../src/core/document/plain-user.ts";
import { BrokenJson, createWalker } from "../../../src/core/json/walker.ts";
import { checkHumanUser } from "../../../src/core/rules/human-user.ts";
import { ProblemError } from "../../../src/problem.ts";
import type { Notes } from "../checks/findings.ts";
import { randomBody } from "../input/body.ts";
import { damaged } from "../input/damage.ts";
import { Secrets } from "../input/secrets.ts";
import type { Random } from "../random.ts";
import { chunksOf, randomJson, scrambled } from "./json.ts";

/** What the walker cuts out of a list is what JSON.parse finds in it, wherever the chunks end; what it refuses, JSON.parse refuses. */
export function walkerCase(random: Random, notes: Notes): void {
  const whole = Buffer.from(JSON.stringify(Array.from({ length: random.below(6) }, () => randomJson(random, 4))));
  const bytes = random.chance(0.7) ? damaged(random, whole, random.between(1, 2)) : whole;
  const walked = walk(random, bytes);
  const parsed = parse(bytes);
  if (walked === undefined) {
    notes.expect(!Array.isArray(parsed), `refused, though it is JSON: ${shown(bytes)}`);
    return;
  }
  notes.expect(parsed !== undefined, `taken, though it is none: ${shown(bytes)}`);
  notes.expect(!Array.isArray(parsed) || same(walked, parsed), `cut otherwise: ${shown(bytes)}`);
}

function walk(random: Random, bytes: Buffer): unknown[] | undefined {
  const values: unknown[] = [];
  const walker = createWalker(
    { elements: undefined },
    { value: (_, value) => void values.push(JSON.parse(value.toString())) },
  );
  try {
    for (const chunk of chunksOf(random, bytes)) walker.push(chunk);
    walker.end();
    return values;
  } catch (error) {
    if (error instanceof BrokenJson || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A body is read alike wherever its chunks end, and what is no JSON is never taken for a body. */
export function bodyCase(random: Random, notes: Notes): void {
  const settings = {
    mostUsers: 5,
    form: random.pick(["dataOrgs", "dataOrgsv1", "export"] as const),
    timeout: "1m",
    withLists: random.chance(0.3),
    withInvalid: random.chance(0.3),
    withTwins: true,
    withNameless: true,
    isPlain: true,
  };
  const given = randomBody(random, settings, new Secrets());
  const bytes = random.chance(0.7) ? damaged(random, given.bytes) : given.bytes;
  const first = scan(random, bytes);
  const second = scan(random, bytes);
  notes.expect(first.told === second.told, `read in two ways: ${first.told} and ${second.told} of ${shown(bytes)}`);
  if (!first.isTaken) return;
  notes.expect(parse(bytes) !== undefined, `taken, though it is no JSON: ${shown(bytes)}`);
  const isSame = bytes.equals(given.bytes);
  notes.expect(!isSame || first.users === given.users.length, `${first.users} users of ${given.users.length}`);
}

interface Scanned {
  readonly told: string;
  readonly isTaken: boolean;
  readonly users: number;
}

function scan(random: Random, bytes: Buffer): Scanned {
  const faults: string[] = [];
  const scanner = createBodyScanner({
    file: "f",
    withReferences: true,
    routing: { via: "auto", noMail: false },
    onFault: (fault) => faults.push(`${fault.line} ${fault.code} ${fault.field ?? ""}`),
  });
  try {
    for (const chunk of chunksOf(random, bytes)) scanner.push(chunk);
    const { counts, orgs, sections, routes, carries, container } = scanner.end();
    const cut = sections.map(({ key, start, end, count, invalid }) => [key, start, end, count, [...invalid]]);
    const told = JSON.stringify([counts, orgs, cut, routes, carries, container, faults]);
    return { told, isTaken: carries !== "as-is", users: counts.users };
  } catch (error) {
    if (error instanceof ProblemError) return { told: JSON.stringify(error.problem), isTaken: false, users: 0 };
    throw error;
  }
}

function plainEntry(random: Random): Buffer {
  const text = (): string => random.pick(["Ada", "a b", "x".repeat(200), "x".repeat(201), "ü", 'a"b', ""]);
  const email = random.pick(["ada@example.com", "a@b.c", "a@", "@b", "a@-b", `${"l".repeat(65)}@b.c`, "A.B+c@x-y.z"]);
  const entry = {
    userId: random.pick(["auth0|1", "1", "", "x".repeat(200)]),
    user: {
      userName: random.chance(0.8) ? email : text(),
      profile: { firstName: random.chance(0.8) ? "Ada" : text(), lastName: random.chance(0.8) ? "Ada" : text() },
      email: { email, isEmailVerified: random.chance(0.5) },
      ...(random.chance(0.5) ? { hashedPassword: { value: new Secrets().hash(random) } } : {}),
    },
  };
  return Buffer.from(JSON.stringify(entry));
}

/** A plain user of the fast path has the same facts on the parser path, and no fault. */
export function plainUserCase(random: Random, notes: Notes): void {
  const whole = plainEntry(random);
  const bytes = random.chance(0.6) ? damaged(random, whole, 1) : whole;
  const facts = plainUserFacts(bytes);
  if (facts === undefined) return;
  const parsed = parse(bytes);
  const faults: string[] = [];
  const careful = parsed === undefined ? undefined : checkHumanUser(parsed, (field) => faults.push(field));
  notes.expect(careful !== undefined && same(sorted(careful), sorted(facts)), `other facts: ${shown(bytes)}`);
  notes.expect(faults.length === 0, `${faults[0]} of a plain user: ${shown(bytes)}`);
}

/** Members in another order, spelt otherwise, with spaces: the parser path reads the same. */
export function spellingCase(random: Random, notes: Notes): void {
  const entry: unknown = JSON.parse(plainEntry(random).toString());
  const one = checkHumanUser(entry, () => {});
  const other = checkHumanUser(JSON.parse(scrambled(random, entry)), () => {});
  notes.expect(same(one, other), `read otherwise when it is spelt otherwise: ${JSON.stringify(entry)}`);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString().replace(/^\ufeff/, "")) as unknown;
  } catch {
    return undefined;
  }
}

function sorted(facts: object): unknown {
  return Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function shown(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1").slice(0, 400));
}
