// Whether anybody else uses the machine: figures taken while somebody does are worth little.
import { availableParallelism, cpus } from "node:os";
import { setTimeout } from "node:timers/promises";

const SAMPLE_MS = 1_000;
const BUSY_SHARE = 0.15;

function times() {
  return cpus().reduce(
    (sum, { times: { idle, ...busy } }) => {
      const used = Object.values(busy).reduce((all, one) => all + one, 0);
      return { used: sum.used + used, all: sum.all + used + idle };
    },
    { used: 0, all: 0 },
  );
}

/** How many processors were busy during a second, on average, with whatever else there is. */
export async function busyProcessors() {
  const before = times();
  await setTimeout(SAMPLE_MS);
  const after = times();
  const share = (after.used - before.used) / Math.max(1, after.all - before.all);
  return Math.round(100 * share * availableParallelism()) / 100;
}

export function busyWarning(busy) {
  if (busy < BUSY_SHARE * availableParallelism()) return undefined;
  return `The machine is busy: ${busy.toFixed(1)} of ${availableParallelism()} processors are in use by something else. Trust ratios between turns, not times.`;
}
