import { digits, hexDigits, letters, type Random } from "../random.ts";

const upper = letters.toUpperCase();
const bcrypt64 = `./${upper}${letters}${digits}`;
const base32 = `${upper}234567`;

/** Marked secrets of one trial: none of them may be found anywhere but where it belongs. */
export class Secrets {
  readonly #values = new Set<string>();

  get all(): ReadonlySet<string> {
    return this.#values;
  }

  mark(value: string): string {
    this.#values.add(value);
    return value;
  }

  bcrypt(random: Random): string {
    return this.mark(
      `$2${random.pick(["a", "b", "y"])}$${random.pick(["04", "10", "12"])}$${random.text(bcrypt64, 53)}`,
    );
  }

  /** Any form that an export may hold; the service looks at none of them. */
  hash(random: Random): string {
    const salt = random.text(bcrypt64, 22);
    const sum = random.text(bcrypt64.replace("./", "+/"), 43);
    const forms = [
      () => this.bcrypt(random),
      () => this.bcrypt(random),
      () => this.mark(`$argon2id$v=19$m=65536,t=3,p=4$${salt.replace(/[./]/g, "A")}$${sum}`),
      () => this.mark(`$pbkdf2-sha256$27500$${salt}$${sum}`),
      () => this.mark(`$scrypt$ln=16,r=8,p=1$${salt}$${sum}`),
      () => this.mark(`$md5$${salt}$${random.text(hexDigits, 32)}`),
      () => this.mark(`$P$B${random.text(bcrypt64, 30)}`),
      () => this.mark(`$5$rounds=5000$${salt.slice(0, 12)}$${random.text(bcrypt64, 43)}`),
    ];
    return random.pick(forms)();
  }

  otp(random: Random): string {
    return this.mark(random.text(base32, random.pick([16, 26, 32])));
  }

  /** A password that the default policy of the service accepts. */
  plain(random: Random): string {
    return this.mark(
      `${random.text(letters, 6)}-A1${random.text(digits + upper, 8)}${random.pick(["!", "ü", "&", '"', " x"])}`,
    );
  }

  token(random: Random): string {
    return this.mark(random.text(bcrypt64.replace("./", "-_"), random.pick([32, 71])));
  }
}

/** How a service or a proxy may hand a secret back. */
export const disguises: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => Buffer.from(secret).toString("base64"),
  (secret) => Buffer.from(secret).toString("base64url"),
  (secret) => Buffer.from(secret).toString("hex"),
  (secret) => encodeURIComponent(secret),
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => `Bearer ${secret}`,
];
