/** gRPC codes of the answers that mean something to us, with the HTTP status the gateway gives them (service behaviour 2.8). */
export const grpcCodes = {
  canceled: { code: 1, status: 499 },
  unknown: { code: 2, status: 500 },
  invalidArgument: { code: 3, status: 400 },
  deadlineExceeded: { code: 4, status: 504 },
  notFound: { code: 5, status: 404 },
  alreadyExists: { code: 6, status: 409 },
  permissionDenied: { code: 7, status: 403 },
  resourceExhausted: { code: 8, status: 429 },
  failedPrecondition: { code: 9, status: 400 },
  unimplemented: { code: 12, status: 501 },
  internal: { code: 13, status: 500 },
  unavailable: { code: 14, status: 503 },
  unauthenticated: { code: 16, status: 401 },
} as const;
