// Synthetic realm exports of any size from a seed, written as Keycloak writes them: pretty-printed, about 1,100 bytes a user. 90 % have
// a password in argon2, 2 % one-time codes, 5 % an account at another provider alone, 20 % attributes, 2 % are disabled, 1 % were made
// to change the password, 1 % are service accounts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Lines, random } from "./generate.mjs";

const GENERATOR = 1;
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FIRST = ["Ann", "Bo", "Cyrus", "Dorothea", "Eve", "Frantz", "Gül", "Håkon", "Zoë", "王"];
const LAST = ["Smith", "Muster", "Nguyen", "García", "O'Neil", "Weiß", "Kowalska", "Svensson"];
const ARGON2 = JSON.stringify({
  hashIterations: 5,
  algorithm: "argon2",
  additionalParameters: { hashLength: ["32"], memory: ["7168"], type: ["id"], version: ["1.3"], parallelism: ["1"] },
});
const TOTP = JSON.stringify({ subType: "totp", digits: 6, counter: 0, period: 30, algorithm: "HmacSHA1" });

function text(length, next) {
  let made = "";
  for (let at = 0; at < length; at += 1) made += BASE64[(next() * 64) | 0];
  return made;
}

/** 16 bytes take 22 characters and 32 bytes 43; the last of them holds fewer bits. */
const base64 = (bytes, next) => (bytes === 16 ? `${text(21, next)}w==` : `${text(42, next)}8=`);
const uuid = (n, next) => {
  const hex = (digits) =>
    Math.floor(next() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return `${n.toString(16).padStart(8, "0")}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`;
};

function credentials(n, next) {
  const all = [];
  if (next() < 0.02) {
    const secretData = JSON.stringify({ value: text(20, next) });
    all.push({ id: uuid(n, next), type: "otp", createdDate: 1795284087580 + n, secretData, credentialData: TOTP });
  }
  if (next() < 0.9) {
    const secret = { value: base64(32, next), salt: base64(16, next), additionalParameters: {} };
    const secretData = JSON.stringify(secret);
    all.push({
      id: uuid(n, next),
      type: "password",
      createdDate: 1795284087580 + n,
      secretData,
      credentialData: ARGON2,
    });
  }
  return all;
}

function user(n, next) {
  const made = { id: uuid(n, next), username: `user.${n}` };
  if (n % 100 === 99) return { ...made, ...common(n, next), serviceAccountClientId: `client-${n}`, credentials: [] };
  made.firstName = FIRST[(next() * FIRST.length) | 0];
  made.lastName = LAST[(next() * LAST.length) | 0];
  made.email = `user.${n}@example-${n % 97}.com`;
  made.emailVerified = next() < 0.9;
  if (next() < 0.2) made.attributes = { locale: [next() < 0.5 ? "de" : "pt-BR"], department: ["R&D"] };
  Object.assign(made, common(n, next), { credentials: credentials(n, next) });
  if (next() < 0.05) {
    made.federatedIdentities = [{ identityProvider: "google", userId: `1${n}`, userName: made.email }];
  }
  if (next() < 0.01) made.requiredActions = ["UPDATE_PASSWORD"];
  return made;
}

const common = (n, next) => ({
  enabled: next() >= 0.02,
  createdTimestamp: 1795284087481 + n,
  totp: false,
  disableableCredentialTypes: [],
  requiredActions: [],
  realmRoles: ["default-roles-acme"],
  notBefore: 0,
  groups: [],
});

/** Makes the export of one size unless it is there, and returns its folder: `realm.json`, and gzip of up to a million users. */
export function generateKeycloak(root, users) {
  const folder = join(root, `keycloak-${users}-v${GENERATOR}`);
  const done = join(folder, "done");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  const next = random(users);
  const file = new Lines(join(folder, "realm.json"));
  file.add(
    '{\n  "id" : "7d3240f4-ba2c-4564-941a-a2c636cdb4ae",\n  "realm" : "acme",\n  "enabled" : true,\n  "users" : [\n',
  );
  for (let n = 0; n < users; n += 1) {
    const pretty = JSON.stringify(user(n, next), undefined, 2).replaceAll(/^( *"\w+"):/gm, "$1 :");
    file.add(`    ${pretty.replaceAll("\n", "\n    ")}${n === users - 1 ? "" : ","}\n`);
  }
  file.add('  ],\n  "keycloakVersion" : "26.7.3"\n}\n');
  file.close();
  if (users <= 2e5) {
    writeFileSync(join(folder, "realm.json.gz"), gzipSync(readFileSync(join(folder, "realm.json")), { level: 6 }));
  }
  writeFileSync(done, "");
  return folder;
}
