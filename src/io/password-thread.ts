import { parentPort } from "node:worker_threads";
import { hashSync } from "bcryptjs";
import type { HashAnswer, HashTask } from "./password-hasher.ts";

// The program of a thread that hashes passwords (see password-hasher.ts).

parentPort?.on("message", ({ first, passwords }: HashTask) => {
  const hashes = passwords.map(({ text, salt }) => hashSync(text, salt));
  parentPort?.postMessage({ first, hashes } satisfies HashAnswer);
});
