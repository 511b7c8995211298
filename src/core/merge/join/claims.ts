/**
 * A claim on an id or a user name: the number of the profile that holds it, from 1; 0 = free. Above the number: the hash of the
 * profile is not settled yet, so it may still be rejected and then claims nothing.
 */
const PENDING = 0x8000_0000;

export function pendingClaim(number: number): number {
  return (number | PENDING) >>> 0;
}

export function isFirm(claim: number): boolean {
  return claim !== 0 && claim < PENDING;
}

/** In a later round a user's own pending claim does not stand in its way, nor that of a user who comes later in the file. */
export function isPendingFor(claim: number, number: number, round: number): boolean {
  return claim >= PENDING && !(round > 1 && claim - PENDING >= number);
}
