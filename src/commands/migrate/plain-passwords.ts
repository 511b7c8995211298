import type { RowReaders } from "../../core/merge/reading.ts";
import type { BcryptHasher } from "../../io/password-hasher.ts";

/** The hasher of plain passwords; undefined for a provider without any. The caller closes it. */
export async function createHasher(
  { plainPasswords }: Pick<RowReaders, "plainPasswords">,
  signal: AbortSignal,
): Promise<BcryptHasher | undefined> {
  if (plainPasswords === undefined) return undefined;
  const { BcryptHasher } = await import("../../io/password-hasher.ts"); // loaded only where it is used
  return new BcryptHasher({ cost: plainPasswords.bcryptCost, signal });
}
