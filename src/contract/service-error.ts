import * as z from "zod";
import { grpcCodes } from "./grpc-codes.ts";

/** Error body of a refused call. assumed: service behaviour 2.8; `code` is a gRPC number, details may be missing. */
export const ServiceError = z.object({
  code: z.number().int(),
  message: z.string().default(""),
  details: z.array(z.looseObject({ id: z.string().optional(), message: z.string().optional() })).optional(),
});
export type ServiceError = z.infer<typeof ServiceError>;

/** A refusal inside another one (service behaviour 9.6): the name of its gRPC code, and its message. */
const WRAPPED = /^rpc error: code = (\w+) desc = (.*?)(?: \(\))?$/s;

/**
 * A refusal with its own code and status. Versions 4.11 to 4.13 answer some with 500 code 2 and put the code into the message (service
 * behaviour 9.6).
 */
export function unwrapError(
  status: number,
  error: ServiceError,
): { readonly status: number; readonly error: ServiceError } {
  const [, name = "", message = ""] =
    status === grpcCodes.unknown.status && error.code === grpcCodes.unknown.code
      ? (WRAPPED.exec(error.message) ?? [])
      : [];
  const known = Object.entries(grpcCodes).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return known === undefined
    ? { status, error }
    : { status: known.status, error: { ...error, code: known.code, message } };
}
