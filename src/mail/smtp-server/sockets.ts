/** How a connection becomes TLS, and how it ends. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";

/** Begins TLS as the server. Returns undefined where it came to nothing. */
export function handshake(
  socket: Socket,
  secureContext: SecureContext,
  withinMs: number,
): Promise<TLSSocket | undefined> {
  const { promise, resolve } = Promise.withResolvers<TLSSocket | undefined>();
  const secured = new TLSSocket(socket, { isServer: true, secureContext });
  const timer = setTimeout(() => secured.destroy(), withinMs);
  secured.once("secure", () => resolve(secured));
  // Whatever goes wrong with a connection is the client's affair, now and later.
  secured.on("error", () => undefined);
  secured.once("close", () => resolve(undefined));
  return promise.finally(() => clearTimeout(timer));
}

/** Returns the address of a client as it is written in the DNS: an IPv4 address that came over an IPv6 socket is itself again. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}

/**
 * Ends a connection so that the last reply arrives. What the client still sends is read and thrown away for a while: a socket
 * that is closed with unread bytes in it is reset, and the reply would be lost.
 */
export async function hangUp(socket: Socket, raw: Socket, lingerMs: number): Promise<void> {
  if (!raw.destroyed && !socket.destroyed) {
    const closed = new Promise<void>((resolve) => raw.once("close", () => resolve()));
    const timer = setTimeout(() => raw.destroy(), lingerMs);
    socket.resume();
    socket.once("end", () => socket.destroy());
    socket.end();
    await closed;
    clearTimeout(timer);
  }
  raw.destroy();
}
