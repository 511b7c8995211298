/** What became of the profile rows: `read = written + rejected`, `written = withHash + withoutHash`. */
export interface UserCounts {
  read: number;
  written: number;
  rejected: number;
  withHash: number;
  withoutHash: number;
  nameFromEmail: number;
  /** Written with a verified e-mail address and a hash: the only users who get no mail (service behaviour 2.6). */
  silent: number;
}

/** What became of the password rows: `read = used + superseded + unmatched + rejected`. */
export interface PasswordCounts {
  read: number;
  used: number;
  superseded: number;
  unmatched: number;
  rejected: number;
  /** Rows that hold no hash, whatever became of them. */
  withoutHash: number;
}

export function noUsers(): UserCounts {
  return { read: 0, written: 0, rejected: 0, withHash: 0, withoutHash: 0, nameFromEmail: 0, silent: 0 };
}

export function noPasswords(): PasswordCounts {
  return { read: 0, used: 0, superseded: 0, unmatched: 0, rejected: 0, withoutHash: 0 };
}
