// Synthetic tables of any size from a seed, with the columns of Clerk's user export, about 210 bytes a user: 90 % have a bcrypt hash, 10 % of
// the names need quotes, 20 % have a phone number, 5 % a second address, 2 % one-time codes, 20 % of the names are not ASCII.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { hash, Lines, random } from "./generate.mjs";

const GENERATOR = 1;
const COLUMNS =
  "id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses,unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher";
const FIRST = ["Ann", "Bo", "Cyrus", "Dorothea", "Eve", "Frantz", "Gül", "Håkon", "Zoë", "王"];
const LAST = [
  "Smith",
  "Muster",
  "Nguyen",
  "García",
  "O'Neil",
  "Weiß",
  "Kowalska",
  "Svensson",
  "Brown, Jr.",
  'de "Witt"',
];

const quoted = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const of = (all, next) => all[(next() * all.length) | 0];

function row(n, next) {
  const email = `user.${n}@example-${n % 97}.com`;
  const isVerified = next() < 0.9;
  const phone = next() < 0.2 ? `+4179${String(1_000_000 + (n % 9_000_000))}` : "";
  const others = next() < 0.05 ? `|second.${n}@example.org` : "";
  const password = next() < 0.9 ? [hash(next), "bcrypt"] : ["", ""];
  return [
    `user_2${n.toString(36).padStart(26, "0")}`,
    of(FIRST, next),
    quoted(of(LAST, next)),
    next() < 0.3 ? `user.${n}` : "",
    email,
    phone,
    isVerified ? email + others : "",
    isVerified ? "" : email,
    phone,
    "",
    next() < 0.02 ? "JBSWY3DPEHPK3PXP" : "",
    ...password,
  ].join(",");
}

/** Makes the table of one size unless it is there, and returns its folder: `users.csv`, and gzip of up to a million users. */
export function generateCsv(root, users) {
  const folder = join(root, `csv-${users}-v${GENERATOR}`);
  const done = join(folder, "done");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const next = random(users);
  const file = new Lines(join(folder, "users.csv"));
  file.add(`${COLUMNS}\n`);
  for (let n = 0; n < users; n += 1) file.add(`${row(n, next)}\n`);
  file.close();
  if (users <= 1e6) {
    writeFileSync(join(folder, "users.csv.gz"), gzipSync(readFileSync(join(folder, "users.csv")), { level: 6 }));
  }
  writeFileSync(done, "");
  return folder;
}
