import { expect, test } from "vitest";
// @ts-expect-error the bench is plain JavaScript
import { takeTurns } from "../bench/service.mjs";
// @ts-expect-error the bench is plain JavaScript
import { variantsOf } from "../bench/service-settings.mjs";
// @ts-expect-error the bench is plain JavaScript
import { toTable } from "../bench/service-table.mjs";

const flags = { via: "import", version: "v4" };
const users = 1_000;

interface Variant {
  readonly name: string;
  readonly args: string | readonly string[];
}

const namesOf = (variants: readonly Variant[]): string[] => variants.map(({ name }) => name);

/** A turn after which every user is searchable twice as late as sent, and whose process ends then. */
const momentsOf = (sentMs: number) => ({ sentMs, listedMs: 2 * sentMs, wallMs: 2 * sentMs });

/** Turns that are over at once; `speedOf` says how fast each was, and raises for one that fails. */
async function measured(sweep: string, speedOf: (args: string, turn: string) => number, rounds = 1) {
  const variants: Variant[] = variantsOf({ ...flags, sweep });
  const said: string[] = [];
  const samples = await takeTurns({
    variants,
    rounds,
    users,
    turn: async (args: string | readonly string[], _: number, turn: string) => ({
      ...momentsOf((1_000 * users) / speedOf([args].flat().join(" "), turn)),
      firstMs: 100,
      ...(args === "loop" ? {} : { forgotten: args.includes("auto") ? 2 : 0 }),
      calls: 1,
      cpuMs: 50,
      rssMb: 80,
    }),
    rest: async () => {},
    say: (line: string) => said.push(line),
  });
  return { table: toTable({ users, rounds, flags, variants, samples }), said };
}

test("the loop, sequential writes, the default and the automatic pace go by turns", () => {
  const variants: Variant[] = variantsOf(flags);
  expect(variants.map(({ args }) => args)).toEqual(["loop", ["--concurrency", "1"], [], ["--concurrency", "auto"]]);
});

test("--ways selects from the ways of orgferry, and an unknown one is refused", () => {
  const variants: Variant[] = variantsOf({ ...flags, ways: "default" });
  expect(variants.map(({ args }) => args)).toEqual(["loop", []]);
  expect(() => variantsOf({ ...flags, ways: "fast" })).toThrow("--ways knows sequential, default, auto, not fast");
});

test("the full sweep is 25 settings, between the loop and orgferry's own pace at the beginning and the end", () => {
  const names = namesOf(variantsOf({ ...flags, sweep: "all" }));
  expect(names).toHaveLength(31);
  expect(new Set(names).size).toBe(31);
  expect(names.slice(0, 5)).toEqual([
    "loop over ready-made calls of 5,000",
    "orgferry import --concurrency 1",
    "orgferry import",
    "orgferry import --concurrency auto",
    "orgferry import, 1 × 50",
  ]);
  expect(names.slice(-3)).toEqual([
    "orgferry import, 16 × 5000",
    "orgferry import --concurrency 1, at the end",
    "orgferry import --concurrency auto, at the end",
  ]);
});

test("of the users API, whose calls are for one user, the settings are calls at a time", () => {
  const variants: Variant[] = variantsOf({ ...flags, via: "users", sweep: "all" });
  expect(namesOf(variants).slice(0, 4)).toEqual([
    "orgferry import --concurrency 1",
    "orgferry import",
    "orgferry import --concurrency auto",
    "orgferry import, 2 at a time",
  ]);
  for (const { args } of variants) expect(args).toEqual(expect.arrayContaining(["--via", "users"]));
});

test("a setting that fails is reported and excluded, and the others are compared", async () => {
  const { table, said } = await measured(
    "1x50,8x250,8x1000",
    (args, turn) => {
      if (args.includes("1000") || turn === "n1v4") throw new Error("exit 6");
      const speeds = {
        loop: 100,
        "--concurrency 1": 90,
        "": 160,
        "--concurrency auto": 180,
        "--concurrency 1 --batch-users 50": 120,
      };
      return speeds[args as keyof typeof speeds] ?? 200;
    },
    2,
  );
  expect(table.rows.map(({ cells }: { cells: string[] }) => cells[0])).toEqual([
    "100 (100–100)",
    "90 (90–90)",
    "160 (160–160)",
    "180 (180–180)",
    "120 (120–120), 1 of 2 failed",
    "200 (200–200)",
    "failed",
  ]);
  expect(said.filter((line) => line.includes("failed: exit 6"))).toHaveLength(3);
  expect(table.note).toBe(
    "Against the best fixed setting of as many calls or fewer: orgferry import --concurrency 1: 0.75 × orgferry import, 1 × 50 (120 users/s); orgferry import: 0.80 × orgferry import, 8 × 250 (200 users/s); orgferry import --concurrency auto: 0.90 × orgferry import, 8 × 250 (200 users/s)",
  );
  // Each row as soon as it is known.
  expect(said.filter((line) => line.startsWith("| "))).toHaveLength(15 - 1);
});

test("who cannot sign in is counted in each turn, where the program says so", async () => {
  const { table } = await measured("", () => 100, 2);
  const at = table.head.indexOf("cannot sign in");
  expect(table.rows.map(({ cells }: { cells: string[] }) => cells[at])).toEqual(["", "0, 0", "0, 0", "2, 2"]);
  expect(table.note).toBeUndefined();
});

test("sending and the moment at which every user is searchable are compared separately", async () => {
  const { table } = await measured("8x250", (args) => (args === "loop" ? 100 : 150));
  const [, sent, , searchable, ended] = table.rows[4].cells;
  expect([sent, searchable, ended]).toEqual(["1.50 (1.50–1.50)", "1.50 (1.50–1.50)", "1.50 (1.50–1.50)"]);
});

test("a loop that fails leaves nothing to compare with, and the speeds", async () => {
  const { table } = await measured("8x250", (args) => {
    if (args === "loop") throw new Error("exit 1");
    return 100;
  });
  expect(table.rows[1].cells.slice(0, 5)).toEqual(["100 (100–100)", "", "50 (50–50)", "", ""]);
});
