/** The endpoints that faults distinguish. */
export type EndpointName = "import" | "export" | "events" | "orgs" | "users" | "grpc" | "other";

/** A response with JSON. */
export interface PlainAnswer {
  readonly status: number;
  readonly body: unknown;
}

const paths: ReadonlyMap<string, EndpointName> = new Map([
  ["/admin/v1/import", "import"],
  ["/admin/v1/export", "export"],
  ["/admin/v1/events/_search", "events"],
  ["/admin/v1/orgs/_search", "orgs"],
]);

export function endpointOf(path: string): EndpointName {
  if (path.startsWith("/v2/users")) return "users";
  if (path.startsWith("/zitadel.admin.v1.AdminService/")) return "grpc";
  return paths.get(path) ?? "other";
}

export const forbidden: PlainAnswer = {
  status: 403,
  body: { code: 7, message: "No matching permissions found (AUTH-5mWD2)" },
};
export const notFound: PlainAnswer = { status: 404, body: { code: 5, message: "Not Found" } };
