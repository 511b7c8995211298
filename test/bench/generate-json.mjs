// Synthetic identities of Ory Kratos of any size from a seed, about 900 bytes each: 90 % have a bcrypt hash, 30 % a department, 2 % are
// inactive, 10 % have an address that is not verified.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash, Lines, random } from "./generate.mjs";

const GENERATOR = 1;
const FIRST = ["Ann", "Bo", "Cyrus", "Dorothea", "Eve", "Frantz", "Gül", "Håkon", "Zoë", "王"];
const LAST = ["Smith", "Muster", "Nguyen", "García", "O'Neil", "Weiß", "Kowalska", "Svensson"];

const of = (all, next) => all[(next() * all.length) | 0];
const uuid = (kind, n) => `9f425a8d-7efc-4768-8${kind}-${n.toString(16).padStart(12, "0")}`;

function identity(n, next) {
  const value = `user.${n}@example-${n % 97}.com`;
  const verified = next() < 0.9;
  const at = "2024-03-01T09:00:00Z";
  const password = {
    type: "password",
    identifiers: [value],
    config: { hashed_password: hash(next) },
    version: 0,
    created_at: at,
    updated_at: at,
  };
  const traits = { email: value, name: { first: of(FIRST, next), last: of(LAST, next) } };
  if (next() < 0.3) traits.department = "Sales";
  return {
    id: uuid("a01", n),
    schema_id: "person",
    schema_url: "https://auth.example.com/schemas/cGVyc29u",
    state: next() < 0.02 ? "inactive" : "active",
    state_changed_at: at,
    traits,
    verifiable_addresses: [
      { id: uuid("a02", n), value, verified, via: "email", status: verified ? "completed" : "pending" },
    ],
    recovery_addresses: [{ id: uuid("a03", n), value, via: "email" }],
    metadata_public: null,
    created_at: at,
    updated_at: at,
    credentials: next() < 0.9 ? { password } : {},
  };
}

/** Makes the identities of one size unless they are there, and returns their folder: `users.ndjson`, and `users.json`, an array. */
export function generateJson(root, users) {
  const folder = join(root, `json-${users}-v${GENERATOR}`);
  const done = join(folder, "done");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const next = random(users);
  const lines = new Lines(join(folder, "users.ndjson"));
  const array = new Lines(join(folder, "users.json"));
  for (let n = 0; n < users; n += 1) {
    const one = JSON.stringify(identity(n, next));
    lines.add(`${one}\n`);
    array.add(`${n === 0 ? "[" : ",\n"}${one}`);
  }
  array.add("]\n");
  lines.close();
  array.close();
  writeFileSync(done, "");
  return folder;
}
