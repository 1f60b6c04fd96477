/** What is answered before the framework sees it looks to a client as if it had been answered behind it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sendRaw } from "../../../test/support/raw-http.ts";
import { systemClock } from "../clock.ts";
import { createLog } from "../log.ts";
import type { Answered, DirectRequest } from "./direct.ts";
import { createServer, type HttpServer } from "./server.ts";

const TRUSTED = 2;
const told: Answered[] = [];

async function describeRequest({ method, url, ip, hostname, headers }: DirectRequest) {
  if (headers["x-fail"]) throw new Error("a bug");
  if (headers["x-bad-header"]) return { status: 200, headers: { "x-bad": "one\r\ntwo" }, body: "" };
  const body = JSON.stringify({ method, url, ip, hostname });
  return {
    status: 200,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "private" },
    body,
  };
}

let server: HttpServer;
let address = "";
before(async () => {
  const log = createLog({ level: "silent", pretty: false });
  server = createServer({ log, clock: systemClock, trustProxy: TRUSTED, baseUrl: () => "http://test" });
  server.onAnswered((answered) => {
    if (answered.route === "/direct/unheard") throw new Error("a bug of who listens");
    told.push(answered);
  });
  server.answerDirectly((path) => {
    if (path === "/direct/untaken") throw new Error("a bug of who takes");
    if (path === "/direct/unheard") return { route: path, answer: describeRequest };
    return /^\/direct\/\d$/.test(path) ? { route: "/direct/:n", answer: describeRequest } : undefined;
  });
  for (const path of ["/direct/:n", "/usual/:n"]) {
    server.fastify.get(path, async (request, reply) => {
      const { status, headers, body } = await describeRequest(request);
      return reply.code(status).headers(headers).header("x-way", "usual").send(body);
    });
  }
  address = await server.fastify.listen({ host: "127.0.0.1", port: 0 });
});
after(() => server.stop(100));

const ask = (path: string, headers = "", method = "GET") =>
  sendRaw(address, `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`);

describe("an answer before the framework", () => {
  it("has the status, the headers and the body that the framework would send", async () => {
    for (const method of ["GET", "HEAD"]) {
      const id = "x-request-id: 0123456789\r\n";
      const [direct, usual] = [
        await ask("/direct/1?q=%00", id, method),
        await ask("/usual/1?q=%00", id, method),
      ];
      assert.equal(direct.headers["x-way"], undefined);
      assert.equal(usual.headers["x-way"], "usual");
      const { "x-way": _way, date: _date, "content-length": usualLength, ...others } = usual.headers;
      const { date: _at, "content-length": length, ...own } = direct.headers;
      assert.deepEqual(own, others);
      // "direct" is one letter longer than "usual".
      assert.equal(Number(length), Number(usualLength) + 1);
      assert.deepEqual([direct.status, direct.body], [usual.status, usual.body.replace("usual", "direct")]);
    }
  });

  it("makes a request id where the client's own is none", async () => {
    for (const id of ["", "x-request-id: ada@example.com\r\n"]) {
      assert.match((await ask("/direct/1", id)).headers["x-request-id"] ?? "", /^req_[0-9a-f]{24}$/);
    }
  });

  it("knows the client's address as the framework does, whatever X-Forwarded-For says", async () => {
    const lists = [
      "1.1.1.1",
      "1.1.1.1, 2.2.2.2",
      "3.3.3.3,1.1.1.1 ,  2.2.2.2",
      ",",
      " , ,",
      "1.1.1.1,,",
      ",,1.1.1.1",
    ];
    const hostile = [
      "a b, c d",
      "::1\t,x",
      "x".repeat(5_000),
      `${"1.1.1.1,".repeat(1_000)}2.2.2.2`,
      "é, ü, ß",
      "[::1]:80",
    ];
    for (const list of [...lists, ...hostile]) {
      const header = `x-forwarded-for: ${list}\r\n`;
      const [direct, usual] = [await ask("/direct/1", header), await ask("/usual/1", header)];
      assert.equal(JSON.parse(direct.body).ip, JSON.parse(usual.body).ip, list);
    }
    const twice = "x-forwarded-for: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2\r\n";
    assert.equal(JSON.parse((await ask("/direct/1", twice)).body).ip, "1.1.1.1");
  });

  it("is left to the framework for other paths, other methods and requests with a body", async () => {
    assert.equal((await ask("/direct/x")).headers["x-way"], "usual");
    assert.equal((await ask("/direct/%31")).headers["x-way"], "usual");
    assert.equal((await ask("http://x/direct/1")).headers["x-way"], "usual");
    assert.equal((await ask("/direct/1", "content-length: 0\r\n")).headers["x-way"], "usual");
    assert.equal((await ask("/direct/1", "", "PUT")).status, 404);
  });

  it("is told to logs and metrics under its pattern", async () => {
    told.length = 0;
    await ask("/direct/7");
    assert.deepEqual(
      told.map(({ method, route, status }) => ({ method, route, status })),
      [{ method: "GET", route: "/direct/:n", status: 200 }],
    );
    assert.ok((told[0]?.durationMs ?? -1) >= 0);
  });

  it("is a problem where it fails", async () => {
    const { status, headers, body } = await ask("/direct/1", "x-fail: 1\r\n");
    assert.deepEqual([status, headers["content-type"]], [500, "application/problem+json; charset=utf-8"]);
    assert.equal(JSON.parse(body).code, "internal_error");
    assert.equal(headers["x-content-type-options"], "nosniff");
  });

  it("closes the connection where not even a problem can be answered, and the process goes on", async () => {
    const escaped: unknown[] = [];
    const keep = (error: unknown) => escaped.push(error);
    process.on("unhandledRejection", keep).on("uncaughtException", keep);
    try {
      const header = await ask("/direct/1", "x-bad-header: 1\r\n").catch(() => undefined);
      assert.notEqual(header?.status, 200);
      const untaken = await ask("/direct/untaken").catch(() => undefined);
      assert.notEqual(untaken?.status, 200);
      await ask("/direct/unheard").catch(() => undefined);
      assert.equal((await ask("/direct/1")).status, 200);
      assert.deepEqual(escaped, []);
    } finally {
      process.off("unhandledRejection", keep).off("uncaughtException", keep);
    }
  });
});
