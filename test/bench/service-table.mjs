// What came of the turns.
import { grouped, median, spreadOf } from "./tables.mjs";

/**
 * Sent: every call was answered. Searchable: the service lists every user under a login name, as the bench itself sees it. Ended: the
 * process is done, with its own checks.
 */
export const HEAD = [
  "sent: users/s",
  "sent: × loop",
  "searchable: users/s",
  "searchable: × loop",
  "ended: × loop searchable",
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
  const failed = done.length === samples.length ? "" : `, ${samples.length - done.length} of ${samples.length} failed`;
  return [
    `${speedCell(done, users, "sentMs")}${failed}`,
    ratioCell(samples, plain, "sentMs"),
    speedCell(done, users, "listedMs"),
    ratioCell(samples, plain, "listedMs"),
    ratioCell(samples, plain, "wallMs", "listedMs"),
    String(median(done.map(({ calls }) => calls))),
    lostOf(done),
    `${(median(done.map(({ firstMs }) => firstMs)) / 1000).toFixed(1)} s`,
    String(Math.round(median(done.map(({ cpuMs }) => cpuMs)) / (users / 1000))),
    `${Math.round(Math.max(...done.map(({ rssMb }) => rssMb)))} MB`,
  ];
}

function speedCell(done, users, moment) {
  const speed = speedOf(done, users, moment);
  return speed === undefined ? "never" : `${grouped(speed.median)} (${grouped(speed.min)}–${grouped(speed.max)})`;
}

function ratioCell(samples, plain, moment, plainMoment = moment) {
  const ratio = ratioOf(samples, plain, moment, plainMoment);
  return ratio === undefined ? "" : `${ratio.median.toFixed(2)} (${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)})`;
}

/** Users who were made and whom the service shows under no login name, of each turn; of a loop nobody knows. */
function lostOf(done) {
  const counts = done.flatMap(({ forgotten, healed }) =>
    forgotten === undefined ? [] : [healed > 0 ? `${forgotten} (${healed} healed)` : String(forgotten)],
  );
  return counts.join(", ");
}

/** Users per second until a moment; undefined if no turn reached it. */
function speedOf(done, users, moment) {
  const speeds = done.flatMap((sample) => (sample[moment] === undefined ? [] : [(1000 * users) / sample[moment]]));
  return speeds.length === 0 ? undefined : spreadOf(speeds);
}

function ratioOf(samples, plain, moment, plainMoment = moment) {
  const ratios = samples.flatMap((sample, turn) => {
    const [own, other] = [sample?.[moment], plain[turn]?.[plainMoment]];
    return own === undefined || other === undefined ? [] : [other / own];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
}

export function toTable({ users, rounds, flags, variants, samples }) {
  const [plain] = samples;
  const way = flags.via === "users" ? ", one by one through the users API" : "";
  return {
    title: `Sending ${grouped(users)} users to a running service (${flags.version})${way}, ${rounds} turns`,
    head: HEAD.map((name) => (flags.via === "users" ? name.replace("× loop", "× one at a time") : name)),
    rows: variants.map(({ name }, at) => {
      const done = samples[at].filter((sample) => sample !== undefined);
      const figures = definedOf({
        "sent: users/s": speedOf(done, users, "sentMs"),
        "sent: × loop": ratioOf(samples[at], plain, "sentMs"),
        "searchable: users/s": speedOf(done, users, "listedMs"),
        "searchable: × loop": ratioOf(samples[at], plain, "listedMs"),
      });
      return { name, cells: cellsOf(samples[at], plain, users), figures };
    }),
    note: bestLine(variants, samples, users),
  };
}

function definedOf(figures) {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

/** orgferry's own pace against the best of the settings that it may choose from, both as their medians; undefined without any. */
function bestLine(variants, samples, users) {
  const speeds = samples.map((turns) => {
    const done = turns.filter((sample) => sample !== undefined);
    return speedOf(done, users, "sentMs")?.median ?? 0;
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
