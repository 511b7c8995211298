import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMockServer, type MockServer } from "../../../src/mock/server.ts";
import type { Notes } from "../checks/findings.ts";
import { type GivenBody, randomBody } from "../input/body.ts";
import { Secrets } from "../input/secrets.ts";
import { Caller } from "../instance/caller.ts";
import { Clock } from "../instance/clock.ts";
import { type EndpointName, forbidden, notFound, type PlainAnswer } from "../instance/endpoints.ts";
import { HostileFront } from "../instance/hostile-front.ts";
import { list } from "../instance/json.ts";
import { Losses } from "../instance/losses.ts";
import { type Truth, TruthReader } from "../instance/truth.ts";
import { digits, letters, type Random } from "../random.ts";

/** Everything that one import needs: a folder, an input, an instance with a past. */
export interface Scene {
  readonly folder: string;
  readonly file: string;
  readonly given: GivenBody;
  readonly secrets: Secrets;
  readonly truth: TruthReader;
  readonly server: HostileFront;
  readonly url: string;
  readonly token: string;
  readonly tellsEvents: boolean;
  readonly listsUsers: boolean;
  close(): Promise<void>;
}

export interface SceneSettings {
  readonly mostUsers: number;
  readonly timeout: string;
}

/** Calls at a time: one, which is the default, a number up to `most`, or as many as turn out best. */
export function randomCalls(random: Random, most: number): readonly string[] {
  if (random.chance(0.3)) return [];
  return ["--concurrency", random.chance(0.5) ? "auto" : String(random.between(1, most))];
}

/** In memory where that is possible: a disk that is asked to be safe takes more time than everything else. */
export function tempFolder(): string {
  const memory = "/dev/shm";
  return mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "torture-"));
}

export async function openScene(random: Random, { mostUsers, timeout }: SceneSettings): Promise<Scene> {
  const secrets = new Secrets();
  const form = random.pick(["dataOrgs", "dataOrgs", "dataOrgsv1", "export"] as const);
  const given = randomBody(
    random,
    {
      mostUsers,
      form,
      timeout,
      withLists: form === "export" || random.chance(0.25),
      withInvalid: random.chance(0.1),
      withTwins: random.chance(0.3),
      withNameless: random.chance(0.1),
    },
    secrets,
  );
  const clock = new Clock(random.pick([0, 1, 1, 300]));
  const token = secrets.token(random);
  // Without a mode, objects of an instance import have no events, as in the specification.
  const mimic = random.chance(0.5) ? ({ mimic: "v4" } as const) : {};
  const mock = await createMockServer({ ...mimic, token, now: clock.now });
  const tellsEvents = random.chance(0.85);
  const refusals = new Map<EndpointName, PlainAnswer>([
    ...(random.chance(0.6) ? [] : [["users", notFound] as const]),
    ...(tellsEvents ? [] : [["events", forbidden] as const]),
    ...(random.chance(0.9) ? [] : [["orgs", forbidden] as const]),
  ]);
  const losses = lossesOf(random, mock, secrets);
  const server = new HostileFront(mock, { random: random.fork(), clock, refusals, losses });
  const truth = new TruthReader(mock, losses);
  const folder = tempFolder();
  const file = join(folder, random.pick(["body.json", "body.json", "ünï cödé.json", "-odd.json"]));
  writeFileSync(file, given.bytes);
  await havePast(random, mock, given);
  await truth.startJob();
  losses.rate = random.pick([0, 0, 0.1, 0.4]);
  clock.pass(1);
  const url = await server.listen();
  return {
    folder,
    file,
    given,
    secrets,
    truth,
    server,
    url,
    token,
    tellsEvents,
    listsUsers: !refusals.has("users"),
    async close() {
      await server.close();
      await mock.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the instance has after a run, and what it must not have been sent. */
export async function truthOf({ server, truth }: Pick<Scene, "server" | "truth">): Promise<SceneTruth> {
  await server.idle();
  const { losses } = server;
  return { truth: await truth.read(), harm: [...server.harm, ...(losses?.harm ?? [])], losses };
}

export interface SceneTruth {
  readonly truth: Truth;
  readonly harm: readonly string[];
  readonly losses: Losses | undefined;
}

/** Counts the users that the concurrent writes of a trial have lost, and those that the program recreated. */
export function countLosses({ losses }: HostileFront, notes: Notes): void {
  notes.count("lost users", (losses?.lost.size ?? 0) + (losses?.deleted.size ?? 0));
  notes.count("healed users", losses?.deleted.size ?? 0);
}

/** What the concurrent writes of a trial lose: nothing, until a rate is set. */
export function lossesOf(random: Random, mock: MockServer, secrets: Secrets): Losses {
  const own = random.fork();
  return new Losses(mock, own, secrets.token(own));
}

/** Imports what the instance has before the job: its own users, some of the input, and others with login names of the input. */
export async function havePast(
  random: Random,
  mock: MockServer,
  { orgs, users, form }: Pick<GivenBody, "orgs" | "users" | "form">,
): Promise<void> {
  const names = new Set<string>();
  const past = new Map<string, { name: string; users: unknown[] }>();
  const add = (orgId: string, userName: string, id?: string): void => {
    names.add(userName.toLowerCase());
    past.get(orgId)?.users.push(stranger(random, userName, id));
  };
  past.set(OWN, { name: "The instance's own", users: [] });
  const strangers = random.below(30);
  for (let at = 0; at < strangers; at += 1) add(OWN, `stranger${at}@example.com`);
  for (const { orgId, name } of orgs) {
    // A plain body names existing organizations; an export brings its own.
    if (name !== "" && (form === "export" || random.chance(0.5)) && !random.chance(0.2)) continue;
    past.set(orgId, { name: name || `Org of ${orgId}`, users: [] });
  }
  const isMixed = random.chance(0.4);
  const ids = new Set<string>();
  for (const { id, userName, orgId, isInvalid } of isMixed ? users : []) {
    if (isInvalid || !past.has(orgId) || names.has(userName.toLowerCase())) continue;
    if (random.chance(0.15)) {
      if (id === "" || ids.has(id)) continue;
      ids.add(id);
      add(orgId, userName, id);
    } else if (random.chance(0.03)) add(OWN, random.chance(0.5) ? userName : userName.toUpperCase());
  }
  const dataOrgs = {
    orgs: [...past].map(([orgId, { name, users: humanUsers }]) => ({ orgId, org: { name }, humanUsers })),
  };
  const caller = new Caller(mock, mock.token);
  const answer = await caller.expect("POST", "/admin/v1/import", { dataOrgs, timeout: "1m" });
  if (list(answer, "errors").length > 0) throw new Error(`the past is refused: ${JSON.stringify(answer)}`);
}

/** The instance's own organization. */
const OWN = "1000";

function stranger(random: Random, userName: string, userId = random.text(digits, 18)): unknown {
  const email = `${random.text(letters, 8)}@example.net`;
  return { userId, user: { userName, profile: { firstName: "S", lastName: "T" }, email: { email } } };
}
