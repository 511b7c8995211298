import type { Socket } from "node:net";
import type { Asked } from "./answers.ts";

/** Tells each whole request that comes on a connection. */
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
      const headText = bytes.toString("latin1", 0, Math.max(head, 0));
      const length = Number(/^content-length: *(\d+)/im.exec(headText)?.[1] ?? 0);
      const end = head + 4 + length;
      wanted = head === -1 ? 0 : end;
      if (head === -1 || bytes.length < end) break;
      const [, method = "", path = ""] = /^(\S+) (\S+)/.exec(headText) ?? [];
      const authorization = /^authorization: *(.*)$/im.exec(headText)?.[1] ?? "";
      const orgId = /^x-zitadel-orgid: *(.*)$/im.exec(headText)?.[1] ?? "";
      const text = bytes.toString("utf8", head + 4, end);
      bytes = bytes.subarray(end);
      take({ method, path, authorization, orgId, text });
    }
    chunks = bytes.length === 0 ? [] : [bytes];
    size = bytes.length;
  });
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A well-formed answer. */
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
