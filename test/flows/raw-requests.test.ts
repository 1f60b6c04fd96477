/**
 * These tests cover what arrives on the socket before it is a request, and what happens to requests when the service
 * stops.
 */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { untilBlocking } from "../support/blocked.ts";
import { openSocket, parseReply, type RawReply, readAll, sendRaw } from "../support/raw-http.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let slow: { socket: Socket; answer: Promise<string>; tookMs?: number };
before(async () => {
  app = await createApp();
  // This connection takes 15 s to be closed, so it waits while the other tests run.
  const socket = await openSocket(app.baseUrl);
  const startedAt = performance.now();
  socket.write("GET /v1/account HTTP/1.1\r\nHost: x\r\n");
  const drip = setInterval(() => socket.write("X-More: 1\r\n"), 500);
  const answer = readAll(socket).finally(() => {
    clearInterval(drip);
    slow.tookMs = performance.now() - startedAt;
  });
  slow = { socket, answer };
});
after(() => app.stop());

function assertProblem(reply: RawReply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.body);
  assert.equal(reply.headers["content-type"], "application/problem+json; charset=utf-8");
  assert.equal(reply.headers["x-content-type-options"], "nosniff");
  const body = JSON.parse(reply.body);
  assert.deepEqual([body.status, body.code, body.request_id], [status, code, reply.headers["x-request-id"]]);
  assert.match(body.type, new RegExp(`^http://.*/docs/errors/${code}$`));
}

const broken: Record<string, string> = {
  "something else than HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n",
  "an unknown method": "BREW /v1/account HTTP/1.1\r\nHost: x\r\n\r\n",
  "an unknown version": "GET /v1/account HTTP/9.9\r\nHost: x\r\n\r\n",
  "a header without a colon": "GET /v1/account HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n",
  "a NUL in a header": "GET /v1/account HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n",
  "two lengths": "POST /v1/api_keys HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
  "a length and chunks":
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
};
for (const [what, text] of Object.entries(broken)) {
  test(`a request with ${what} answers 400 and ends the connection`, async () => {
    const reply = await sendRaw(app.baseUrl, text);
    assert.equal(reply.headers["connection"], "close");
    assertProblem(reply, 400, "malformed_request");
  });
}

test("a request without a host answers 400", async () => {
  assert.equal((await sendRaw(app.baseUrl, "GET /v1/account HTTP/1.1\r\n\r\n")).status, 400);
});

test("headers over 16 KB answer 431", async () => {
  const reply = await sendRaw(
    app.baseUrl,
    `GET /v1/account HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(17_000)}\r\n\r\n`,
  );
  assertProblem(reply, 431, "headers_too_large");
});

test("a bad percent-encoding in the path answers 400", async () => {
  for (const path of ["/v1/%zz", "/v1/api_keys/%", "/%c3%28", "/v1/api_keys/%e0%80%80"]) {
    const reply = await sendRaw(app.baseUrl, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assertProblem(reply, 400, "malformed_request");
  }
});

test("a request target that is no path answers 404 or 400, and no data", async () => {
  for (const target of ["http://evil.example/v1/account", "*", "//evil.example/v1/account"]) {
    const reply = await sendRaw(
      app.baseUrl,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    assert.ok([400, 401, 404].includes(reply.status), `${target} ${reply.status}`);
  }
});

test("a broken connection is let go even when its client never ends it", async () => {
  const socket = await openSocket(app.baseUrl);
  const answer = readAll(socket);
  socket.write("nonsense\r\n\r\n");
  assert.match(await answer, /^HTTP\/1\.1 400 /);
  const gone = new Promise((resolve) => socket.once("close", resolve));
  const poke = setInterval(() => socket.write("x"), 50);
  await gone.finally(() => clearInterval(poke));
});

test("an expectation that nobody knows is refused with 417, and its connection closed", async () => {
  const socket = await openSocket(app.baseUrl);
  const answer = readAll(socket);
  socket.write("POST /v1/lists HTTP/1.1\r\nHost: x\r\nExpect: 42\r\nContent-Length: 1000000\r\n\r\n");
  const gone = new Promise((resolve) => socket.once("close", resolve));
  const poke = setInterval(() => socket.write("x"), 50);
  assert.match(await answer, /^HTTP\/1\.1 417 .*"code":"expectation_failed"/s);
  await gone.finally(() => clearInterval(poke));
});

test("who hangs up before the answer is no fault of the service", async () => {
  const errors = () => app.logs.filter((line) => line.includes('"level":"error"')).length;
  const before = errors();
  for (let n = 0; n < 100; n++) {
    const socket = await openSocket(app.baseUrl);
    socket.write(`GET /v1/lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n\r\n`);
    setTimeout(() => socket.resetAndDestroy(), n % 5);
  }
  await until(async () => (await app.api("GET", "/v1/lists")).status === 200);
  assert.equal(errors(), before);
});

test("a body shorter than announced, or cut off, leaves the service well", async () => {
  const socket = await openSocket(app.baseUrl);
  const head = `POST /v1/api_keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  assert.equal((await app.api("GET", "/v1/account")).status, 200);
});

for (const [what, head, status] of [
  ["an unknown key", "POST /v1/api_keys HTTP/1.1\r\nAuthorization: Bearer pr_x\r\n", 401],
  [
    "no key, for an upload",
    "POST /v1/imports HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n",
    401,
  ],
  ["a path that isn't there", "POST /v1/nowhere HTTP/1.1\r\nAuthorization: Bearer KEY\r\n", 404],
  ["a method that isn't there", "PUT /v1/api_keys HTTP/1.1\r\nAuthorization: Bearer KEY\r\n", 405],
  [
    "another media type",
    "POST /v1/api_keys HTTP/1.1\r\nAuthorization: Bearer KEY\r\nContent-Type: text/csv\r\n",
    415,
  ],
] as const) {
  test(`a connection ends soon after ${what} was refused, though its body keeps coming`, async () => {
    const socket = await openSocket(app.baseUrl);
    const startedAt = performance.now();
    const answer = readAll(socket);
    socket.write(`${head.replace("KEY", app.key)}Host: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const drip = setInterval(() => socket.write("1\r\n \r\n"), 100);
    const reply = parseReply(await answer.finally(() => clearInterval(drip)));
    assert.equal(reply.status, status, reply.body);
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs < 60_000, `${tookMs} ms`);
    socket.destroy();
  });
}

test("an endless body is cut off at the limit", async () => {
  const socket = await openSocket(app.baseUrl);
  const answer = readAll(socket);
  const head = `POST /v1/api_keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.key}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
  for (let i = 0; i < 40; i++) socket.write(chunk);
  const reply = parseReply(await answer);
  assertProblem(reply, 413, "body_too_large");
  socket.destroy();
});

test("stopping lets a request in progress finish and refuses new ones", async (t) => {
  const stopping = await createApp();
  let reply: Promise<Reply> | undefined;
  let stopped: Promise<void> | undefined;
  // Were the test to fail before that, the process would never end.
  t.after(() => stopped ?? stopping.stop());
  const idle = await openSocket(stopping.baseUrl);
  const idleEnded = readAll(idle);
  await stopping.db.transaction(async (tx) => {
    await tx.execute(sql`select from accounts for update`);
    reply = stopping.api("PATCH", "/v1/account", { body: { name: "In time" } });
    await untilBlocking(tx);
    stopped = stopping.stop();
    await idleEnded;
    idle.destroy();
    await until(() =>
      fetch(`${stopping.baseUrl}/healthz`).then(
        () => false,
        () => true,
      ),
    );
  });
  const { status, body, headers } = (await reply) as Reply;
  assert.deepEqual([status, body.name, headers.get("connection")], [200, "In time", "close"]);
  await stopped;
});

test("headers that come too slowly are answered with 408 and the connection ends", async () => {
  assertProblem(parseReply(await slow.answer), 408, "request_timeout");
  assert.ok(Number(slow.tookMs) > 14_000, `${slow.tookMs} ms`);
  slow.socket.destroy();
});
