import * as z from "zod";

const View = z.object({ viewName: z.string().default(""), eventTimestamp: z.string().default("") });
/** A reader of the event log, and the creation date of the last event that it has read (service behaviour 9.15). */
export type View = z.infer<typeof View>;

/** Answer to `POST /admin/v1/views/_search`. assumed: service behaviour 9.15. */
export const ViewSearchResult = z.object({ result: z.array(View).default([]) });
