import { setFlagsFromString } from "node:v8";

/**
 * Has the collector run when the heap has grown by a fifth, not when it has doubled: what an import keeps is small and what it throws
 * away is not, so this bounds its memory (`npm run bench` measures it).
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--heap-growing-percent=20");
}
