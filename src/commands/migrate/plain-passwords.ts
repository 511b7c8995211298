import type { RowReaders } from "../../core/merge/reading.ts";
import type { BcryptHasher } from "../../io/password-hasher.ts";

/** What hashes the passwords of a provider's users, where they come with them. Whoever asks closes it. */
export async function createHasher(
  { plainPasswords }: Pick<RowReaders, "plainPasswords">,
  signal: AbortSignal,
): Promise<BcryptHasher | undefined> {
  if (plainPasswords === undefined) return undefined;
  const { BcryptHasher } = await import("../../io/password-hasher.ts"); // loaded only where it is used
  return new BcryptHasher({ cost: plainPasswords.bcryptCost, signal });
}
