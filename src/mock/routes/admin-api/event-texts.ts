/** The service's names of the events that the mock writes, in the two recorded languages (recordings 139, 151). */
const texts: Readonly<Record<string, readonly [english: string, german: string]>> = {
  user: ["User", "Benutzer"],
  org: ["Organization", "Organisation"],
  oidc_session: ["OIDC Session", "OIDC Session"],
  session: ["Session", "Session"],
  "org.added": ["Organization added", "Organisation hinzugefügt"],
  "org.domain.added": ["Domain added", "Domäne hinzugefügt"],
  "org.domain.primary.set": ["Primary domain set", "Primäre Domäne gesetzt"],
  "org.domain.verified": ["Domain verified", "Domäne verifiziert"],
  "org.member.added": ["Organization member added", "Organisationsmitglied hinzugefügt"],
  "org.removed": ["Organization removed", "Organisation entfernt"],
  "user.deactivated": ["User deactivated", "Benutzer deaktiviert"],
  "user.human.added": ["Person added", "Benutzer hinzugefügt"],
  "user.human.email.changed": ["Email address changed", "E-Mail-Adresse geändert"],
  "user.human.email.code.added": ["Email address verification code generated", "E-Mail Code generiert"],
  "user.human.email.verified": ["Email address verified", "E-Mail-Adresse verifiziert"],
  "user.human.externalidp.added": ["External IDP added", "Externer IDP wurde hinzugefügt"],
  "user.human.initialization.code.added": ["Initialization code generated", "Initialisierungscode generiert"],
  "user.human.mfa.otp.added": ["Multifactor OTP added", "Multifaktor OTP hinzugefügt"],
  "user.human.mfa.otp.verified": ["Multifactor OTP verified", "Multifaktor OTP verifiziert"],
  "user.human.password.changed": ["Password changed", "Passwort geändert"],
  "user.human.password.check.failed": ["Password check failed", "Passwortvalidierung fehlgeschlagen"],
  "user.human.password.check.succeeded": ["Password check succeeded", "Passwortvalidierung erfolgreich"],
  "user.human.password.hash.updated": ["Password hash updated", "Passwort Hash geändert"],
  "user.human.passwordless.initialization.code.added": [
    "Passwordless initialization code added",
    "Passwortlos Initialisierungsode wurde hinzugefügt",
  ],
  "user.human.phone.changed": ["Phone number changed", "Telefonnummer geändert"],
  "user.human.phone.code.added": ["Phone number code generated", "Telefon Code hinzugefügt"],
  "user.human.phone.verified": ["Phone number verified", "Telefonnummer verifiziert"],
  "user.human.profile.changed": ["User profile changed", "Benutzerprofil geändert"],
  "user.locked": ["User locked", "Benutzer gesperrt"],
  "user.machine.added": ["Technical user added", "Technischer Benutzer hinzugefügt"],
  "user.machine.secret.check.succeeded": ["Secret check succeeded", "Secret Validierung erfolgreich"],
  "user.metadata.removed": ["User metadata removed", "Benutzer Metadaten gelöscht"],
  "user.metadata.set": ["User metadata set", "Benutzer Metadaten gesetzt"],
  "user.reactivated": ["User reactivated", "Benutzer reaktiviert"],
  "user.removed": ["User removed", "Benutzer entfernt"],
  "user.unlocked": ["User unlocked", "Benutzer entsperrt"],
  "user.username.changed": ["Username changed", "Benutzername geändert"],
};

/** The text for a type of events or aggregates in the caller's language; its key where there is none. */
export function localized(key: string, type: string, acceptLanguage: string | undefined): string {
  const [english = key, german = key] = texts[type] ?? [];
  return /^de\b/i.test(acceptLanguage ?? "") ? german : english;
}
