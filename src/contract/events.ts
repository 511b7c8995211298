import * as z from "zod";

/** Body of `POST /admin/v1/events/_search`. assumed: service behaviour 1.8 and 3. */
export const EventsRequest = z.object({
  limit: z.number().int().optional(),
  asc: z.boolean().optional(),
  from: z.string().optional(),
  range: z.object({ since: z.string().optional(), until: z.string().optional() }).optional(),
  event_types: z.array(z.string()).optional(),
  aggregate_types: z.array(z.string()).optional(),
  aggregate_id: z.string().optional(),
  resource_owner: z.string().optional(),
  editor_user_id: z.string().optional(),
  sequence: z.union([z.string(), z.number()]).optional(),
});
export type EventsRequest = z.infer<typeof EventsRequest>;

/** The members of an event that orgferry reads. The payload may hold a hash, which is compared and never shown (service behaviour 0.19a). */
export const ServiceEvent = z.object({
  aggregate: z.object({ id: z.string().default(""), resourceOwner: z.string().default("") }),
  sequence: z.string().default("0"),
  creationDate: z.string().default(""),
  type: z.object({ type: z.string().default("") }),
  /** The user who caused it; absent for events of the setup of the instance (tried on versions 2.62 and 4). */
  editor: z.object({ userId: z.string().optional(), displayName: z.string().optional() }).optional(),
  payload: z.unknown().optional(),
});
export type ServiceEvent = z.infer<typeof ServiceEvent>;

/** No hits: `{}` (service behaviour 3). */
export const EventsResult = z.object({ events: z.array(ServiceEvent).default([]) });
export type EventsResult = z.infer<typeof EventsResult>;

const View = z.object({ viewName: z.string().default(""), eventTimestamp: z.string().default("") });
/** A reader of the event log, and the creation date of the last event that it has read (service behaviour 9.15). */
export type View = z.infer<typeof View>;

/** Answer to `POST /admin/v1/views/_search`. assumed: service behaviour 9.15. */
export const ViewSearchResult = z.object({ result: z.array(View).default([]) });

/** Answer to `POST /admin/v1/events/types/_search` (service behaviour 1.8). */
export const EventTypesResult = z.object({ eventTypes: z.array(z.object({ type: z.string() })).default([]) });

/** The types of the changes of a person's profile and addresses, and of a user's state. */
export const personEvents = [
  "user.human.profile.changed",
  "user.human.email.changed",
  "user.human.email.verified",
  "user.human.phone.changed",
  "user.human.phone.verified",
  "user.human.phone.removed",
] as const;
export const stateEvents = ["user.locked", "user.unlocked", "user.deactivated", "user.reactivated"] as const;

/**
 * The types of the events of users and their grants, of versions up to 4.15 (service behaviour 9.27). What a newer type changes is not
 * known.
 */
export const userEventTypes: ReadonlySet<string> = new Set(
  `
  added address.changed deactivated domain.claimed domain.claimed.sent email.changed email.code.added email.code.sent
  email.verification.failed email.verified grant.added grant.cascade.changed grant.cascade.removed grant.changed
  grant.deactivated grant.reactivated grant.removed human.added human.address.changed human.avatar.added
  human.avatar.removed human.email.changed human.email.code.added human.email.code.sent
  human.email.verification.failed human.email.verified human.externalidp.added human.externalidp.cascade.removed
  human.externalidp.id.migrated human.externalidp.removed human.externalidp.username.changed
  human.externallogin.check.succeeded human.initialization.check.failed human.initialization.check.succeeded
  human.initialization.code.added human.initialization.code.sent human.invite.check.failed
  human.invite.check.succeeded human.invite.code.added human.invite.code.sent human.mfa.init.skipped
  human.mfa.otp.added human.mfa.otp.check.failed human.mfa.otp.check.succeeded human.mfa.otp.email.added
  human.mfa.otp.email.check.failed human.mfa.otp.email.check.succeeded human.mfa.otp.email.code.added
  human.mfa.otp.email.code.sent human.mfa.otp.email.removed human.mfa.otp.removed human.mfa.otp.sms.added
  human.mfa.otp.sms.check.failed human.mfa.otp.sms.check.succeeded human.mfa.otp.sms.code.added
  human.mfa.otp.sms.code.sent human.mfa.otp.sms.removed human.mfa.otp.verified human.mfa.recoverycode.added
  human.mfa.recoverycode.check.failed human.mfa.recoverycode.check.succeeded human.mfa.recoverycode.removed
  human.mfa.u2f.token.added human.mfa.u2f.token.begin.login human.mfa.u2f.token.check.failed
  human.mfa.u2f.token.check.succeeded human.mfa.u2f.token.removed human.mfa.u2f.token.signcount.changed
  human.mfa.u2f.token.verified human.password.change.sent human.password.changed human.password.check.failed
  human.password.check.succeeded human.password.code.added human.password.code.sent human.password.hash.updated
  human.passwordless.initialization.code.added human.passwordless.initialization.code.check.failed
  human.passwordless.initialization.code.check.succeeded human.passwordless.initialization.code.requested
  human.passwordless.initialization.code.sent human.passwordless.token.added human.passwordless.token.begin.login
  human.passwordless.token.check.failed human.passwordless.token.check.succeeded human.passwordless.token.removed
  human.passwordless.token.signcount.changed human.passwordless.token.verified human.phone.changed
  human.phone.code.added human.phone.code.sent human.phone.removed human.phone.verification.failed
  human.phone.verified human.profile.changed human.refresh.token.added human.refresh.token.removed
  human.refresh.token.renewed human.selfregistered human.signed.out impersonated initialization.check.failed
  initialization.check.succeeded initialization.code.added initialization.code.sent locked machine.added
  machine.changed machine.key.added machine.key.removed machine.secret.check.failed machine.secret.check.succeeded
  machine.secret.removed machine.secret.set machine.secret.updated metadata.removed metadata.removed.all metadata.set
  mfa.otp.added mfa.otp.check.failed mfa.otp.check.succeeded mfa.otp.init.skipped mfa.otp.removed mfa.otp.verified
  password.changed password.check.failed password.check.succeeded password.code.added password.code.sent pat.added
  pat.removed phone.changed phone.code.added phone.code.sent phone.removed phone.verification.failed phone.verified
  profile.changed reactivated removed selfregistered signed.out token.added token.removed token.v2.added unlocked
  username.changed
  `
    .trim()
    .split(/\s+/)
    .map((type) => `user.${type}`),
);
