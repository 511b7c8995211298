import { type JsonObject, listAt, textAt } from "../http/json.ts";
import type { ImportContext, ImportStep } from "./import-context.ts";

/** One kind of texts of an organization. */
interface TextKind {
  /** The list of the document. */
  readonly list: string;
  /** The name in events. */
  readonly template: string;
  /** The name in the paths of the older API. */
  readonly path?: string;
}

const kinds: readonly TextKind[] = [
  { list: "loginTexts", template: "Login", path: "login" },
  { list: "initMessages", template: "InitCode", path: "init" },
  { list: "passwordResetMessages", template: "PasswordReset", path: "passwordreset" },
  { list: "verifyEmailMessages", template: "VerifyEmail", path: "verifyemail" },
  { list: "verifyPhoneMessages", template: "VerifyPhone", path: "verifyphone" },
  { list: "domainClaimedMessages", template: "DomainClaimed", path: "domainclaimed" },
  { list: "passwordlessRegistrationMessages", template: "PasswordlessRegistration", path: "passwordless_registration" },
  { list: "inviteUserMessages", template: "InviteUser" },
  { list: "verifySmsOtpMessages", template: "VerifySMSOTP", path: "verifysmsotp" },
  { list: "verifyEmailOtpMessages", template: "VerifyEmailOTP", path: "verifyemailotp" },
];

/** The list of texts that a path of the older API names. */
export function textListOf(path: string): string | undefined {
  return kinds.find((kind) => kind.path === path)?.list;
}

/** Texts of each language: a later entry replaces an earlier one (service behaviour 2.1). */
export const texts: readonly ImportStep[] = kinds.map(({ list, template }) => ({
  field: list,
  run(context, entry) {
    const { store, events, caller } = context;
    const { id } = orgFor(list, context);
    const language = textAt(entry, "language");
    store.change({ do: "put", org: id, field: list, key: language, entry });
    if (!events) return;
    // The service writes one event for each of its texts, with the key and the words; the mock writes one for all.
    const about = { aggregateType: "org", aggregateId: id, orgId: id, editor: caller.userId };
    store.push([{ ...about, type: "org.customtext.set", payload: { language, template } }]);
  },
}));

/** The real service writes texts of messages to the caller's organization (service behaviour 2.10; recording full 03). */
function orgFor(list: string, { traits, org, callerOrg }: ImportContext): ImportContext["org"] {
  return list === "loginTexts" || traits.importsAllTexts ? org : (callerOrg ?? org);
}

const neverImported = new Set(["verifyPhoneMessages", "verifySmsOtpMessages", "verifyEmailOtpMessages"]);

/** Whether the real service, which exports these texts, also imports them (service behaviour 2.10). */
export function isImportedByService(field: string, org: JsonObject): boolean {
  if (field === "inviteUserMessages") return listAt(org, "passwordlessRegistrationMessages").length > 0;
  return !neverImported.has(field);
}
