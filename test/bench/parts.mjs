// What needs no service: the merge, the start, and the upload into the bundled server.
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generate } from "./generate.mjs";
import { generateCsv } from "./generate-csv.mjs";
import { generateJson } from "./generate-json.mjs";
import { generateKeycloak } from "./generate-keycloak.mjs";
import { compare } from "./measure.mjs";
import { grouped, seconds, timeWithSpread } from "./tables.mjs";
import { upload } from "./upload.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
export const bin = fileURLToPath(new URL("../../bin/orgferry.cjs", import.meta.url));
export const data = join(here, ".data");

/** Every run writes anew: replacing a file of 300 MB costs time of its own. */
function cleaner(out) {
  return () => {
    for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true });
  };
}

function migrate(name, { users, out, folder, files: [profiles, passwords], more = [], allowed = [0] }) {
  const files = ["--users", join(folder, profiles), "--passwords", join(folder, passwords)];
  const output = ["--output", join(out, "body.json")];
  const args = [bin, "migrate", "auth0", "--org", "1", "--quiet", ...files, ...output, ...more];
  return { name, users, args, before: cleaner(out), allowed };
}

export function mergeTable({ users, out, rounds, smallest }) {
  const folder = generate(data, users);
  const isHuge = users > 1e6; // then only the main ones
  const dirty = isHuge ? "" : generate(data, users, { dirty: true });
  const files = ["users.ndjson", "passwords.ndjson"];
  const floor = [join(here, "floor.mjs"), ...files.map((name) => join(folder, name))];
  const world = { users, out, folder, files };
  const variants = [
    { name: "floor: read and JSON.parse every line", users, args: floor },
    migrate("migrate, NDJSON", world),
    migrate("migrate, JSON array", { ...world, files: ["users.json", files[1]] }),
    migrate("migrate, gzip", { ...world, files: files.map((name) => `${name}.gz`) }),
    migrate("migrate, 12 % of the rows bad or odd", { ...world, folder: dirty, allowed: [1] }),
    migrate("migrate --split 5000", { ...world, more: ["--split", "5000"] }),
  ];
  return toTable("", users, compare(isHuge ? variants.slice(0, 3) : variants, rounds), smallest);
}

export function keycloakTable({ users, out, rounds, smallest }) {
  const folder = generateKeycloak(data, users);
  const file = (name) => join(folder, name);
  const run = (name, path, more = []) => {
    const args = [bin, "migrate", "keycloak", "--org", "1", "--quiet", "--users", path];
    args.push("--target-verifiers", "bcrypt,argon2", "--output", join(out, "body.json"), ...more);
    return { name, users, args, before: cleaner(out), allowed: [0] };
  };
  const floor = [join(here, "floor-document.mjs"), file("realm.json")];
  const variants = [
    { name: "floor: read and JSON.parse every user", users, args: floor },
    run("migrate keycloak, one file", file("realm.json")),
    run("migrate keycloak, everything taken along", file("realm.json"), ["--metadata", "all", "--idp", "google=1"]),
  ];
  if (existsSync(file("realm.json.gz"))) variants.push(run("migrate keycloak, gzip", file("realm.json.gz")));
  return toTable("Keycloak, ", users, compare(variants, rounds), smallest);
}

export function csvTable({ users, out, rounds, smallest }) {
  const folder = generateCsv(data, users);
  const file = (name) => join(folder, name);
  const run = (name, path, more = []) => {
    const args = [bin, "migrate", "csv", "--org", "1", "--quiet", "--users", path, "--output", join(out, "body.json")];
    return { name, users, args: [...args, ...more], before: cleaner(out), allowed: [0] };
  };
  const columns =
    "userId=id,email=primary_email_address,emailVerified=verified_email_addresses,firstName=first_name,lastName=last_name";
  const variants = [
    { name: "floor: csv-parse reads every row", users, args: [join(here, "floor-csv.mjs"), file("users.csv")] },
    run("migrate csv, recognized by its columns", file("users.csv")),
    run("migrate csv --map, without hashes", file("users.csv"), ["--map", columns]),
  ];
  if (existsSync(file("users.csv.gz"))) variants.push(run("migrate csv, gzip", file("users.csv.gz")));
  return toTable("CSV, ", users, compare(variants, rounds), smallest);
}

export function jsonTable({ users, out, rounds, smallest }) {
  const folder = generateJson(data, users);
  const file = (name) => join(folder, name);
  const run = (name, path, more = []) => {
    const args = [bin, "migrate", "json", "--org", "1", "--quiet", "--users", path, "--output", join(out, "body.json")];
    return { name, users, args: [...args, ...more], before: cleaner(out), allowed: [0] };
  };
  const variants = [
    { name: "floor: read and JSON.parse every line", users, args: [join(here, "floor.mjs"), file("users.ndjson")] },
    run("migrate json, recognized, NDJSON", file("users.ndjson")),
    run("migrate json, recognized, array", file("users.json")),
    run("migrate json --map, without hashes", file("users.ndjson"), ["--map", "userId=id,email=traits.email"]),
  ];
  return toTable("JSON, ", users, compare(variants, rounds), smallest);
}

/** The join in memory, and in parts on disk. */
export function memoryTable({ users, out, rounds, smallest }) {
  const world = { users, out, folder: generate(data, users), files: ["users.ndjson", "passwords.ndjson"] };
  const size = users > 1e6 ? "512MiB" : "192MiB";
  const variants = [
    migrate("migrate", world),
    migrate(`migrate --memory ${size}`, { ...world, more: ["--memory", size] }),
  ];
  const table = toTable("Memory, ", users, compare(variants, rounds), smallest);
  return { ...table, head: table.head.map((name) => name.replace("floor", "without")) };
}

/** The smallest size is what memory is compared with. */
function toTable(title, users, results, smallest) {
  return {
    title: `${title}${grouped(users)} users`,
    head: ["wall", "× floor", "CPU × floor", "peak memory", "bytes a user", "users/s"],
    rows: results.map((result, at) => toRow(result, users, smallest?.rows[at] ?? smallest?.rows[1])),
  };
}

function toRow({ name, wallMs, wallRatio, cpuRatio, rssMb }, users, base) {
  // What each user costs beyond what a run over the smallest files takes.
  const each = base === undefined ? "" : grouped(((rssMb - base.rssMb) * 1e6) / (users - base.users));
  const cells = [
    timeWithSpread(wallMs),
    wallRatio.median.toFixed(2),
    cpuRatio.toFixed(2),
    `${Math.round(rssMb)} MB`,
    each,
  ];
  return {
    name,
    users,
    rssMb,
    cells: [...cells, grouped((1000 * users) / wallMs.median)],
    figures: { wall: wallMs, "× floor": wallRatio },
  };
}

export function startTable({ out, rounds }) {
  const world = { users: 5_000, out, folder: generate(data, 5_000), files: ["users.ndjson", "passwords.ndjson"] };
  const results = compare(
    [
      { name: "node -e 0", args: ["-e", "0"] },
      { name: "orgferry --version", args: [bin, "--version"] },
      { name: "orgferry --help", args: [bin, "--help"] },
      migrate("migrate, 5,000 users", world),
    ],
    rounds * 5,
  );
  const bare = results[0].wallMs.median;
  const ms = (value) => `${Math.round(value)} ms`;
  return {
    title: "Start-up",
    head: ["wall", "over bare node"],
    rows: results.map(({ name, wallMs }) => ({
      name,
      cells: [`${ms(wallMs.median)} (${Math.round(wallMs.min)}–${Math.round(wallMs.max)})`, ms(wallMs.median - bare)],
      figures: { wall: wallMs },
    })),
  };
}

export async function uploadTable({ users, out }) {
  const results = await upload({ users, bin, folder: generate(data, users), out, clean: cleaner(out) });
  return {
    title: `Upload of ${grouped(users)} users to the bundled server`,
    head: ["wall", "users/s", "peak memory of the client", "calls", "of the time waiting"],
    rows: results.map(({ name, wallMs, rssMb, calls, waiting }) => ({
      name,
      cells: [
        seconds(wallMs),
        grouped((1000 * users) / wallMs),
        `${Math.round(rssMb)} MB`,
        String(calls),
        `${Math.round(100 * waiting)} %`,
      ],
      figures: { wall: { median: wallMs, min: wallMs, max: wallMs } },
    })),
  };
}
