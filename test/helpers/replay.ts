import { request } from "node:http";
import { bodyOf, type Recorded } from "./recording.ts";

/** Where calls are replayed, and who calls. */
export interface Replayed {
  readonly url: string;
  /** By the name that the recordings call them. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly client: { readonly id: string; readonly secret: string };
  /** The access token that was issued last. */
  issued?: string;
}

/** What a replayed call came to. */
export interface Answered {
  /** undefined: the connection was closed. */
  readonly status?: number;
  readonly contentType?: string | null;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends a recorded call as it was sent. */
export function replay(call: Recorded, at: Replayed): Promise<Answered> {
  const { method, path, as, contentType, headers: more } = call.request;
  const body = bodyOf(withSecret(call.request, at));
  const type = body === undefined ? undefined : contentType === undefined ? "application/json" : contentType;
  const headers: Record<string, string> = {
    ...(type === undefined || type === null ? {} : { "content-type": type }),
    ...authorization(as, at),
    ...more,
    ...(body === undefined ? {} : { "content-length": String(body.length) }),
  };
  return new Promise((done) => {
    const sent = request(at.url, { method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString();
        const issued = /"access_token":"([^"]+)"/.exec(text)?.[1];
        if (issued !== undefined) at.issued = issued;
        const status = response.statusCode;
        const found = { contentType: response.headers["content-type"] ?? null, headers: response.headers, text };
        done(status === undefined ? found : { ...found, status });
      });
    });
    sent.on("error", () => done({ headers: {}, text: "" }));
    sent.end(body);
  });
}

function withSecret(sent: Recorded["request"], { client }: Replayed): Recorded["request"] {
  const text = sent.text
    ?.replace("<CLIENT_SECRET>", client.secret)
    .replace("client_id=owner2", `client_id=${client.id}`);
  return text === undefined ? sent : { ...sent, text };
}

function authorization(as: string | undefined, { tokens, client, issued }: Replayed): Record<string, string> {
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
  });
  switch (as) {
    case "nobody at all":
      return {};
    case "basic":
      return basic(client.id, client.secret);
    case "basic wrong":
      return basic(client.id, "wrong");
    case "basic unknown":
      return basic("nobody-knows", "wrong");
    case "issued":
      return { authorization: `Bearer ${issued}` };
    default:
      return { authorization: as?.startsWith("header ") ? as.slice(7) : `Bearer ${tokens[as ?? "owner"]}` };
  }
}

/** How two answers are held against each other. */
export interface Comparison {
  /** Address of the replayed instance, and of the recorded one by its form. */
  readonly url: string;
  /** Ids that the instance makes: recorded → answered; the same one must always be the same. */
  readonly ids: Map<string, string>;
}

/** The first place where an answer is not what was recorded, in words; undefined: it is. */
export function difference(call: Recorded, answered: Answered, how: Comparison): string | undefined {
  if (call.closed === true) return answered.status === undefined ? undefined : `answered ${answered.status}`;
  if (answered.status !== call.status)
    return `status ${call.status} ≠ ${answered.status}: ${answered.text.slice(0, 200)}`;
  if (answered.contentType !== call.contentType) return `content type ${call.contentType} ≠ ${answered.contentType}`;
  for (const [name, value] of Object.entries(call.headers ?? {})) {
    if (answered.headers[name] !== value) return `header ${name}: ${value} ≠ ${answered.headers[name]}`;
  }
  if (call.text !== undefined) return call.text === answered.text ? undefined : `text ${answered.text.slice(0, 100)}`;
  const isExport = call.request.path === "/admin/v1/export";
  const compare = comparer({ ...how, unordered: isExport, part: call.begins !== undefined });
  const body: unknown = answered.text === "" ? undefined : JSON.parse(answered.text);
  if (call.leftOut !== undefined) return undefined;
  return compare(call.begins ?? call.response, body, "");
}

interface Rules extends Comparison {
  /** Lists come in no order: the database's. */
  readonly unordered: boolean;
  /** What was recorded may be less. */
  readonly part: boolean;
}

type Compare = (recorded: unknown, answered: unknown, place: string) => string | undefined;

function comparer(rules: Rules): Compare {
  const compare: Compare = (recorded, answered, place) => {
    if (Array.isArray(recorded)) return lists(recorded, answered, place);
    if (typeof recorded === "object" && recorded !== null) return objects(recorded, answered, place);
    return sameLeaf(recorded, answered, place, rules) ? undefined : `${place}: ${shown(recorded)} ≠ ${shown(answered)}`;
  };
  const lists = (recorded: readonly unknown[], answered: unknown, place: string): string | undefined => {
    if (!Array.isArray(answered)) return `${place}: a list ≠ ${shown(answered)}`;
    if (!rules.part && recorded.length !== answered.length) {
      return `${place}: ${recorded.length} ≠ ${answered.length} elements`;
    }
    for (const [index, element] of recorded.entries()) {
      const others = rules.unordered ? answered : [answered[index]];
      const found = others.some((other) => compare(element, other, place) === undefined);
      if (!found)
        return rules.unordered
          ? `${place}: no ${shown(element)}`
          : compare(element, answered[index], `${place}[${index}]`);
    }
    return undefined;
  };
  const objects = (recorded: object, answered: unknown, place: string): string | undefined => {
    if (typeof answered !== "object" || answered === null || Array.isArray(answered)) {
      return `${place}: an object ≠ ${shown(answered)}`;
    }
    const theirs = new Map(Object.entries(answered));
    for (const [key, value] of Object.entries(recorded)) {
      const wrong = compare(value, theirs.get(key), `${place}.${key}`);
      if (wrong !== undefined) return wrong;
      theirs.delete(key);
    }
    const [more] = rules.part ? [] : theirs.keys();
    return more === undefined ? undefined : `${place}.${more}: nothing ≠ ${shown(theirs.get(more))}`;
  };
  return compare;
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
/** Values that an instance generates each time, by their key. */
const MADE_UP = /\.(sequence|Crypted|sessionToken|access_token|id_token|emailCode|phoneCode|verificationCode)$/;

function sameLeaf(recorded: unknown, answered: unknown, place: string, rules: Rules): boolean {
  if (recorded === answered) return true;
  if (typeof recorded !== "string" || typeof answered !== "string") return false;
  if (MADE_UP.test(place)) return true;
  if (MOMENT.test(recorded)) return MOMENT.test(answered);
  // A hash that the instance made, of a password that it was given, or one that was taken out of the recording.
  if (/^\$2a\$04\$/.test(recorded)) return /^\$2a\$04\$/.test(answered);
  if (recorded === "<REDACTED>") return answered !== "";
  return sameText(recorded, answered, rules);
}

/** Texts but for the instance's address, and for ids that it made. */
function sameText(recorded: string, answered: string, { url, ids, unordered }: Rules): boolean {
  const theirs = recorded
    .replace(/^http:\/\/zitadel-\w+\.127\.0\.0\.1:\d+/, url.replace("//", "//zitadel-mock."))
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, url)
    .replace(SCANNER_WORDS, "");
  const ours = answered.replace(SCANNER_WORDS, "");
  if (theirs === ours) return true;
  const [pattern, found] = [theirs.split(ID), ours.split(ID)];
  if (pattern.join("#") !== found.join("#") || pattern.length === 1) return false;
  if (unordered) return true;
  const pairs = [...theirs.matchAll(ID)].map(([id], index) => [id, [...ours.matchAll(ID)][index]?.[0] ?? ""] as const);
  return pairs.every(([id, other]) => {
    const known = ids.get(id) ?? other;
    ids.set(id, known);
    return known === other;
  });
}

/** What Go's parsers of JSON, protobuf JSON and e-mail addresses say about the text they refuse: the mock refuses it in other words. */
const SCANNER_WORDS =
  /^proto:\s.*$|^invalid character .*$|^unexpected EOF$|^invalid JSON$|(?<=value must be a valid email address) \| caused by: .*$/s;

const ID = /(?<!\d)\d{18}(?!\d)/g;

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 300);
}
