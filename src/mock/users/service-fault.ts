/** An error of the service's command layer; without an id: the unchanged text of a library. */
export interface ServiceFault {
  readonly id?: string;
  readonly key: string;
  readonly parent?: string;
}

const TAKEN = 'ERROR: duplicate key value violates unique constraint "unique_constraints_pkey" (SQLSTATE 23505)';

/** The fault of an object that breaks a unique constraint of the instance (service behaviour 0.5; recordings 20, 36, 49). */
export function taken(key: string): ServiceFault {
  return { id: "V3-DKcYh", key, parent: TAKEN };
}

/** The text that Go prints: raw, never localized (service behaviour 2.2). */
export function faultText({ id, key, parent }: ServiceFault): string {
  if (id === undefined) return key;
  return `ID=${id} Message=${key}${parent === undefined ? "" : ` Parent=(${parent})`}`;
}
