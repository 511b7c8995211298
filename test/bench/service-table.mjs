// What came of the turns.
import { grouped, median, spreadOf } from "./tables.mjs";

export const HEAD = [
  "users/s",
  "× loop",
  "calls",
  "cannot sign in",
  "first users after",
  "client: ms of a processor per 1,000 users",
  "client: memory",
];

/** Of the turns that came to an end; `plain` are the loop's, in the same order. */
export function cellsOf(samples, plain, users) {
  const done = samples.filter((sample) => sample !== undefined);
  if (done.length === 0) return ["failed", ...HEAD.slice(1).map(() => "")];
  const speed = speedOf(done, users);
  const ratio = ratioOf(samples, plain);
  const failed = done.length === samples.length ? "" : `, ${samples.length - done.length} of ${samples.length} failed`;
  return [
    `${grouped(speed.median)} (${grouped(speed.min)}–${grouped(speed.max)})${failed}`,
    ratio === undefined ? "" : `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`,
    String(median(done.map(({ calls }) => calls))),
    forgottenOf(done),
    `${(median(done.map(({ firstMs }) => firstMs)) / 1000).toFixed(1)} s`,
    String(Math.round(median(done.map(({ cpuMs }) => cpuMs)) / (users / 1000))),
    `${Math.round(Math.max(...done.map(({ rssMb }) => rssMb)))} MB`,
  ];
}

/** Users who were made and whom the service shows under no login name, of each turn; of a loop nobody knows. */
function forgottenOf(done) {
  const counts = done.flatMap(({ forgotten }) => (forgotten === undefined ? [] : [forgotten]));
  return counts.map(String).join(", ");
}

function speedOf(done, users) {
  return spreadOf(done.map(({ wallMs }) => (1000 * users) / wallMs));
}

function ratioOf(samples, plain) {
  const ratios = samples.flatMap((sample, turn) =>
    sample === undefined || plain[turn] === undefined ? [] : [plain[turn].wallMs / sample.wallMs],
  );
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

export function toTable({ users, rounds, flags, variants, samples }) {
  const [plain] = samples;
  const way = flags.via === "users" ? ", one by one through the users API" : "";
  return {
    title: `Sending ${grouped(users)} users to a running service (${flags.version})${way}, ${rounds} turns`,
    head: HEAD.map((name) => (name === "× loop" && flags.via === "users" ? "× one at a time" : name)),
    rows: variants.map(({ name }, at) => {
      const done = samples[at].filter((sample) => sample !== undefined);
      const ratio = ratioOf(samples[at], plain);
      const figures = {
        ...(done.length === 0 ? {} : { "users/s": speedOf(done, users) }),
        ...(ratio === undefined ? {} : { "× loop": ratio }),
      };
      return { name, cells: cellsOf(samples[at], plain, users), figures };
    }),
    note: bestLine(variants, samples, users),
  };
}

/** orgferry's own pace against the best of the settings that it may choose from, both as their medians; undefined without any. */
function bestLine(variants, samples, users) {
  const speeds = samples.map((turns) => {
    const done = turns.filter((sample) => sample !== undefined);
    return done.length === 0 ? 0 : speedOf(done, users).median;
  });
  const lines = variants.flatMap(({ most, name }, at) => {
    const fixed = [...variants.keys()].filter((other) => variants[other].calls <= most && speeds[other] > 0);
    if (fixed.length === 0 || speeds[at] === 0) return [];
    const best = fixed.reduce((a, b) => (speeds[b] > speeds[a] ? b : a));
    const of = `${(speeds[at] / speeds[best]).toFixed(2)} × ${variants[best].name} (${grouped(speeds[best])} users/s)`;
    return [`${name}: ${of}`];
  });
  return lines.length === 0
    ? undefined
    : `Against the best fixed setting of as many calls or fewer: ${lines.join("; ")}`;
}
