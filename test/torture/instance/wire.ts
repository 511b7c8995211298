import type { Socket } from "node:net";

/** A whole request. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Calls `take` with each whole request of a connection. */
export function onRequests(socket: Socket, take: (asked: Asked) => void): void {
  let chunks: Uint8Array[] = [];
  let wanted = 0;
  let size = 0;
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    let bytes = Buffer.concat(chunks);
    for (;;) {
      const head = bytes.indexOf("\r\n\r\n");
      const [requestLine = "", ...lines] = bytes.toString("latin1", 0, Math.max(head, 0)).split("\r\n");
      const headers = Object.fromEntries(lines.map(headerIn));
      const end = head + 4 + Number(headers["content-length"] ?? 0);
      wanted = head === -1 ? 0 : end;
      if (head === -1 || bytes.length < end) break;
      const [method = "", path = ""] = requestLine.split(" ");
      const body = bytes.subarray(head + 4, end);
      bytes = bytes.subarray(end);
      take({ method, path, headers, body });
    }
    chunks = bytes.length === 0 ? [] : [bytes];
    size = bytes.length;
  });
}

function headerIn(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A well-formed response. */
export function toHttp({ status, headers }: Head, body: Buffer): Buffer {
  const all = { "content-type": "application/json", ...headers, "content-length": String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Some Words\r\n${lines.join("")}\r\n`), body]);
}

/** The same in chunks. */
export function toChunkedHttp({ status, headers }: Head, body: Buffer, chunkBytes: number): Buffer {
  const all = { "content-type": "application/json", ...headers, "transfer-encoding": "chunked" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const parts: Uint8Array[] = [Buffer.from(`HTTP/1.1 ${status} Some Words\r\n${lines.join("")}\r\n`)];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
