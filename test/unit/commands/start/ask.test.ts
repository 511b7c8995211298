import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openAsk } from "../../../../src/commands/start/ask.ts";

test.each([
  [0, 80],
  [50, 50],
  [undefined, undefined],
])(
  "a terminal with %s columns is asked with %s: without any, each letter would have its own line",
  async (given, expected) => {
    const stderr = Object.assign(new PassThrough(), given === undefined ? {} : { columns: given });
    await openAsk({ stdin: new PassThrough(), stderr, signal: new AbortController().signal });
    expect((stderr as { readonly columns?: number }).columns).toBe(expected);
  },
);
