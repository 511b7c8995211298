// Which ways of sending go by turns.
import { grouped } from "./tables.mjs";

/** In place of flags: not orgferry. */
export const LOOP = "loop";
/** Users of a call as the documentation has it. */
export const CALL_USERS = 5_000;
const CALLS = [1, 2, 4, 8, 16];
const SIZES = [50, 100, 250, 1_000, 5_000];

/** The least that could be done is first: one call after the other. Raises for a --sweep that it does not understand. */
export function variantsOf(flags) {
  const isUsers = flags.via === "users";
  const via = viaOf(flags);
  const own = { name: "orgferry import", args: via };
  const plain = isUsers
    ? { name: "orgferry import, one call at a time", args: [...via, "--concurrency", "1"] }
    : { name: `loop over ready-made calls of ${grouped(CALL_USERS)}`, args: LOOP };
  const fixed = settingsOf(flags.sweep ?? (isUsers ? "8" : "8x250"), isUsers).map(({ calls, size }) => ({
    name: isUsers ? `orgferry import, ${calls} at a time` : `orgferry import, ${calls} × ${size}`,
    args: [...via, "--concurrency", String(calls), ...(isUsers ? [] : ["--batch-users", String(size)])],
    isFixed: true,
  }));
  // An instance gets slower as it fills: a long sweep ends with what it began with.
  const again = fixed.length > 5 ? [{ ...own, name: "orgferry import, at the end" }] : [];
  return [plain, own, ...fixed, ...again];
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
