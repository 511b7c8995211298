import type { Expression, Field } from "./fields.ts";

/** The names that databases, frameworks and applications give to the fields of a user, in English and German. What `plainName` removes does not count. */
export const usualNames: Readonly<Partial<Record<Field, Expression>>> = {
  userId:
    "id|user_id|uid|uuid|sub|external_id|user_no|user_number|customer_id|customer_no|customer_number|employee_id|employee_no|employee_number|staff_id|staff_no|staff_number|personnel_no|personnel_number|member_id|member_no|member_number|membership_no|membership_number|benutzer_id|benutzer_nr|benutzernummer|nutzer_id|personal_nr|personalnummer|pers_nr|mitarbeiter_id|mitarbeiter_nr|mitarbeiternummer|kunden_id|kunden_nr|kundennummer|kd_nr|mitglieds_id|mitglieds_nr|mitglied_nr|mitgliedsnummer",
  userName:
    "username|user_name|login|login_name|user_login|benutzername|nutzername|anmeldename|email|mail|user_email|email_address|mail_address|primary_email|work_email|email_adresse|mail_adresse",
  email: "email|mail|user_email|email_address|mail_address|primary_email|work_email|email_adresse|mail_adresse",
  emailVerified:
    "email_verified|email_confirmed|is_email_verified|is_email_confirmed|email_verified_at|email_confirmed_at|confirmed_at|email_bestätigt|email_verifiziert|email_adresse_bestätigt|email_adresse_verifiziert|mail_bestätigt|mail_verifiziert|email_bestaetigt|bestätigt|bestaetigt|verifiziert|bestätigt_am|bestaetigt_am|verifiziert_am",
  firstName: "first_name|given_name|forename|vorname|rufname",
  lastName: "last_name|family_name|surname|sn|nachname|familienname|zuname",
  name: "name|full_name|display_name|cn",
  displayName: "display_name|full_name|anzeigename",
  nickName: "nickname|spitzname",
  language: "language|preferred_language|locale|lang|sprache",
  gender: "gender|geschlecht",
  phone:
    "phone|phone_number|phone_no|mobile|mobile_phone|mobile_number|mobile_no|cell_phone|primary_phone|telephone|telephone_number|tel|tel_no|handy|handy_nr|handynummer|mobil|mobil_nr|mobilnummer|mobiltelefon|telefon|telefon_nr|telefonnummer|tel_nr|rufnummer",
  phoneVerified:
    "phone_verified|phone_confirmed|phone_number_verified|phone_number_confirmed|phone_verified_at|phone_confirmed_at",
  hash: "password_hash|pass_hash|pw_hash|encrypted_password|password_digest|hashed_password|user_pass|password_encrypted|password|passwort_hash|kennwort_hash|passwort|kennwort|hash",
  hashKind:
    "hasher|password_hasher|algorithm|hash_algorithm|password_algorithm|hash_type|hash_kind|hash_method|encryption_scheme|password_encryption_method|verfahren|hash_verfahren|passwort_verfahren|algorithmus|hash_algorithmus|hash_typ|hash_art",
  salt: "salt|password_salt|pass_salt|pw_salt|hash_salt|passwort_salt|kennwort_salt|salz|passwort_salz|kennwort_salz|hash_salz|sel|streuwert|passwort_streuwert|kennwort_streuwert|hash_streuwert|seed|password_seed|pass_seed|pw_seed|hash_seed",
  iterations: "iterations|factor",
  password: "plain_password|password|passwort|kennwort",
  totp: "totp_secret|otp_secret",
  state:
    "active|is_active|enabled|is_enabled|disabled|is_disabled|blocked|is_blocked|banned|suspended|is_suspended|is_banned|locked|is_locked|account_locked|locked_at|lockout_end|banned_until|status|status_code|status_name|account_status|user_status|kontostatus|benutzerstatus|aktiv|deaktiviert|inaktiv|gesperrt|ist_gesperrt|konto_gesperrt|gesperrt_am|gesperrt_seit|gesperrt_bis|sperrdatum|kontosperre|blockiert",
  deleted: "deleted_at|is_deleted|gelöscht|geloescht",
  anonymous: "is_anonymous",
};

/**
 * A name as it is compared with others: without case, blanks, `_` and `-`, and without dots and colons at the end of its words (`Kunden-Nr.`).
 * Others stand before the parts of a path (`profile.email`).
 */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[.:]+(?=[\s_-]|$)|[\s_-]+/g, "");
}

/** Keys of the text of a value that is an object, such as that of a list of states. */
const OF_VALUES: ReadonlySet<string> = new Set([
  "name",
  "code",
  "value",
  "label",
  "key",
  "text",
  "wert",
  "bezeichnung",
]);
const STATES: ReadonlySet<string> = new Set(
  [usualNames.state, usualNames.deleted].flatMap((names = "") => names.split("|").map(plainName)),
);

/** The key that says what stands in a path: the last one, or that of a state which is an object (`status` of `status.name`). */
export function keyOf(path: string): string {
  const [last = "", parent = ""] = path.split(".").reverse();
  return OF_VALUES.has(plainName(last)) && STATES.has(plainName(parent)) ? parent : last;
}

/** What has a name, an id, an address or a state of its own, and is not the user. */
const OF_OTHERS =
  /^(?:org|organi[sz]ation|company|firma|tenant|team|group|gruppe|role|rolle|dep(?:artmen)?t|abt(?:eilung)?|bereich|standort|site|location|job|position|manager|vorgesetzter?|parent|project|projekt|address|adresse)(?:e?[sn])?$/;

/** True for a key of a path whose object is about something else than the user. */
export function isOfOther(key: string): boolean {
  return OF_OTHERS.test(plainName(key));
}

/** The most characters of a name. */
const MAX_NAME = 100;

/** False for what no name of a field is: an address, a hash, a date, a number, an id. It is about a user, and no message may have it. */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME && !/@|\$|^\W*\d[\d\W]*$|^[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{16}/i.test(text);
}
