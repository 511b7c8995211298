/** A failure in words: what is wrong and where, then what to do about it. */
export interface Description {
  readonly message: string;
  readonly hint?: string;
}

/** Both sentences in one. */
export function sentences({ message, hint }: Description): string {
  return hint === undefined ? message : `${message} ${hint}`;
}
