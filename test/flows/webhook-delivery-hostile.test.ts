/** These tests deliver to endpoints that misbehave: each costs its own events some time, and nobody else anything. */
import assert from "node:assert/strict";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer, type Socket } from "node:net";
import { describe, it } from "node:test";
import { testCertificate, testKey } from "../support/smtp/certificate.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { useWebhookBed } from "../support/webhook-bed.ts";
import { type Answer, deliveriesOf, LOOPBACK, startEndpoint } from "../support/webhook-engine.ts";

const bed = useWebhookBed();

/** Posts one event and returns what was written about its first try. */
async function firstTry(hook: Json): Promise<Json> {
  await bed.write([1]);
  await until(async () => (await deliveriesOf(bed.app, hook["id"]))[0]?.["attempts"].length === 1);
  const [{ id }] = (await deliveriesOf(bed.app, hook["id"])) as [Json];
  const { body } = await bed.app.api("GET", `/v1/webhooks/${hook["id"]}/deliveries/${id}`);
  return { ...body.attempts[0], state: body.status, answer: body.answer };
}

/** A server that speaks no HTTP by itself: the test writes every byte. */
async function startRaw(speak: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => speak(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  bed.closes({
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/hooks`;
}

describe("an answer of 200", () => {
  it("counts although it never ends", async () => {
    const { hook } = await bed.listen((_post, response) => response.writeHead(200).write("begun"));
    bed.start();
    const tried = await firstTry(hook);
    assert.deepEqual([tried["state"], tried["status"], tried["answer"]], ["delivered", 200, "begun"]);
  });

  it("counts although it drips on, and for no longer than one that is silent", async () => {
    const { hook } = await bed.listen((_post, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(timer));
    });
    bed.start();
    assert.equal((await firstTry(hook))["state"], "delivered");
  });

  it("counts with a gigabyte of body, of which 4 KB are read and kept", async () => {
    let written = 0;
    const { hook } = await bed.listen((_post, response) => {
      response.writeHead(200, { "content-length": String(1_024 ** 3) });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, "a"))) written += 65_536;
      };
      response.on("drain", more);
      more();
    });
    bed.start();
    const tried = await firstTry(hook);
    assert.deepEqual([tried["state"], tried["answer"]], ["delivered", "a".repeat(4_096)]);
    assert.ok(written < 64 * 1_024 ** 2, String(written));
  });

  it("is kept as text also where it is none", async () => {
    const { hook } = await bed.listen((_post, response) => response.end(Buffer.from([0, 255, 254, 65])));
    bed.start();
    const tried = await firstTry(hook);
    assert.equal(tried["state"], "delivered");
    assert.equal(tried["answer"], "\ufffd\ufffd\ufffdA");
  });

  it("with a packed body isn't unpacked", async () => {
    const { hook } = await bed.listen((_post, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip"),
    );
    bed.start();
    assert.equal((await firstTry(hook))["state"], "delivered");
  });
});

describe("what counts as a failure", () => {
  it("a redirect inside is not followed", async () => {
    const inside = await bed.listen((_post, response) => response.end());
    const { hook } = await bed.listen((_post, response) =>
      response.writeHead(301, { location: inside.endpoint.url.replace("/hooks", "/inside") }).end(),
    );
    bed.start();
    const tried = await firstTry(hook);
    assert.deepEqual([tried["state"], tried["status"]], ["waiting", 301]);
    assert.ok(inside.endpoint.posts.every(({ path }) => path === "/hooks"));
  });

  const broken: [string, (socket: Socket) => void][] = [
    ["headers that are none", (socket) => socket.end("HTTP/1.1 200 OK\r\n\u0000\u0001: \u0002\r\n\r\n")],
    ["headers without end", (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(100_000)}`)],
    ["bytes that are no HTTP", (socket) => socket.end("220 mail.example ESMTP\r\n")],
    [
      "two lengths",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
    ],
    ["a half-close before any answer", (socket) => socket.end()],
    ["a reset", (socket) => socket.resetAndDestroy()],
    [
      "another protocol",
      (socket) =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    ],
  ];
  for (const [what, speak] of broken) {
    it(what, async () => {
      const hook = await bed.makeHook({ url: await startRaw(speak) });
      bed.start();
      const tried = await firstTry(hook);
      assert.deepEqual([tried["state"], tried["status"], tried["failure"]], ["waiting", null, "broken"]);
    });
  }

  const slow: [string, (socket: Socket) => void][] = [
    ["silence", () => undefined],
    ["headers that drip", (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", "x-a: b\r\n")],
    ["endless answers that are none yet", (socket) => drip(socket, "", "HTTP/1.1 102 Processing\r\n\r\n")],
  ];
  for (const [what, speak] of slow) {
    it(what, async () => {
      const hook = await bed.makeHook({ url: await startRaw(speak) });
      bed.start({ timeoutMs: 300 });
      const tried = await firstTry(hook);
      assert.deepEqual([tried["state"], tried["status"], tried["failure"]], ["waiting", null, "timeout"]);
    });
  }

  it("a certificate that nobody we know has signed", async () => {
    const answer: Answer = (_post, response) => response.end();
    const endpoint = await startEndpoint(answer, (listener) =>
      createHttpsServer({ key: testKey, cert: testCertificate }, listener),
    );
    bed.closes(endpoint);
    const hook = await bed.makeHook({ url: endpoint.url.replace("http:", "https:") });
    bed.start();
    assert.equal((await firstTry(hook))["failure"], "untrusted");
    assert.equal(endpoint.posts.length, 0);
  });

  it("an endpoint that is believed again is posted to by TLS", async () => {
    const endpoint = await startEndpoint(undefined, (listener) =>
      createHttpsServer({ key: testKey, cert: testCertificate }, listener),
    );
    bed.closes(endpoint);
    const hook = await bed.makeHook({ url: endpoint.url.replace("http:", "https:") });
    bed.start({ authorities: [testCertificate] });
    const tried = await firstTry(hook);
    assert.equal(tried["state"], "delivered", JSON.stringify(tried));
  });

  for (const host of ["localhost", "[::ffff:7f00:1]"]) {
    it(`${host}, where its address was listed once and isn't any more, and nothing is sent there`, async () => {
      const endpoint = await startEndpoint();
      bed.closes(endpoint);
      const url = endpoint.url.replace(`http://${LOOPBACK}`, `https://${host}`);
      const hook = await bed.makeHook({ url });
      bed.start({ internalHosts: [] });
      const tried = await firstTry(hook);
      assert.deepEqual([tried["state"], tried["failure"]], ["waiting", "internal"]);
      assert.equal(endpoint.posts.length, 0);
    });
  }

  it("an address inside that is no longer listed, and nothing is sent there", async () => {
    const { endpoint, hook } = await bed.listen((_post, response) => response.end());
    bed.start({ internalHosts: [] });
    const tried = await firstTry(hook);
    assert.deepEqual([tried["state"], tried["failure"]], ["waiting", "not_https"]);
    assert.equal(endpoint.posts.length, 0);
  });
});

function drip(socket: Socket, begin: string, again: string): void {
  socket.write(begin);
  const timer = setInterval(() => socket.write(again), 10);
  socket.on("close", () => clearInterval(timer));
}
