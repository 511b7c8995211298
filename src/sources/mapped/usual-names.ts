import type { Expression, Field } from "./fields.ts";

/** The names that databases, frameworks and applications give to the fields of a user, in English and German. Case, blanks, `_` and `-` do not count. */
export const usualNames: Readonly<Partial<Record<Field, Expression>>> = {
  userId:
    "id|user_id|uid|uuid|sub|external_id|benutzer_id|personalnummer|mitarbeiternummer|kundennummer|kundennr|mitgliedsnummer",
  userName:
    "username|user_name|login|user_login|benutzername|nutzername|anmeldename|email|mail|user_email|email_address|primary_email|email_adresse|mail_adresse",
  email: "email|mail|user_email|email_address|primary_email|email_adresse|mail_adresse",
  emailVerified:
    "email_verified|email_confirmed|email_verified_at|email_confirmed_at|confirmed_at|email_bestätigt|email_verifiziert",
  firstName: "first_name|given_name|vorname",
  lastName: "last_name|family_name|surname|sn|nachname|familienname",
  name: "name|full_name|display_name|cn",
  displayName: "display_name|full_name|anzeigename",
  nickName: "nickname|spitzname",
  language: "language|locale|lang|sprache",
  gender: "gender|geschlecht",
  phone:
    "phone|phone_number|mobile|mobile_phone|primary_phone|handy|handynummer|mobil|mobilnummer|mobiltelefon|telefon|telefonnummer",
  phoneVerified:
    "phone_verified|phone_confirmed|phone_number_verified|phone_number_confirmed|phone_verified_at|phone_confirmed_at",
  hash: "password_hash|encrypted_password|password_digest|hashed_password|user_pass|password_encrypted|password|passwort_hash|kennwort_hash|passwort|kennwort",
  hashKind: "hasher|password_hasher|algorithm|encryption_scheme|password_encryption_method",
  salt: "salt|password_salt",
  iterations: "iterations|factor",
  password: "plain_password|password|passwort|kennwort",
  totp: "totp_secret|otp_secret",
  state:
    "active|is_active|enabled|is_enabled|disabled|is_disabled|blocked|is_blocked|banned|suspended|is_suspended|locked_at|lockout_end|banned_until|status|aktiv|deaktiviert|inaktiv|gesperrt|konto_gesperrt|blockiert",
  deleted: "deleted_at|is_deleted|gelöscht|geloescht",
  anonymous: "is_anonymous",
};

/** A name as it is compared with others. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, "");
}

/** The most characters of a name. */
const MAX_NAME = 100;

/** False for what no name of a field is: an address, a hash, a date, a number, an id. It is about a user, and no message may have it. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME && !/@|\$|^\W*\d[\d\W]*$|^[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16}/i.test(text);
}
