import { type AddressFault, type Peer, ProblemError } from "../problem.ts";

/** The address of an instance. */
export interface InstanceAddress {
  /** Scheme, host and port; a journal is bound to it. */
  readonly origin: string;
  /** Host and port, for people. */
  readonly host: string;
  /** Origin and path prefix without a slash at the end: paths are appended. */
  readonly base: string;
  readonly isLoopback: boolean;
}

/**
 * Reads an address that a user gives: the scheme is optional (https), a path prefix of an instance is kept. Plain http is accepted only for a
 * loopback address, unless `insecureHttp`. Raises usage.bad-address, which does not repeat the text.
 */
export function parseAddress(text: string, side: Peer, insecureHttp: boolean): InstanceAddress {
  const url = readUrl(unquoted(text));
  const fault =
    textFault(unquoted(text)) ?? (url === undefined ? "not-an-address" : addressFault(url, side, insecureHttp));
  if (url === undefined || fault !== undefined) {
    throw new ProblemError({ code: "usage.bad-address", side, fault: fault ?? "not-an-address" });
  }
  return {
    origin: url.origin,
    host: url.host,
    base: url.origin + url.pathname.replace(/\/+$/, ""),
    isLoopback: isLoopback(url.hostname),
  };
}

/** Paths that the service itself has: an address with one was copied from a browser or from the documentation of an API. */
const OF_PAGE = /\/(ui|admin\/v1|management\/v1|auth\/v1|oauth\/v2|oidc\/v1|v2|v2beta|debug|\.well-known)(\/|$)/;

/** An address without the path of the service's own that it was copied with, and what follows. */
export function withoutPage(text: string): string {
  const [host = ""] = /^\s*([a-z][a-z0-9+.-]*:\/\/)?[^/]*/i.exec(text) ?? [];
  const page = OF_PAGE.exec(text.slice(host.length));
  return page === null ? text : text.slice(0, host.length + page.index);
}

/** A value without the spaces and the pair of quotes around it: a tool that reads .env files as they are passes the quotes. */
export function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}

const MOST_PORT = 65_535;

/** The faults that the text alone shows. */
function textFault(text: string): AddressFault | undefined {
  if (text === "") return "empty";
  if (/^\d+$/.test(text)) return "number";
  if (/^https?:\/\/https?:\/\//i.test(text)) return "scheme-twice";
  const [, port] = /^(?:[a-z]+:\/\/)?[^/?#@]+:(\d+)(?:[/?#]|$)/i.exec(text) ?? [];
  if (Number(port) > MOST_PORT) return "port";
  // `http:/host` and `http//host` would be taken for a host of this name.
  return /^https?(:\/(?!\/)|\/\/)/i.test(text) ? "scheme" : undefined;
}

function readUrl(text: string): URL | undefined {
  try {
    return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  } catch {
    return undefined;
  }
}

/** The most characters between the dots of a host name (RFC 1035). A token given as the address is longer. */
const MOST_LABEL = 63;

function addressFault(url: URL, side: Peer, insecureHttp: boolean): AddressFault | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "scheme";
  if (url.username !== "" || url.password !== "") return "credentials";
  if (url.hostname.split(".").some((label) => label.length > MOST_LABEL)) return "too-long";
  if (OF_PAGE.test(url.pathname)) return "page";
  if (side === "auth0" && !isTenant(url)) return "not-a-tenant";
  if (url.search !== "" || url.hash !== "") return "query";
  if (url.protocol === "http:" && !insecureHttp && !isLoopback(url.hostname)) return "plain-http";
  return undefined;
}

/** Auth0 serves every tenant at the root of a host of its own; manage.auth0.com is the dashboard of all. */
function isTenant({ hostname, pathname }: URL): boolean {
  if (pathname !== "/" || /^((manage|www)\.)?auth0\.com$/.test(hostname)) return false;
  return hostname.includes(".") || isLoopback(hostname);
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
