import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createEgressFilter } from "./egress-filter.ts";
import { openConnection } from "./http-connection.ts";
import { exchange, limitsOf, requestText } from "./http-exchange.ts";
import { keepConnections } from "./kept-connections.ts";

const LONG_MS = 60_000;

/** A server that counts its connections, and a session of it with limits of its own. */
async function start(t: TestContext, limitsMs: { idle?: number; kept?: number } = {}) {
  const opened: Socket[] = [];
  const server = createServer((_request, response) => response.end("ok"));
  server.keepAliveTimeout = LONG_MS;
  server.on("connection", (socket) => opened.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const kept = keepConnections(2, { idle: LONG_MS, kept: LONG_MS, sweepEvery: 10, ...limitsMs });
  t.after(() => {
    kept.close();
    server.closeAllConnections();
    server.close();
  });
  const { lookup } = createEgressFilter(["127.0.0.1"]);
  const target = { isSecure: false, host: "127.0.0.1", port, lookup, authorities: undefined };
  const origin = `http://127.0.0.1:${port}`;
  const ask = async () => {
    const connection = kept.take(origin, () => openConnection(target));
    const answer = await exchange(connection, requestText("/", origin, {}, true), {}, limitsOf({}), true);
    kept.giveBack(connection);
    assert.ok(typeof answer !== "symbol" && answer.kind === "answered");
  };
  return { ask, opened, kept };
}

test("a connection serves one request after the other, and those at once have one each", async (t) => {
  const { ask, opened } = await start(t);
  await ask();
  await ask();
  assert.equal(opened.length, 1);
  await Promise.all([ask(), ask(), ask()]);
  assert.equal(opened.length, 3);
  // Two are kept, so that of three more at once one is new.
  await Promise.all([ask(), ask(), ask()]);
  assert.equal(opened.length, 4);
});

test("a connection is made anew when it has been open for its time, however often it is used", async (t) => {
  const { ask, opened } = await start(t, { kept: 100 });
  // On a crowded machine a single request may take longer than a connection is kept.
  const untilMs = performance.now() + 10_000;
  while (opened.length < 3 && performance.now() < untilMs) {
    await ask();
    await sleep(10);
  }
  assert.ok(opened.length >= 3, String(opened.length));
});

test("a connection that is idle is closed without another request, and one whose server closes it isn't used", async (t) => {
  const { ask, opened } = await start(t, { idle: 50 });
  await ask();
  const [first] = opened as [Socket];
  await once(first, "close");
  const other = await start(t);
  await other.ask();
  const [second] = other.opened as [Socket];
  second.end();
  await once(second, "close");
  await other.ask();
  assert.equal(other.opened.length, 2);
});
