import { setFlagsFromString } from "node:v8";

/** About 50,000 users: where compiling for speed begins to pay, and waiting is for the service no longer the rule. */
const LONG_BYTES = 16 * 2 ** 20;

/** Has a short run compile only what it does again and again: what is optimized by default takes a third of its processor time. */
const COMPILE_LITTLE: Readonly<Record<string, string>> = {
  "20": "--interrupt-budget=1000000",
  "22": "--invocation-count-for-turbofan=30000",
  "24": "--invocation-count-for-turbofan=30000",
};

/**
 * Fits the engine to an import of so many bytes. Its collector runs when the heap has grown by a fifth, not when it has doubled: what an
 * import keeps is small and what it throws away is not, so this bounds its memory. A short one compiles little as well, and the space for
 * what is new stays as large as loading the program has made it (4 MB in place of 16). Figures: core/README.md, "The upload".
 */
export function fitEngine(inputBytes: number, nodeVersion: string = process.versions.node): void {
  setFlagsFromString("--heap-growing-percent=20");
  if (inputBytes > LONG_BYTES) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  // A version that does not know a flag would say so on stderr.
  const flag = COMPILE_LITTLE[nodeVersion.split(".", 1)[0] ?? ""];
  if (flag !== undefined) setFlagsFromString(flag);
}
