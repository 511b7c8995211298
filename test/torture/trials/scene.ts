import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GivenBody, randomBody } from "../input/body.ts";
import { Secrets } from "../input/secrets.ts";
import { TortureServer } from "../instance/server.ts";
import { Truth } from "../instance/truth.ts";
import { digits, letters, type Random } from "../random.ts";

/** Everything that one import needs: a folder, an input, an instance with a past. */
export interface Scene {
  readonly folder: string;
  readonly file: string;
  readonly given: GivenBody;
  readonly secrets: Secrets;
  readonly truth: Truth;
  readonly server: TortureServer;
  readonly url: string;
  readonly token: string;
  readonly tellsEvents: boolean;
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
  const truth = new Truth({ eventsOfExports: random.chance(0.5), stepMs: random.pick([0, 1, 1, 300]) });
  const token = secrets.token(random);
  const settings = {
    hasUsersApi: random.chance(0.6),
    tellsEvents: random.chance(0.85),
    tellsOrgs: random.chance(0.9),
  };
  const server = new TortureServer(truth, settings, { random: random.fork(), token });
  const folder = tempFolder();
  const file = join(folder, random.pick(["body.json", "body.json", "ünï cödé.json", "-odd.json"]));
  writeFileSync(file, given.bytes);
  havePast(random, truth, given);
  truth.startJob();
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
    tellsEvents: settings.tellsEvents,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What was on the instance before: its own things, some of the input, and others with names of the input. */
export function havePast(
  random: Random,
  truth: Truth,
  { orgs, users, form }: Pick<GivenBody, "orgs" | "users" | "form">,
): void {
  truth.record("org.added", "1000", "1000", { name: "The instance's own" }, true);
  truth.orgs.set("1000", { name: "The instance's own", isRemoved: false });
  for (let at = 0; at < random.below(30); at += 1) addStranger(random, truth, "1000", `stranger${at}@example.com`);
  for (const { orgId, name } of orgs) {
    // A plain body names organizations that are there; an export brings its own.
    if (name !== "" && (form === "export" || random.chance(0.5)) && !random.chance(0.2)) continue;
    truth.addOrg(orgId, name || `Org of ${orgId}`);
  }
  if (!random.chance(0.4)) return;
  for (const { id, userName, orgId, isInvalid } of users) {
    if (isInvalid || !truth.orgs.has(orgId)) continue;
    if (random.chance(0.15)) {
      if (id === "" || truth.users.has(id) || truth.names.has(userName.toLowerCase())) continue;
      addStranger(random, truth, orgId, userName, id);
    } else if (random.chance(0.03) && !truth.names.has(userName.toLowerCase())) {
      addStranger(random, truth, "1000", random.chance(0.5) ? userName : userName.toUpperCase());
    }
  }
}

function addStranger(
  random: Random,
  truth: Truth,
  orgId: string,
  userName: string,
  id = random.text(digits, 18),
): void {
  const email = `${random.text(letters, 8)}@example.net`;
  truth.addUser(
    { userId: id, user: { userName, profile: { firstName: "S", lastName: "T" }, email: { email } } },
    orgId,
  );
}
