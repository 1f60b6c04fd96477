/** A bare node:http server that answers every request with the same redirect, and keeps nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((_request, response) => {
  response.writeHead(302, {
    location: "https://example.com/one?a=1",
    "cache-control": "no-store",
    "content-length": "0",
  });
  response.end();
});
server.keepAliveTimeout = 65_000;
process.on("SIGTERM", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
