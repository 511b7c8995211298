import { createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server on the level of bytes. */
export interface HostileServer {
  readonly url: string;
  readonly port: number;
  /** Whole requests that came, as they came. */
  readonly requests: readonly string[];
}

/**
 * A server that does as it likes with a socket once a whole request has come on it, and once more for each further one. It goes away with
 * the test, its connections too.
 */
export async function startHostile(answer: (socket: Socket, request: string) => void): Promise<HostileServer> {
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

/** A server that is given each connection as it comes. */
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

/** Where the first whole request ends, -1 when there is none. */
function requestEnd(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head === -1) return -1;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length < end ? -1 : end;
}

/** A well-formed answer with JSON. */
export function jsonAnswer(body: unknown, status = "200 OK"): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
