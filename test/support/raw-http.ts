import { connect, type Socket } from "node:net";

export type RawReply = { status: number; headers: Record<string, string>; body: string };

/**
 * Opens a plain socket, for requests that no client would send. The server's half stays open until the server ends
 * it.
 */
export async function openSocket(baseUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  return socket;
}

/** Returns all that the server sends until it ends the connection. */
export function readAll(socket: Socket): Promise<string> {
  const pieces: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => pieces.push(bytes));
  return new Promise((resolve) => {
    const done = () => resolve(Buffer.concat(pieces).toString());
    socket.once("end", done).once("close", done);
  });
}

export async function sendRaw(baseUrl: string, text: string): Promise<RawReply> {
  const socket = await openSocket(baseUrl);
  socket.write(text);
  const reply = parseReply(await readAll(socket));
  socket.destroy();
  return reply;
}

export function parseReply(text: string): RawReply {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [start = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line) => {
    const at = line.indexOf(":");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return {
    status: Number(start.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: rest.join("\r\n\r\n"),
  };
}
