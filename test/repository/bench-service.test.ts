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

/** Turns that are over at once; `speedOf` says how fast each was, and raises for one that fails. */
async function measured(sweep: string, speedOf: (args: string, turn: string) => number, rounds = 1) {
  const variants: Variant[] = variantsOf({ ...flags, sweep });
  const said: string[] = [];
  const samples = await takeTurns({
    variants,
    rounds,
    users,
    turn: async (args: string | readonly string[], _: number, turn: string) => ({
      wallMs: (1_000 * users) / speedOf([args].flat().join(" "), turn),
      firstMs: 100,
      calls: 1,
      cpuMs: 50,
      rssMb: 80,
    }),
    rest: async () => {},
    say: (line: string) => said.push(line),
  });
  return { table: toTable({ users, rounds, flags, variants, samples }), said };
}

test("the full sweep is 25 settings, between the loop and orgferry's own pace at the beginning and the end", () => {
  const names = namesOf(variantsOf({ ...flags, sweep: "all" }));
  expect(names).toHaveLength(28);
  expect(new Set(names).size).toBe(28);
  expect(names.slice(0, 3)).toEqual([
    "loop over ready-made calls of 5,000",
    "orgferry import",
    "orgferry import, 1 × 50",
  ]);
  expect(names.slice(-2)).toEqual(["orgferry import, 16 × 5000", "orgferry import, at the end"]);
});

test("of the users API, whose calls are for one user, the settings are calls at a time", () => {
  const variants: Variant[] = variantsOf({ ...flags, via: "users", sweep: "all" });
  expect(namesOf(variants).slice(0, 3)).toEqual([
    "orgferry import, one call at a time",
    "orgferry import",
    "orgferry import, 2 at a time",
  ]);
  for (const { args } of variants) expect(args).toEqual(expect.arrayContaining(["--via", "users"]));
});

test("a setting that fails is told and left out, and the others are compared", async () => {
  const { table, said } = await measured(
    "4x50,8x250,8x1000",
    (args, turn) => {
      if (args.includes("1000") || turn === "n1v2") throw new Error("exit 6");
      return { loop: 100, "": 180, "--concurrency 4 --batch-users 50": 150 }[args] ?? 200;
    },
    2,
  );
  expect(table.rows.map(({ cells }: { cells: string[] }) => cells[0])).toEqual([
    "100 (100–100)",
    "180 (180–180)",
    "150 (150–150), 1 of 2 failed",
    "200 (200–200)",
    "failed",
  ]);
  expect(said.filter((line) => line.includes("failed: exit 6"))).toHaveLength(3);
  expect(table.note).toBe(
    "Against the best fixed setting (orgferry import, 8 × 250, 200 users/s): orgferry import: 0.90",
  );
  // Each row as soon as it is known.
  expect(said.filter((line) => line.startsWith("| "))).toHaveLength(11 - 1);
});

test("a loop that fails leaves nothing to compare with, and the speeds", async () => {
  const { table } = await measured("8x250", (args) => {
    if (args === "loop") throw new Error("exit 1");
    return 100;
  });
  expect(table.rows[1].cells.slice(0, 2)).toEqual(["100 (100–100)", ""]);
});
