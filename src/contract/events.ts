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
  editor: z.object({ userId: z.string().optional() }).optional(),
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
