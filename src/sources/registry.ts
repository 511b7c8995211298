import { auth0 } from "./auth0/source.ts";
import type { Source } from "./source.ts";

/** Every source provider `migrate` knows. To add one: a folder here, a line in this list, a fixtures folder. */
export const sources = [auth0] satisfies readonly Source[];
