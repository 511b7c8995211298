import { toHttp } from "../wire.ts";
import { type Fault, family, type Turn } from "./fault.ts";

const refused =
  (status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) =>
  ({ say }: Turn): void =>
    say({ status, body: { code, message } }, headers);
const html = "<!doctype html><html><body>Sign in</body></html>";
const page =
  (status: number) =>
  ({ socket }: Turn): void =>
    void socket.write(toHttp({ status, headers: { "content-type": "text/html" } }, Buffer.from(html)));
const text =
  (body: (turn: Turn) => Buffer | string, headers = {}) =>
  (turn: Turn): void =>
    void turn.socket.write(toHttp({ status: 200, headers }, Buffer.from(body(turn))));

const retryAfters = [
  "0",
  "1",
  "3",
  "-5",
  "1.5",
  "9999999999",
  "soon",
  "Fri, 01 Jan 2999 00:00:00 GMT",
  "Thu, 01 Jan 1970 00:00:00 GMT",
  "",
  "1, 2",
];

/** Refusals and time-outs, as services and what stands before them give them. */
const refusals: readonly Fault[] = [
  {
    name: "429 with Retry-After",
    work: "none",
    act: (turn) => refused(429, 8, "quota", { "retry-after": turn.random.pick(retryAfters) })(turn),
  },
  {
    name: "429 without a word",
    work: "none",
    act: ({ socket }) => void socket.write("HTTP/1.1 429 X\r\ncontent-length: 0\r\n\r\n"),
  },
  {
    name: "429 for the size",
    work: "none",
    act: refused(429, 8, "grpc: received message larger than max (9 vs. 4194304)"),
  },
  { name: "413", work: "none", act: refused(413, 8, "too large") },
  {
    name: "503 before the work",
    work: "none",
    act: (turn) => refused(503, 14, "later", { "retry-after": turn.random.pick(retryAfters) })(turn),
  },
  { name: "503 after the work", work: "all", act: refused(503, 14, "later") },
  { name: "503 in the midst of the work", work: "part", act: page(503) },
  { name: "time limit of the service", work: "part", act: refused(500, 2, "context deadline exceeded") },
  { name: "time limit after the work", work: "all", act: refused(504, 4, "context deadline exceeded") },
  { name: "500 in the midst of the work", work: "part", act: refused(500, 13, "internal"), endsRun: true },
  { name: "500 after the work", work: "all", act: refused(500, 13, "internal"), endsRun: true },
  { name: "502 before the work", work: "none", act: page(502) },
  { name: "502 after the work", work: "all", act: page(502) },
  { name: "504 in the midst of the work", work: "part", act: page(504) },
  { name: "408 after the work", work: "all", act: refused(408, 1, "slow"), endsRun: true },
  { name: "499 in the midst of the work", work: "part", act: refused(499, 1, "canceled"), endsRun: true },
  { name: "401", work: "none", act: refused(401, 16, "Errors.Token.Invalid (AUTH-7fs1e)"), endsRun: true },
  { name: "403", work: "none", act: refused(403, 7, "No matching permissions found (AUTH-5mWD2)"), endsRun: true },
  { name: "404", work: "none", act: refused(404, 5, "Not Found"), endsRun: true },
  {
    name: "404, no membership",
    work: "none",
    act: refused(404, 5, "membership not found (AUTHZ-cdgFk)"),
    endsRun: true,
  },
  { name: "409", work: "none", act: refused(409, 6, "conflict"), endsRun: true },
  { name: "400", work: "none", act: refused(400, 3, "invalid ImportDataRequest"), endsRun: true },
  { name: "501", work: "none", act: refused(501, 12, "no"), endsRun: true },
  {
    name: "redirect",
    work: "none",
    act: (turn) =>
      turn.say(
        { status: turn.random.pick([301, 302, 307, 308]), body: {} },
        { location: turn.random.pick(["/", "http://127.0.0.1:1/", "\u00e9", ""]) },
      ),
    endsRun: true,
  },
  { name: "304", work: "none", act: ({ socket }) => void socket.write("HTTP/1.1 304 X\r\n\r\n"), endsRun: true },
];

/** The work is done, and the answer is not what it should be. */
const nonsense = family({ on: ["import", "users", "export"], work: "all" }, [
  { name: "a page with 200", act: page(200), endsRun: true },
  { name: "204", act: ({ socket }: Turn) => void socket.write("HTTP/1.1 204 X\r\n\r\n"), endsRun: true },
  { name: "an empty answer", act: text(() => ""), endsRun: true },
  { name: "{}", act: text(() => "{}"), endsRun: true, isLie: true },
  { name: "null", act: text(() => "null"), endsRun: true },
  { name: "a list", act: text(() => "[]"), endsRun: true },
  { name: "a number", act: text(() => "1e999"), endsRun: true },
  {
    name: "half the answer, and its length",
    act: text(({ body }) => body.subarray(0, body.length / 2)),
    endsRun: true,
  },
  { name: "text behind the answer", act: text(({ body }) => `${body}}`), endsRun: true },
  { name: "a byte order mark", act: text(({ body }) => `\ufeff${body}`) },
  { name: "UTF-16", act: text(({ body }) => Buffer.from(body.toString(), "utf16le")), endsRun: true },
  { name: "said to be gzip", act: text(({ body }) => body, { "content-encoding": "gzip" }) },
  { name: "nested without end", act: text(() => `{"errors":${"[".repeat(50_000)}`), endsRun: true },
  {
    name: "deep in a value",
    act: text(() => `{"errors":[${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}]}`),
    endsRun: true,
  },
  {
    name: "broken UTF-8",
    act: text(({ body }) => Buffer.concat([body.subarray(0, -1), Buffer.from([0xff, 0x7d])])),
    endsRun: true,
  },
  { name: "errors that are no list", act: text(() => '{"errors":{"type":"org"},"success":[]}'), endsRun: true },
  { name: "numbers for texts", act: text(() => '{"errors":[{"type":1,"id":2,"message":3}]}'), endsRun: true },
  { name: "nothing for things", act: text(() => '{"errors":[null],"success":null}'), endsRun: true },
  { name: "lists of nothing", act: text(() => '{"errors":[],"success":{"orgs":[null,{}]}}'), endsRun: true },
]);

/** To a search, a document without its list is an empty page, which looks like the truth. */
const misread = nonsense.map((fault): Fault => ({ ...fault, on: ["events", "orgs"], isLie: true }));

export const answerFaults: readonly Fault[] = [...refusals, ...nonsense, ...misread];
