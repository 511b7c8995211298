import type { IncomingHttpHeaders } from "node:http";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "./answer.ts";

/** What a request may be refused for before anything of it is looked at. */
export interface GuardedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Steers or shows the mock itself. */
  readonly isControl: boolean;
  /** The name or address it was told to listen on. */
  readonly listensOn: string;
}

/**
 * Steering and looking take no token, so that they are for this machine and this server's own pages alone: a page of elsewhere
 * in a browser must not reach them, neither by its own origin nor by a name that it bound to this address. Everything else has
 * a token, and answers names that are not this instance's as the real service does (recording 120).
 */
export function guard({ headers, isControl, listensOn }: GuardedRequest): Answer | undefined {
  const host = headers.host ?? "";
  const isOwn = isLoopback(nameOf(host)) || nameOf(host) === listensOn;
  if (!isControl) return isOwn || !isLoopback(listensOn) ? undefined : unknownInstance(host, listensOn);
  if (!isOwn) return forbidden(`the host name ${JSON.stringify(host)} is not this machine's`);
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return forbidden("it comes from a page of another origin");
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // A link to the console is followed from anywhere: that shows the page to who clicked, and to nobody else.
  return headers["sec-fetch-mode"] === "navigate" ? undefined : forbidden("it comes from a page of another site");
}

function nameOf(host: string): string {
  return host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}

/** Whether a name or address can only mean this machine. */
export function isLoopback(name: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}

function forbidden(reason: string): Answer {
  return jsonAnswer({ code: 7, message: `This request is refused: ${reason}.` }, 403);
}

function unknownInstance(host: string, domain: string): Answer {
  const hint = "Make sure you got the domain right. Check out https://zitadel.com/docs/apis/introduction#domains";
  const parent = `unable to get instance by host: instanceHost ${host}, publicHost : ID=QUERY-1kIjX Message=Errors.IAM.NotFound`;
  const cause = `ID=QUERY-1kIjX Message=Instance not found. ${hint} Parent=(${parent})`;
  const message = `unable to set instance using origin &{${host}  http} (ExternalDomain is ${domain}): ${cause}`;
  return refusalAnswer(new Refusal("notFound", message));
}
