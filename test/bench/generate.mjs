// Synthetic exports of any size from a seed: profile rows of about 260 bytes and password rows of about 340, as Auth0 writes
// them. 90 % of the database users have a password row, shuffled; 3 % can be joined by e-mail address alone; in 5 % the address has
// another case; every fifth user signs in with another provider; 20 % of the names are not ASCII. The dirty variant adds 1 % of each kind of bad row.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const GENERATOR = 5;
const ALPHABET = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const FIRST = [
  "Ann",
  "Bo",
  "Cyrus",
  "Dorothea",
  "Eve",
  "Frantz",
  "Gül",
  "Håkon",
  "İpek",
  "Jürgen",
  "Zoë",
  "王",
  "Łukasz",
];
const LAST = ["Smith", "Muster", "Nguyen", "García", "O'Neil", "Weiß", "Kowalska", "Svensson", "Brown", "Papadopoulos"];

/** A small fast generator (mulberry32); the same seed gives the same files on every machine. */
export function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every fifth user signs in with another provider, and 1 % of those have a password row that belongs to nobody. */
const isSocial = (n) => n % 5 === 4;
const hex = (n, digits) => n.toString(16).padStart(digits, "0");
const oid = (n) => `${hex(0x5f7c8ec7 + (n >>> 4), 8)}c33c6c${hex((n * 2654435761) >>> 0, 8)}${hex(n & 0xff, 2)}`;

/** A bcrypt hash of nothing. */
export function hash(next) {
  let text = "$2b$10$";
  for (let at = 0; at < 53; at += 1) text += ALPHABET[(next() * 64) | 0];
  return text;
}

function profile(n, next) {
  const first = next() < 0.2 ? FIRST[6 + ((next() * 7) | 0)] : FIRST[(next() * 6) | 0];
  const last = LAST[(next() * LAST.length) | 0];
  const row = { user_id: `auth0|${oid(n)}`, email: `user.${n}@example-${n % 97}.com`, email_verified: next() < 0.9 };
  if (isSocial(n)) row.user_id = `google-oauth2|1${String(n).padStart(20, "0")}`;
  row.name = `${first} ${last}`;
  if (next() < 0.7) Object.assign(row, { given_name: first, family_name: last });
  if (next() < 0.7) row.nickname = `user.${n}`;
  if (next() < 0.5)
    row.identities = [
      { user_id: oid(n), provider: "auth0", connection: "Username-Password-Authentication", isSocial: false },
    ];
  return row;
}

function password(n, user, next) {
  const byEmail = next() < 0.03;
  const address = next() < 0.05 ? user.email.toUpperCase() : user.email;
  return {
    _id: { $oid: byEmail ? oid(n + 500_000_000) : oid(n) },
    email_verified: user.email_verified,
    email: address,
    passwordHash: hash(next),
    password_set_date: { $date: new Date(1.5e12 + n * 1000).toISOString() },
    tenant: "example",
    connection: "Username-Password-Authentication",
    _tmp_is_unique: true,
  };
}

/** Bad rows, one kind after the other: JSON cut off, bad address, no id, duplicate id, duplicate address, escapes, CRLF. */
function dirtyProfile(text, kind, first) {
  const row = JSON.parse(text);
  switch (kind) {
    case 0:
      return text.slice(0, -9);
    case 1:
      return JSON.stringify({ ...row, email: "not an address" });
    case 2:
      return JSON.stringify({ ...row, user_id: undefined });
    case 3:
      return JSON.stringify({ ...row, user_id: first.user_id });
    case 4:
      return JSON.stringify({ ...row, email: first.email.toUpperCase() });
    case 5:
      return JSON.stringify({ ...row, name: `"${row.name}" \\ ${row.name}` });
    default:
      return `${text}\r`;
  }
}

function dirtyPassword(text, kind) {
  switch (kind) {
    case 0:
      return text.slice(0, -5);
    case 1:
      return text.replace("$2b$10$", "$2x$10$");
    case 2:
      return text.replace('{"$oid":"', '{"$oid":5,"x":"');
    case 3:
      return text.replace("$2b$10$", "$2b$10$$");
    default:
      return `${text}\r`;
  }
}

/** A file that is written line by line, and has its name when it is whole. */
export class Lines {
  #fd;
  #path;
  #text = "";
  constructor(path) {
    this.#path = path;
    this.#fd = openSync(`${path}.part`, "w");
  }
  add(text) {
    this.#text += text;
    if (this.#text.length > 1e6) this.#flush();
  }
  #flush() {
    writeSync(this.#fd, this.#text);
    this.#text = "";
  }
  close() {
    this.#flush();
    closeSync(this.#fd);
    renameSync(`${this.#path}.part`, this.#path);
  }
}

/** Makes the files of one size unless they are there, and returns where. */
export function generate(root, users, { dirty = false } = {}) {
  const folder = join(root, `${users}${dirty ? "-dirty" : ""}-v${GENERATOR}`);
  const done = join(folder, "done");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const next = random(users);
  const ndjson = new Lines(join(folder, "users.ndjson"));
  const array = dirty ? undefined : new Lines(join(folder, "users.json"));
  const order = new Uint32Array(users);
  let first;
  for (let n = 0; n < users; n += 1) {
    order[n] = n;
    const row = profile(n, next);
    first ??= row;
    let text = JSON.stringify(row);
    if (dirty && n % 100 < 7 && n > 0) text = dirtyProfile(text, n % 100, first);
    ndjson.add(`${text}\n`);
    array?.add(`${n === 0 ? "[" : ",\n"}${text}`);
  }
  array?.add("]\n");
  ndjson.close();
  array?.close();
  for (let n = users - 1; n > 0; n -= 1) {
    const other = (next() * (n + 1)) | 0;
    [order[n], order[other]] = [order[other], order[n]];
  }
  const passwords = new Lines(join(folder, "passwords.ndjson"));
  order.forEach((n, at) => {
    if (next() >= (isSocial(n) ? 0.01 : 0.9)) return;
    const user = { email: `user.${n}@example-${n % 97}.com`, email_verified: next() < 0.9 };
    let text = JSON.stringify(password(n, user, next));
    if (dirty && at % 100 < 5) text = dirtyPassword(text, at % 100);
    passwords.add(`${text}\n`);
  });
  passwords.close();
  if (!dirty && users <= 1e6) {
    for (const name of ["users.ndjson", "passwords.ndjson"]) {
      writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 6 }));
    }
  }
  writeFileSync(done, "");
  return folder;
}
