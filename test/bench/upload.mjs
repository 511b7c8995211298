// The upload side: `import` of one large body against the least that could be done, a loop that posts batches made before.
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const hook = new URL("./usage.mjs", import.meta.url).href;
const loop = fileURLToPath(new URL("./upload-loop.mjs", import.meta.url));

/** A fresh server for each variant: both meet an empty one. */
async function withServer(bin, out, work) {
  const seed = join(out, "seed.json");
  writeFileSync(seed, JSON.stringify({ orgs: [{ orgId: "1", org: { name: "Bench" } }] }));
  const server = spawn(process.execPath, [bin, "mock", "--port", "0", "--seed", seed, "--json", "--quiet"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const ready = await new Promise((done, fail) => {
      server.stdout.once("data", (line) => done(JSON.parse(String(line))));
      server.once("exit", () => fail(new Error("the server did not start")));
    });
    return work(ready);
  } finally {
    server.kill();
  }
}

function measured(args, env, out) {
  const usage = join(out, "usage.json");
  const started = process.hrtime.bigint();
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", hook, ...args], {
    env: { ...process.env, ...env, ORGFERRY_BENCH_USAGE: usage },
    maxBuffer: 2 ** 26,
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: exit ${status}\n${stderr}`);
  const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
  const { cpuMs, rssMb } = JSON.parse(readFileSync(usage, "utf8"));
  return { wallMs, rssMb, waiting: Math.max(0, 1 - cpuMs / wallMs), stdout: String(stdout) };
}

export async function upload({ users, bin, folder, out, clean }) {
  clean();
  const files = ["--users", join(folder, "users.ndjson"), "--passwords", join(folder, "passwords.ndjson")];
  const migrate = (...more) => {
    const { status, stderr } = spawnSync(process.execPath, [
      bin,
      "migrate",
      "auth0",
      "--org",
      "1",
      "--quiet",
      ...files,
      ...more,
    ]);
    if (status !== 0) throw new Error(String(stderr));
  };
  migrate("--output", join(out, "body.json"));
  migrate("--output", join(out, "batch.json"), "--split", "5000");
  const batches = readdirSync(out)
    .filter((name) => /^batch-\d+\.json$/.test(name))
    .sort();
  const floor = await withServer(bin, out, ({ url, token }) =>
    measured([loop, url, ...batches.map((name) => join(out, name))], { PAT_IMPORT_TOKEN: token }, out),
  );
  const ours = await withServer(bin, out, ({ url, token }) =>
    measured(
      [bin, "import", join(out, "body.json"), "--via", "import", "--target", url, "--json", "--quiet"],
      { PAT_IMPORT_TOKEN: token },
      out,
    ),
  );
  const report = JSON.parse(ours.stdout);
  if (report.users.created !== users) throw new Error(`created ${report.users.created} of ${users}`);
  return [
    { name: "loop over ready-made batches", calls: batches.length, ...floor },
    {
      name: "orgferry import --via import",
      calls: report.calls,
      ...ours,
    },
  ];
}
