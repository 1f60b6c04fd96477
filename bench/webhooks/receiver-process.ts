/**
 * Receives webhooks, in a process of its own. Each number that it is started with is an endpoint: how many milliseconds an answer takes, or -1
 * for one that never answers. A message to it, `{expect}`, begins to count anew; it says when an endpoint has as many, and when each came.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const delays = process.argv.slice(2).map(Number);
const counts = delays.map(() => 0);
let expected = Number.POSITIVE_INFINITY;

process.on("message", (expect: number) => {
  counts.fill(0);
  expected = expect;
  process.send?.({ counting: expect });
});

const ports = await Promise.all(
  delays.map(async (delay, at) => {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        const count = (counts[at] ?? 0) + 1;
        counts[at] = count;
        if (count === expected) process.send?.({ done: at, atMs: Date.now() });
        if (delay === 0) response.end("ok");
        else if (delay > 0) setTimeout(() => response.end("ok"), delay);
      });
    });
    server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  }),
);
process.on("SIGTERM", () => process.exit(0));
process.send?.({ ports });
