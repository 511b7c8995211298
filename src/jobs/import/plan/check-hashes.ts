import { hashSamples } from "../../../core/probe/sample-hashes.ts";
import { neededVerifiers, type RefusedHashes } from "../../../ui/summary/hash-limits.ts";
import { openHashAsking } from "../../shared/ask-hash.ts";
import { type Asking, askingOf } from "../../shared/asking.ts";
import { ifOffered } from "../../shared/not-offered.ts";
import type { ImportRun } from "../import-run.ts";
import type { Plan } from "./plan.ts";

/**
 * The hashes of the input that the target does not accept; undefined if it cannot be asked. A few calls that change nothing: one for each
 * kind of hash that is not enabled everywhere, and for each cost out of the default limits. Raises net.*, auth.refused.
 */
export async function checkHashes(run: ImportRun, { scan }: Pick<Plan, "scan">): Promise<RefusedHashes | undefined> {
  if (neededVerifiers(scan.hashes).length + scan.breaches.length === 0) return { verifiers: [], breaches: [] };
  return ifOffered(() => findRefused(askingOf(run), scan));
}

async function findRefused(asking: Asking, { hashes, breaches }: Plan["scan"]): Promise<RefusedHashes> {
  const ask = await openHashAsking(asking);
  const verifiers: string[] = [];
  const refused: Plan["scan"]["breaches"][number][] = [];
  for (const verifier of neededVerifiers(hashes)) {
    const samples = hashSamples.filter((sample) => sample.verifier === verifier);
    let isOn = samples.length === 0;
    for (const { text, usual } of samples) isOn ||= (await ask(text(usual[0] ?? {}))) !== "kind";
    if (!isOn) verifiers.push(verifier);
  }
  for (const breach of breaches) {
    const { cost, value } = breach;
    const sample = hashSamples.find(({ costs }) => costs.includes(cost));
    if (sample === undefined || verifiers.includes(sample.verifier)) continue;
    if ((await ask(sample.text({ ...sample.usual[0], [cost]: value }))) === "cost") refused.push(breach);
  }
  return { verifiers, breaches: refused };
}
