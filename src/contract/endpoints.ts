/** Method and path of every call, shared by client and mock. spec: Endpoints; assumed ones are marked with their source. */
export const endpoints = {
  importData: { method: "POST", path: "/admin/v1/import" },
  exportData: { method: "POST", path: "/admin/v1/export" },
  /** service behaviour 1.8: the specification names the endpoint without its path. */
  searchEvents: { method: "POST", path: "/admin/v1/events/_search" },
  /** service behaviour 7: client credentials flow. */
  token: { method: "POST", path: "/oauth/v2/token" },
} as const;
