import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createUi } from "../../../src/ui/ui.ts";

test("on a terminal without a size, nothing is drawn, and lines are written", async () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 0 });
  const stdin = new PassThrough();
  const settings = { stdin, stdout: new PassThrough(), stderr, quiet: false, verbose: false, env: {}, color: false };
  const ui = await createUi({ ...settings, now: () => new Date() });
  const progress = ui.progress("importing");
  await setTimeout(1_000);
  progress.stop();
  ui.say("done");
  expect(String(stderr.read())).toBe("done\n");
});
