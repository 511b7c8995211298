import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { execa } from "execa";
import { testBody, testUsers } from "./bodies.ts";
import { binPath } from "./run-bin.ts";
import { startMock } from "./start-mock.ts";
import { tempDir } from "./temp-dir.ts";

/** The organization of the examples. */
export const ORG = "165617390198000897";
const BCRYPT = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
/** Ports that the pages name; each run has others. */
const PORTS = ["8080", "8081", "8082"];
/** Programs of others, and of the developer's machine, that a stub stands in for; it notes how it was called. */
const STUBS = ["npm", "kubectl", "crontab"];

/** The results of the commands of a page. */
export interface PageRun {
  readonly cwd: string;
  /** Everything that the commands of a block wrote, both streams, block by block; ports as on the page. */
  readonly outputs: readonly string[];
  /** `<exit code> <command>` for each command that did not end with 0. */
  readonly failures: readonly string[];
  /** How the stubs were called: `npm run demo`. */
  readonly calls: readonly string[];
}

/**
 * Runs the blocks of a page in one shell, in order, in a folder with the files that the pages take for granted. Two mocks stand for the
 * instances that the pages name. Waits after each block until the mock servers that it started answer.
 */
export async function runPage(blocks: readonly string[], before = ""): Promise<PageRun> {
  const [cwd, tools] = [tempDir(), tempDir()];
  const world = await createWorld(cwd);
  writeTools(tools);
  const scripts = [before, ...blocks].map((block, index) => {
    const path = join(tools, `${index}.sh`);
    writeFileSync(path, world.here(`${block}\n${waitFor(block)}`));
    return path;
  });
  const driver = [
    `set -E; trap 'echo "$? $BASH_COMMAND" >> ${tools}/failures' ERR`,
    ...scripts.map((path) => `. ${path} > ${path}.out 2>&1`),
    "trap - ERR; kill $(jobs -p) 2> /dev/null; wait",
    `echo > ${tools}/finished`,
  ];
  await execa("bash", ["--norc", "--noprofile", "-c", driver.join("\n")], {
    cwd,
    reject: false,
    extendEnv: false,
    timeout: 150_000,
    stdin: "ignore",
    env: { PATH: `${join(tools, "bin")}:${process.env["PATH"]}`, HOME: cwd, NO_PROXY: "127.0.0.1" },
  });
  const read = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
  const outputs = scripts.slice(1).map((path) => world.asOnPage(read(`${path}.out`)));
  if (!existsSync(join(tools, "finished"))) throw new Error(`the page was not run to its end:\n${outputs.join("")}`);
  const lines = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");
  return {
    cwd,
    outputs,
    // A script that ends with a command that failed fails as well.
    failures: lines(world.asOnPage(read(join(tools, "failures")))).filter((line) => !line.includes(` . ${tools}/`)),
    calls: lines(read(join(tools, "calls"))),
  };
}

interface World {
  /** A text of a page with the addresses, ports and tokens of this run. */
  readonly here: (text: string) => string;
  /** The reverse, for what the commands print. */
  readonly asOnPage: (text: string) => string;
}

/** Starts the instances, and writes the files that the pages take for granted. */
async function createWorld(cwd: string): Promise<World> {
  const orgs = [{ orgId: ORG, org: { name: "Acme" } }];
  const source = await startMock({ mimic: "v4", seed: { ...auth0Seed(), orgs } });
  const target = await startMock({ mimic: "v4", seed: { orgs }, verifiers: ["argon2", "pbkdf2"] });
  await fetch(`${source.url}/admin/v1/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${source.token}` },
    body: testBody(testUsers(3), ORG),
  });
  writeInputs(cwd);
  writeFileSync(join(cwd, "token"), target.token, { mode: 0o600 });
  writeFileSync(join(cwd, "source-token"), source.token, { mode: 0o600 });
  const ports = await Promise.all(PORTS.map(async (port) => [port, await freePort()] as const));
  const there: readonly (readonly [string, string])[] = [
    ["https://$ZITADEL", "$ZITADEL"],
    ["https://acme.eu.auth0.com", source.url],
    ["acme.eu.auth0.com", source.url],
    ["old.example.com", source.url],
    ["new.example.com", target.url],
    ["example.zitadel.cloud", target.url],
    ["/etc/orgferry/", "./"],
    ["/var/lib/orgferry/", "./"],
    ["PAT_EXPORT_TOKEN=…", `PAT_EXPORT_TOKEN=${source.token}`],
    ["PAT_IMPORT_TOKEN=…", `PAT_IMPORT_TOKEN=${target.token}`],
    ["AUTH0_CLIENT_ID=… AUTH0_CLIENT_SECRET=…", "AUTH0_CLIENT_ID=robot AUTH0_CLIENT_SECRET=change-me"],
    ...ports,
  ];
  // In one pass: a port of this run may contain a port of the page.
  const replaced = (text: string, pairs: typeof there): string => {
    const names = pairs.map(([from]) => from.replaceAll(/[$.]/g, "\\$&")).join("|");
    return text.replaceAll(new RegExp(names, "g"), (name) => new Map(pairs).get(name) ?? name);
  };
  return {
    here: (text) => replaced(text, there),
    asOnPage: (text) =>
      replaced(text, [
        ...ports.map(([port, actual]) => [actual, port] as const),
        [source.url.replace("http://", ""), "old.example.com"],
        [target.url.replace("http://", ""), "new.example.com"],
      ]),
  };
}

function auth0Seed() {
  return {
    clients: [{ clientId: "robot", clientSecret: "change-me" }],
    sourceConnections: [{ id: "con_0000000000000001", name: "people" }],
    sourceUsers: [{ user_id: "auth0|1", email: "ada@example.com", email_verified: true, name: "Ada Lovelace" }],
  };
}

/** Exports of the providers, and a body of two users. */
function writeInputs(cwd: string): void {
  const users = [
    { user_id: "auth0|5f7c8ec7c33c6c004bbafe82", email_verified: true, name: "Ann Example", email: "ann@example.com" },
    { user_id: "google-oauth2|1035", email_verified: true, name: "Dee Ejemplo", email: "dee@example.com" },
  ];
  const hash = { _id: { $oid: "5f7c8ec7c33c6c004bbafe82" }, email: "ann@example.com", passwordHash: BCRYPT };
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  for (const name of ["users.json", "users.ndjson"]) writeFileSync(join(cwd, name), lines(users));
  for (const name of ["passwords.json", "hashes.ndjson.pgp"]) writeFileSync(join(cwd, name), lines([hash]));
  writeFileSync(join(cwd, "importBody.json"), testBody(testUsers(2, 101), ORG));
  cpSync("fixtures/keycloak/links/realm-export.json", join(cwd, "realm-export.json"));
}

/** The program under its name, and stubs for the programs of others. */
function writeTools(tools: string): void {
  const bin = join(tools, "bin");
  mkdirSync(bin);
  symlinkSync(binPath(), join(bin, "orgferry"));
  const scripts: Readonly<Record<string, string>> = {
    ...Object.fromEntries(STUBS.map((name) => [name, `echo "${name} $*" >> ${tools}/calls`])),
    npx: `if [ "$1" = orgferry ]; then shift; exec orgferry "$@"; fi; echo "npx $*" >> ${tools}/calls`,
    // The decrypted file goes to stdout, as with the real one.
    gpg: 'for last; do :; done; cat "$last"',
    // The server's own tool: kc.sh export --dir <folder> …
    "kc.sh": `mkdir -p "$3" && cp ${tools}/realm.json "$3/acme-users-0.json"`,
  };
  const realm = JSON.parse(readFileSync("fixtures/keycloak/algorithms/realm-export.json", "utf8")) as {
    users: unknown[];
  };
  const someOfEachKind = [0, 9, 10].map((index) => realm.users[index]);
  writeFileSync(join(tools, "realm.json"), JSON.stringify({ ...realm, users: someOfEachKind }));
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
}

/** Waits until the servers that a block starts in the background answer. */
function waitFor(block: string): string {
  return [...block.matchAll(/--port (\d+).*&$/gm)]
    .map(([, port]) => `until curl -sf http://127.0.0.1:${port}/health > /dev/null; do sleep 0.1; done`)
    .join("\n");
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return String(typeof address === "object" && address !== null ? address.port : 0);
}
