/** Stands before a receiving server, so that the server can die for its clients while its log lives on. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export type RelayProxy = {
  readonly port: number;
  /** Cuts all connections at once, whatever is on them, and lets nobody in any more. */
  kill(): void;
};

export async function startRelayProxy(port: number): Promise<RelayProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const relay = connect(port, "127.0.0.1");
    for (const socket of [client, relay]) {
      sockets.add(socket);
      const end = () => {
        client.destroy();
        relay.destroy();
        sockets.delete(socket);
      };
      socket.setNoDelay(true).on("error", end).on("close", end);
    }
    client.pipe(relay);
    relay.pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    kill() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
