import { auth0 } from "./auth0/source.ts";
import { csv } from "./csv/source.ts";
import { json } from "./json/source.ts";
import { keycloak } from "./keycloak/source.ts";
import type { Source } from "./source.ts";

/** Every source provider that `migrate` knows. */
export const sources: readonly Source[] = [auth0, keycloak, csv, json];
