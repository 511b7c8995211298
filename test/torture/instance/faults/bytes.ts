import { toChunkedHttp, toHttp } from "../wire.ts";
import { type Fault, family, type Turn } from "./fault.ts";

const head = (turn: Turn, lines: string): Buffer =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${lines}\r\n\r\n`), turn.body]);
const raw = (turn: Turn, bytes: Buffer | string): void => void turn.socket.end(bytes);
const kept = (turn: Turn, bytes: Buffer | string): void => void turn.socket.write(bytes);
const whole = (turn: Turn): Buffer => toHttp(turn.head, turn.body);
const length = ({ body }: Turn): string => `content-length: ${body.length}`;
const cutAt = (turn: Turn, bytes: Buffer): Buffer => bytes.subarray(0, turn.random.below(Math.max(1, bytes.length)));

/** The work is done, and the answer is no HTTP, or not that of this request. */
const malformed = family({ work: "all" }, [
  { name: "status line of nonsense", act: (turn) => raw(turn, "HELLO THERE\r\n\r\n") },
  { name: "no status", act: (turn) => raw(turn, `HTTP/1.1 \r\n${length(turn)}\r\n\r\n${turn.body}`) },
  { name: "status 099", act: (turn) => raw(turn, `HTTP/1.1 099 Odd\r\n${length(turn)}\r\n\r\n${turn.body}`) },
  {
    name: "status of four digits",
    act: (turn) => raw(turn, `HTTP/1.1 2000 OK\r\n${length(turn)}\r\n\r\n${turn.body}`),
  },
  { name: "status 600", act: (turn) => raw(turn, `HTTP/1.1 600 Odd\r\n${length(turn)}\r\n\r\n${turn.body}`) },
  { name: "HTTP/9.9", act: (turn) => raw(turn, `HTTP/9.9 200 OK\r\n${length(turn)}\r\n\r\n${turn.body}`) },
  { name: "header without a colon", act: (turn) => raw(turn, head(turn, `${length(turn)}\r\nnocolon`)) },
  { name: "header with a NUL", act: (turn) => raw(turn, head(turn, `${length(turn)}\r\nx: a\0b`)) },
  { name: "header name with a space", act: (turn) => raw(turn, head(turn, `${length(turn)}\r\nx y: a`)) },
  { name: "folded header", act: (turn) => raw(turn, head(turn, `x: a\r\n b\r\n${length(turn)}`)) },
  { name: "too many headers", act: (turn) => raw(turn, head(turn, `${"x-a: b\r\n".repeat(9_000)}${length(turn)}`)) },
  {
    name: "a header without end",
    act: (turn) => raw(turn, head(turn, `x-a: ${"b".repeat(100_000)}\r\n${length(turn)}`)),
  },
  { name: "two lengths", act: (turn) => raw(turn, head(turn, `content-length: 5\r\n${length(turn)}`)) },
  { name: "length and chunks", act: (turn) => raw(turn, head(turn, `${length(turn)}\r\ntransfer-encoding: chunked`)) },
  { name: "a negative length", act: (turn) => raw(turn, head(turn, "content-length: -1")) },
  { name: "a length of letters", act: (turn) => raw(turn, head(turn, "content-length: abc")) },
  { name: "a length of 20 digits", act: (turn) => raw(turn, head(turn, "content-length: 99999999999999999999")) },
  {
    name: "a length that is too long",
    act: (turn) => raw(turn, head(turn, `content-length: ${turn.body.length + 50}`)),
  },
  { name: "a chunk of nonsense", act: (turn) => raw(turn, head(turn, "transfer-encoding: chunked\r\n\r\nxyz")) },
  {
    name: "a chunk larger than numbers",
    act: (turn) => raw(turn, head(turn, "transfer-encoding: chunked\r\n\r\nfffffffffffffffff")),
  },
  {
    name: "chunks without end",
    act: (turn) => raw(turn, toChunkedHttp(turn.head, turn.body, 7).subarray(0, -5)),
  },
  { name: "encoded twice", act: (turn) => raw(turn, head(turn, "transfer-encoding: chunked, chunked")) },
  { name: "TLS in the clear", act: (turn) => raw(turn, Buffer.from([0x15, 3, 3, 0, 2, 2, 80])) },
  { name: "random bytes", act: (turn) => raw(turn, turn.random.bytes(turn.random.between(1, 400))) },
  {
    name: "one byte is another",
    act: (turn) => {
      const bytes = whole(turn);
      const at = turn.random.below(bytes.indexOf("\r\n\r\n") + 4);
      bytes[at] = turn.random.below(256);
      raw(turn, bytes);
    },
  },
]);

/** The line breaks, before or after the work. */
const broken: readonly Fault[] = [
  { name: "cut in the head", work: "all", act: (turn) => raw(turn, cutAt(turn, whole(turn).subarray(0, 60))) },
  { name: "cut anywhere", work: "all", act: (turn) => raw(turn, cutAt(turn, whole(turn))) },
  {
    name: "cut in a chunk",
    work: "all",
    act: (turn) => raw(turn, cutAt(turn, toChunkedHttp(turn.head, turn.body, 16))),
  },
  { name: "closed before the work", work: "none", act: ({ socket }) => void socket.end() },
  { name: "closed after the work", work: "all", act: ({ socket }) => void socket.end() },
  { name: "closed in the midst of the work", work: "part", act: ({ socket }) => void socket.end() },
  { name: "reset before the work", work: "none", act: ({ socket }) => void socket.resetAndDestroy() },
  { name: "reset after the work", work: "all", act: ({ socket }) => void socket.resetAndDestroy() },
  { name: "reset in the midst of the work", work: "part", act: ({ socket }) => void socket.resetAndDestroy() },
  {
    name: "reset in the midst of the answer",
    work: "all",
    act: (turn) => void turn.socket.write(cutAt(turn, whole(turn)), () => turn.socket.resetAndDestroy()),
  },
];

/** Unusual, and allowed: these must do no harm at all. */
const unusual = family({ work: "all" }, [
  { name: "byte by byte", act: (turn) => drip(turn, whole(turn), 0) },
  { name: "chunks of three bytes", act: (turn) => kept(turn, toChunkedHttp(turn.head, turn.body, 3)) },
  { name: "100 Continue, often", act: (turn) => kept(turn, interim(turn, "100 Continue", 500)) },
  { name: "103 Early Hints, often", act: (turn) => kept(turn, interim(turn, "103 Early Hints\r\nlink: </a>", 500)) },
  { name: "the connection ends the answer", act: (turn) => raw(turn, head(turn, "connection: close")) },
  { name: "another charset", act: (turn) => turn.say(turn.answer, { "content-type": "application/json; charset=x" }) },
  { name: "a type of text", act: (turn) => turn.say(turn.answer, { "content-type": "text/plain" }) },
  { name: "no type", act: (turn) => turn.say(turn.answer, { "content-type": "" }) },
  {
    name: "spaces around the answer",
    act: (turn) => kept(turn, toHttp(turn.head, Buffer.from(`\n ${turn.body}\n\n`))),
  },
  { name: "a date of nonsense", act: (turn) => turn.say(turn.answer, { date: turn.random.pick(["never", "", "0"]) }) },
  { name: "a date in the future", act: (turn) => turn.say(turn.answer, { date: "Fri, 01 Jan 2999 00:00:00 GMT" }) },
  { name: "a date long ago", act: (turn) => turn.say(turn.answer, { date: "Thu, 01 Jan 1970 00:00:00 GMT" }) },
]);

/** Answers that do not come to an end, or come before their request, or twice. */
const endless: readonly Fault[] = [
  { name: "silence before the work", work: "none", isSlow: true, act: () => {} },
  { name: "silence after the work", work: "all", isSlow: true, act: () => {} },
  { name: "silence in the head", work: "all", isSlow: true, act: (turn) => kept(turn, whole(turn).subarray(0, 30)) },
  { name: "silence in the answer", work: "all", isSlow: true, act: (turn) => kept(turn, cutAt(turn, whole(turn))) },
  { name: "a drip", work: "all", isSlow: true, act: (turn) => drip(turn, whole(turn), 300) },
  { name: "a drip without end", work: "all", isSlow: true, act: (turn) => flood(turn, Buffer.from("a"), 50) },
  {
    name: "a flood of 1xx",
    work: "all",
    isSlow: true,
    act: (turn) => flood(turn, Buffer.from("HTTP/1.1 102 P\r\n\r\n"), 1),
  },
  {
    name: "switched to another protocol",
    work: "all",
    act: (turn) => raw(turn, "HTTP/1.1 101 S\r\nupgrade: x\r\n\r\n"),
  },
  {
    name: "two answers",
    work: "all",
    isLie: true,
    act: (turn) => kept(turn, Buffer.concat([whole(turn), whole(turn)])),
  },
  {
    name: "another answer smuggled in",
    work: "all",
    isLie: true,
    act: (turn) => kept(turn, Buffer.concat([whole(turn), toHttp({ status: 200, headers: {} }, Buffer.from("{}"))])),
  },
  { name: "a length that is too short", work: "all", act: (turn) => raw(turn, head(turn, "content-length: 3")) },
  {
    name: "an answer larger than memory",
    work: "all",
    act: (turn) => {
      turn.socket.write(head({ ...turn, body: Buffer.from('{"errors":[') }, "connection: close"));
      flood(turn, Buffer.alloc(2 ** 20, "{},"), 0);
    },
  },
];

function interim(turn: Turn, status: string, times: number): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n\r\n`.repeat(times)), whole(turn)]);
}

function drip({ socket }: Turn, bytes: Buffer, pauseMs: number): void {
  let at = 0;
  const step = (): void => {
    if (socket.destroyed || at >= bytes.length) return;
    socket.write(bytes.subarray(at, at + 1));
    at += 1;
    if (pauseMs === 0) setImmediate(step);
    else setTimeout(step, pauseMs).unref();
  };
  socket.setNoDelay(true);
  step();
}

function flood({ socket }: Turn, bytes: Buffer, pauseMs: number): void {
  const step = (): void => {
    if (socket.destroyed) return;
    const goesOn = socket.write(bytes);
    if (pauseMs > 0) setTimeout(step, pauseMs).unref();
    else if (goesOn) setImmediate(step);
    else socket.once("drain", step);
  };
  step();
}

export const byteFaults: readonly Fault[] = [...malformed, ...broken, ...unusual, ...endless];
