import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type EventSearch, encodeExport, frameOf, startGrpcExport, trailerOf } from "../helpers/grpc-export-server.ts";
import { runBin } from "../helpers/run-bin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const USERS = 300_000;
const MAX_MB = 300;
const HASH = "$2b$10$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzABCDE";

/** Ids of one length, so that a user's bytes are those of another with the digits exchanged. */
const digits = (index: number): string => String(index).padStart(8, "0");

function userBytes(): (index: number) => Buffer {
  const userName = `user${digits(0)}@example.com`;
  const user = {
    userName,
    profile: { firstName: "Ada", lastName: "Lovelace", displayName: "Ada Lovelace", preferredLanguage: "en" },
    email: { email: userName, isEmailVerified: true },
    hashedPassword: { value: HASH },
  };
  const whole = encodeExport({
    orgs: [{ humanUsers: [{ userId: `auth0|${digits(0)}`, user, state: "USER_STATE_ACTIVE" }] }],
  });
  const template = whole.subarray(3); // the tag and the length of the organization stand before it
  const places: number[] = [];
  for (let at = template.indexOf(digits(0)); at !== -1; at = template.indexOf(digits(0), at + 1)) places.push(at);
  return (index) => {
    const bytes = Buffer.from(template);
    for (const place of places) bytes.write(digits(index), place, "latin1");
    return bytes;
  };
}

/** The frames of an export of one organization, made as they are sent. */
function* largeExport(): Generator<Buffer> {
  const user = userBytes();
  const head = Buffer.from([0x0a, 0x04, ...Buffer.from("org1")]);
  const length = head.length + USERS * user(0).length;
  const lengthBytes: number[] = [];
  let rest = length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) lengthBytes.push((rest % 128) | 0x80);
  const start = Buffer.concat([Buffer.from([0x0a, ...lengthBytes, rest]), head]);
  const frame = frameOf(start);
  frame.writeUInt32BE(start.length - head.length + length, 1);
  yield frame;
  for (let index = 0; index < USERS; index += 1_000) {
    yield Buffer.concat(Array.from({ length: Math.min(1_000, USERS - index) }, (_, at) => user(index + at)));
  }
  yield trailerOf(0);
}

const BEGINNING = Date.parse("2026-01-02T00:00:00Z");

/** A page of the events of these users, a millisecond apart. */
function eventsOf({ asc, from, limit = 1_000 }: EventSearch): unknown {
  const event = (index: number) => ({
    aggregate: { id: `auth0|${digits(index)}`, resourceOwner: "org1" },
    sequence: "1",
    creationDate: new Date(BEGINNING + index).toISOString(),
    type: { type: "user.human.added" },
    payload: { userName: `user${digits(index)}@example.com`, encodedHash: HASH },
  });
  if (asc !== true) return { events: [event(USERS - 1)] };
  const first = from === undefined ? 0 : Math.max(0, Date.parse(from) - BEGINNING + 1);
  return { events: Array.from({ length: Math.min(limit, USERS - first) }, (_, at) => event(first + at)) };
}

test(`${USERS} users of one organization are exported and compared with the event log in under ${MAX_MB} MB of memory`, async () => {
  const { url } = await startGrpcExport({ pieces: largeExport(), searchEvents: eventsOf });
  const cwd = tempDir();
  const hook = join(cwd, "memory.cjs");
  writeFileSync(hook, 'process.on("exit", () => process.stderr.write("maxRSS " + process.resourceUsage().maxRSS));');
  const env = { ZITADEL_EXPORT_DOMAIN: url, PAT_EXPORT_TOKEN: "pat-0123456789", NODE_OPTIONS: `--require ${hook}` };
  const { exitCode, stdout, stderr } = await runBin(["export", "--json"], { cwd, env });
  expect(exitCode, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ users: USERS, withHash: USERS, missing: 0, transport: "grpc-web" });
  expect(Number(/maxRSS (\d+)/.exec(stderr)?.[1]) / 1024).toBeLessThan(MAX_MB);
});
