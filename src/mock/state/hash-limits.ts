import type { HashLimit, Verifier } from "../api.ts";
import type { ServiceFault } from "../http/answer.ts";

export type HashLimits = Readonly<Record<HashLimit, number>>;

/** The limits of a new instance. */
const newInstance: HashLimits = {
  BCRYPT_MINCOST: 10,
  BCRYPT_MAXCOST: 16,
  ARGON2_MINTIME: 1,
  ARGON2_MAXTIME: 10,
  ARGON2_MINMEMORY: 8_192,
  ARGON2_MAXMEMORY: 524_288,
  ARGON2_MINTHREADS: 1,
  ARGON2_MAXTHREADS: 16,
  PBKDF2_MINROUNDS: 1_000,
  PBKDF2_MAXROUNDS: 10_000_000,
  SCRYPT_MINLN: 14,
  SCRYPT_MAXLN: 20,
  SCRYPT_MINR: 8,
  SCRYPT_MAXR: 32,
  SCRYPT_MINP: 1,
  SCRYPT_MAXP: 16,
};

export const hashLimitNames = Object.keys(newInstance) as readonly HashLimit[]; // the keys of that record

/** The limits of a new instance, with changes. */
export function hashLimits(changes: Readonly<Partial<Record<HashLimit, number | undefined>>>): HashLimits {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...newInstance, ...Object.fromEntries(set) };
}

/** Parses `BCRYPT_MINCOST=4,ARGON2_MINMEMORY=7168`, the form of the flag, or the names of `--target-limits` (`bcrypt.minCost=4`). Returns an error message for any other text. */
export function parseLimits(text: string): Readonly<Partial<Record<HashLimit, number>>> | string {
  const limits: Partial<Record<HashLimit, number>> = {};
  for (const part of text.split(",")) {
    const [given = "", value = ""] = part.trim().split("=");
    const name = hashLimitNames.find((one) => one === given.replace(".", "_").toUpperCase());
    if (name === undefined) return `unknown limit "${given}"; write one of ${hashLimitNames.join(", ")}`;
    if (!/^\d{1,9}$/.test(value)) return `"${value}" is not a limit for ${given}; write a whole number`;
    limits[name] = Number(value);
  }
  return limits;
}

/** The whole form of each kind of hash; its named groups are the costs, by the names of the limits. */
const forms: Readonly<Record<Verifier, RegExp>> = {
  bcrypt: /^\$2[aby]?\$(?<COST>\d\d)\$[./A-Za-z0-9]{53}$/,
  argon2: /^\$argon2(?:id|i)\$v=\d+\$m=(?<MEMORY>\d+),t=(?<TIME>\d+),p=(?<THREADS>\d+)\$[^$]+\$[^$]+$/,
  pbkdf2: /^\$pbkdf2(?:-sha\d+)?\$(?<ROUNDS>\d+)\$[^$]+\$[^$]+$/,
  scrypt: /^\$scrypt\$ln=(?<LN>\d+),r=(?<R>\d+),p=(?<P>\d+)\$[^$]+\$[^$]+$/,
};

/** The fault of a hash that no verifier of the instance reads, or whose costs are out of its limits (recordings 24–26 of v415). */
export function hashFault(
  hash: string,
  { verifiers, limits }: { readonly verifiers: readonly Verifier[]; readonly limits: HashLimits },
): ServiceFault | undefined {
  const key = "Errors.User.Password.Invalid";
  const verifier = verifiers.find((name) => forms[name].test(hash));
  if (verifier === undefined) return { id: "CRYPT-r8Qm2", key };
  const costs = Object.entries(forms[verifier].exec(hash)?.groups ?? {});
  const isWithin = costs.every(([cost, text]) => {
    const limit = (side: "MIN" | "MAX"): number => limits[`${verifier.toUpperCase()}_${side}${cost}` as HashLimit]; // so named
    return Number(text) >= limit("MIN") && Number(text) <= limit("MAX");
  });
  return isWithin ? undefined : { id: "CRYPT-5uV9n", key };
}
