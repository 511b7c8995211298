// `npm run bench`: how fast, how much memory, and how that compares with doing next to nothing (floor.mjs, floor-document.mjs, floor-csv.mjs) in the same run.
//   --sizes 5000,100000,1000000   users       --rounds 5      counted runs of each variant
//   --only merge,keycloak,csv,start,upload   which parts         --markdown F    also write the tables as Markdown
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { generate } from "./generate.mjs";
import { generateCsv } from "./generate-csv.mjs";
import { generateKeycloak } from "./generate-keycloak.mjs";
import { compare } from "./measure.mjs";
import { upload } from "./upload.mjs";

const { values: flags } = parseArgs({
  options: {
    sizes: { type: "string", default: "5000,100000,1000000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "merge,keycloak,csv,start,upload" },
    markdown: { type: "string" },
  },
});
const here = fileURLToPath(new URL(".", import.meta.url));
const bin = fileURLToPath(new URL("../../bin/orgferry.cjs", import.meta.url));
const data = join(here, ".data");
const out = mkdtempSync(join(tmpdir(), "orgferry-bench-out-"));
const rounds = Number(flags.rounds);
const parts = flags.only.split(",");
const sections = [];

/** Every run writes anew: replacing a file of 300 MB costs time of its own. */
const clean = () => {
  for (const name of readdirSync(out)) rmSync(join(out, name), { recursive: true });
};

function migrate(name, users, folder, [profiles, passwords], more = [], allowed = [0]) {
  const files = ["--users", join(folder, profiles), "--passwords", join(folder, passwords)];
  const args = [
    bin,
    "migrate",
    "auth0",
    "--org",
    "1",
    "--quiet",
    ...files,
    "--output",
    join(out, "body.json"),
    ...more,
  ];
  return { name, users, args, before: clean, allowed };
}

function merge(users) {
  const folder = generate(data, users);
  const isHuge = users > 1e6; // then only the main ones
  const dirty = isHuge ? "" : generate(data, users, { dirty: true });
  const plain = ["users.ndjson", "passwords.ndjson"];
  const variants = [
    {
      name: "floor: read and JSON.parse every line",
      users,
      args: [join(here, "floor.mjs"), ...plain.map((name) => join(folder, name))],
    },
    migrate("migrate, NDJSON", users, folder, plain),
    migrate("migrate, JSON array", users, folder, ["users.json", plain[1]]),
    migrate(
      "migrate, gzip",
      users,
      folder,
      plain.map((name) => `${name}.gz`),
    ),
    migrate("migrate, 12 % of the rows bad or odd", users, dirty, plain, [], [1]),
    migrate("migrate --split 5000", users, folder, plain, ["--split", "5000"]),
  ];
  return compare(isHuge ? variants.slice(0, 3) : variants, rounds);
}

function keycloak(users) {
  const folder = generateKeycloak(data, users);
  const file = (name) => join(folder, name);
  const run = (name, users_, more = []) => {
    const args = [bin, "migrate", "keycloak", "--org", "1", "--quiet", "--users", users_];
    args.push("--target-verifiers", "bcrypt,argon2", "--output", join(out, "body.json"), ...more);
    return { name, users, args, before: clean, allowed: [0] };
  };
  const variants = [
    {
      name: "floor: read and JSON.parse every user",
      users,
      args: [join(here, "floor-document.mjs"), file("realm.json")],
    },
    run("migrate keycloak, one file", file("realm.json")),
    run("migrate keycloak, everything taken along", file("realm.json"), ["--metadata", "all", "--idp", "google=1"]),
  ];
  return compare(
    existsSync(file("realm.json.gz")) ? [...variants, run("migrate keycloak, gzip", file("realm.json.gz"))] : variants,
    rounds,
  );
}

function csv(users) {
  const folder = generateCsv(data, users);
  const file = (name) => join(folder, name);
  const run = (name, path, more = []) => {
    const args = [bin, "migrate", "csv", "--org", "1", "--quiet", "--users", path, "--output", join(out, "body.json")];
    return { name, users, args: [...args, ...more], before: clean, allowed: [0] };
  };
  const variants = [
    { name: "floor: csv-parse reads every row", users, args: [join(here, "floor-csv.mjs"), file("users.csv")] },
    run("migrate csv, recognized by its columns", file("users.csv")),
    run("migrate csv --map, without hashes", file("users.csv"), [
      "--map",
      "userId=id,email=primary_email_address,emailVerified=verified_email_addresses,firstName=first_name,lastName=last_name",
    ]),
  ];
  return compare(
    existsSync(file("users.csv.gz")) ? [...variants, run("migrate csv, gzip", file("users.csv.gz"))] : variants,
    rounds,
  );
}

function table(title, head, rows) {
  const lines = [
    `| ${head.join(" | ")} |`,
    `|${head.map((_, at) => (at === 0 ? "---" : "---:")).join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ];
  sections.push(`**${title}**\n\n${lines.join("\n")}\n`);
  process.stdout.write(`\n${sections.at(-1)}`);
}

/** A table for each size; the smallest size is what memory is compared with. */
function mergeTables(title, sizes, measure) {
  let smallest;
  for (const users of sizes) {
    const results = measure(users);
    smallest ??= results;
    table(
      `${title}${grouped(users)} users`,
      ["", "wall", "× floor", "CPU × floor", "peak memory", "bytes a user", "users/s"],
      results.map((result, at) => {
        // What each user costs beyond what a run over the smallest files takes.
        const base = smallest[at] ?? smallest[1];
        const each = users === base.users ? "" : grouped(((result.rssMb - base.rssMb) * 1e6) / (users - base.users));
        return [
          result.name,
          seconds(result.wallMs),
          result.wallRatio.toFixed(2),
          result.cpuRatio.toFixed(2),
          `${Math.round(result.rssMb)} MB`,
          each,
          grouped((1000 * users) / result.wallMs),
        ];
      }),
    );
  }
}

const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`;
const grouped = (n) => Math.round(n).toLocaleString("en");

try {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const machine = `${cpus()[0]?.model ?? "unknown"}, ${availableParallelism()} processors, ${memory}, Node ${process.versions.node}`;
  sections.push(`${machine}; medians of ${rounds} runs, ratios within a run.\n`);
  process.stdout.write(`${sections[0]}`);
  const sizes = flags.sizes.split(",").map(Number);
  if (parts.includes("merge")) mergeTables("", sizes, merge);
  if (parts.includes("keycloak"))
    mergeTables(
      "Keycloak, ",
      sizes.filter((users) => users <= 1e6),
      keycloak,
    );
  if (parts.includes("csv"))
    mergeTables(
      "CSV, ",
      sizes.filter((users) => users <= 1e6),
      csv,
    );
  if (parts.includes("start")) {
    const folder = generate(data, 5_000);
    const results = compare(
      [
        { name: "node -e 0", args: ["-e", "0"] },
        { name: "orgferry --version", args: [bin, "--version"] },
        { name: "orgferry --help", args: [bin, "--help"] },
        migrate("migrate, 5,000 users", 5_000, folder, ["users.ndjson", "passwords.ndjson"]),
      ],
      rounds * 5,
    );
    table(
      "Start-up",
      ["", "wall", "over bare node"],
      results.map(({ name, wallMs }) => [
        name,
        `${Math.round(wallMs)} ms`,
        `${Math.round(wallMs - results[0].wallMs)} ms`,
      ]),
    );
  }
  if (parts.includes("upload")) {
    const users = Math.min(1e6, Math.max(...flags.sizes.split(",").map(Number))); // more would only take longer
    const results = await upload({ users, bin, folder: generate(data, users), out, clean });
    table(
      `Upload of ${grouped(users)} users to the bundled server`,
      ["", "wall", "users/s", "peak memory of the client", "calls", "of the time waiting"],
      results.map((r) => [
        r.name,
        seconds(r.wallMs),
        grouped((1000 * users) / r.wallMs),
        `${Math.round(r.rssMb)} MB`,
        String(r.calls),
        `${Math.round(100 * r.waiting)} %`,
      ]),
    );
  }
  if (flags.markdown !== undefined) writeFileSync(flags.markdown, sections.join("\n"));
} finally {
  rmSync(out, { recursive: true, force: true });
}
