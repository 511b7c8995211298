import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A server that writes raw bytes to its sockets. The mock is an HTTP server and cannot send what the tests of this server need: status
 * lines, headers and chunks that no HTTP server writes, a secret of the request in them, or no byte at all.
 */
export interface RawServer {
  readonly url: string;
  readonly port: number;
  /** The complete requests so far. */
  readonly requests: readonly string[];
}

/** Calls `answer` with the socket of each complete request. The server and its connections are closed with the test. */
export async function startRawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
  const requests: string[] = [];
  const server = await startTcp((socket) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = requestEnd(text); end !== -1; end = requestEnd(text)) {
        const request = text.slice(0, end);
        text = text.slice(end);
        requests.push(request);
        answer(socket, request);
      }
    });
  });
  return { ...server, requests };
}

/** Calls `onConnection` with each new connection. */
export async function startTcp(
  onConnection: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly port: number }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    onConnection(socket);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number }; // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, port };
}

/** The end of the first complete request, -1 without one. */
function requestEnd(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return -1;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length < end ? -1 : end;
}

/** A well-formed response with JSON. */
export function jsonAnswer(body: unknown, status = "200 OK"): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
