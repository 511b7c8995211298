import type { IncomingHttpHeaders } from "node:http";
import { type Answer, jsonAnswer, Refusal, refusalAnswer } from "./answer.ts";

/** The name or address that a server listens on, and the words for an unknown host name. */
interface Listening {
  readonly listensOn: string;
  readonly traits: { readonly hostError: "by host" | "by domain" | "without cause" };
}

/**
 * The mock's own paths need no token, so only this machine and this server's own pages may call them. A foreign page in a browser
 * must not reach them, neither from its own origin nor by a host name that it bound to this address. All other paths need a token,
 * and answer an unknown host name as the real service does (recording 120).
 */
export function guard(headers: IncomingHttpHeaders, isControl: boolean, instance: Listening): Answer | undefined {
  const { listensOn } = instance;
  const host = headers.host ?? "";
  const isOwn = isLoopback(nameOf(host)) || nameOf(host) === listensOn;
  if (!isControl) return isOwn || !isLoopback(listensOn) ? undefined : unknownInstance(host, instance);
  if (!isOwn) return forbidden(`the host name ${JSON.stringify(host)} is not this machine's`);
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`) return forbidden("it comes from a page of another origin");
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // A link from a foreign page to the console is harmless: only the user who clicks it sees the page.
  return headers["sec-fetch-mode"] === "navigate" ? undefined : forbidden("it comes from a page of another site");
}

function nameOf(host: string): string {
  return host
    .replace(/:\d+$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .toLowerCase();
}

/** Whether a name or address is always this machine. */
export function isLoopback(name: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}

function forbidden(reason: string): Answer {
  return jsonAnswer({ code: 7, message: `This request is refused: ${reason}.` }, 403);
}

function unknownInstance(host: string, { listensOn, traits }: Listening): Answer {
  const hint = "Make sure you got the domain right. Check out https://zitadel.com/docs/apis/introduction#domains";
  const name = nameOf(host);
  const parents: Readonly<Record<typeof traits.hostError, string>> = {
    "by host": ` Parent=(unable to get instance by host: instanceHost ${host}, publicHost : ID=QUERY-1kIjX Message=Errors.IAM.NotFound)`,
    "by domain": ` Parent=(unable to get instance by domain: instanceDomain ${name}, publicHostname ${name}: ID=QUERY-1kIjX Message=Errors.Instance.NotFound)`,
    "without cause": "",
  };
  const cause = `ID=QUERY-1kIjX Message=Instance not found. ${hint}${parents[traits.hostError]}`;
  const message = `unable to set instance using origin &{${host}  http} (ExternalDomain is ${listensOn}): ${cause}`;
  return refusalAnswer(new Refusal("notFound", message));
}
