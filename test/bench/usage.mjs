// Preloaded into every measured process: leaves behind what the operating system says the process used, threads included.
import { writeFileSync } from "node:fs";

const path = process.env["ORGFERRY_BENCH_USAGE"];
if (path !== undefined) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(path, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, rssMb: maxRSS / 1000 }));
  });
}
