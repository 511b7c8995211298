// Which ways of sending go by turns.
import { grouped } from "./tables.mjs";

/** In place of flags: not orgferry. */
export const LOOP = "loop";
/** Users of a call as the documentation has it. */
export const CALL_USERS = 5_000;
const CALLS = [1, 2, 4, 8, 16];
const SIZES = [50, 100, 250, 1_000, 5_000];

/** What --ways selects from. */
const WAYS = ["sequential", "default", "auto"];
/** As many concurrent calls as --max-concurrency allows. */
const AUTO = ["--concurrency", "auto"];

/**
 * First the least that can be done: a loop over ready-made calls. Then orgferry with sequential writes, with its default, which depends on
 * the version of the service, and with `--concurrency auto`; `ways` selects from the last three. Raises for a --sweep or --ways that it does
 * not understand.
 */
export function variantsOf(flags) {
  const isUsers = flags.via === "users";
  const via = viaOf(flags);
  // `most`: they are measured against the fixed settings with that many calls at a time or fewer.
  const sequential = {
    way: "sequential",
    name: "orgferry import --concurrency 1",
    args: [...via, "--concurrency", "1"],
    most: 1,
  };
  const byDefault = { way: "default", name: "orgferry import", args: via, most: Infinity };
  const auto = { way: "auto", name: "orgferry import --concurrency auto", args: [...via, ...AUTO], most: Infinity };
  // The users API has no ready-made calls: sequential writes are what the others are compared with.
  const plain = isUsers ? [] : [{ name: `loop over ready-made calls of ${grouped(CALL_USERS)}`, args: LOOP }];
  const fixed = settingsOf(flags.sweep ?? "", isUsers).map(({ calls, size }) => ({
    name: isUsers ? `orgferry import, ${calls} at a time` : `orgferry import, ${calls} × ${size}`,
    args: [...via, "--concurrency", String(calls), ...(isUsers ? [] : ["--batch-users", String(size)])],
    calls,
  }));
  // An instance gets slower as it fills: a long sweep ends with what it began with.
  const again =
    fixed.length > 5
      ? [
          { ...sequential, name: "orgferry import --concurrency 1, at the end" },
          { ...auto, name: "orgferry import --concurrency auto, at the end" },
        ]
      : [];
  const ways = waysOf(flags.ways);
  return [...plain, ...[sequential, byDefault, auto].filter(({ way }) => ways.includes(way)), ...fixed, ...again];
}

function waysOf(text = WAYS.join()) {
  const ways = text.split(",");
  const unknown = ways.find((way) => !WAYS.includes(way));
  if (unknown !== undefined) throw new Error(`--ways knows ${WAYS.join(", ")}, not ${unknown}`);
  return ways;
}

export function viaOf({ via }) {
  return via === "users" ? ["--via", "users"] : [];
}

/** @param isUsers one user a call: a setting is a number of calls. */
function settingsOf(text, isUsers) {
  if (text === "all")
    return CALLS.flatMap((calls) => (isUsers ? [1] : SIZES).map((size) => ({ calls, size }))).filter(
      ({ calls }) => !isUsers || calls > 1, // one at a time is there anyway
    );
  return text
    .split(",")
    .filter((one) => one !== "")
    .map((one) => {
      const [calls, size] = isUsers ? [Number(one), 1] : one.split("x").map(Number);
      if (!(calls > 0 && size > 0))
        throw new Error(
          isUsers
            ? `--sweep: ${one} is not a number of calls at a time`
            : `--sweep: ${one} is not calls x users, such as 8x250`,
        );
      return { calls, size };
    });
}
