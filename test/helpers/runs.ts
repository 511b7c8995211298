/** How many cases a property tries: more with PROPERTY_RUNS=<factor> (`npm run test:long`). */
export function runs(usual: number): number {
  return Math.ceil(usual * Number(process.env["PROPERTY_RUNS"] ?? 1));
}
