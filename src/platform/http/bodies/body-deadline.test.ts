/** Sends bodies slowly or not at all, under limits that are a hundredth of the real ones. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openSocket, parseReply, readAll } from "../../../../test/support/raw-http.ts";
import { until } from "../../../../test/support/until.ts";
import { systemClock } from "../../clock.ts";
import { createLog } from "../../log.ts";
import { AppError, unauthorized } from "../../problems.ts";
import { createServer, type HttpServer } from "../server.ts";
import { acceptUploads, readUpload } from "./upload.ts";

/** So long a connection is watched. */
const UNANSWERED_MS = 20_000;
const LIMITS = { withinMs: 300, leastBytesPerSecond: 10_000, lingerMs: 200 };

let server: HttpServer;
let address = "";
let uploaded = 0;
before(async () => {
  const log = createLog({ level: "silent", pretty: false });
  const baseUrl = () => "http://test";
  server = createServer({ log, clock: systemClock, trustProxy: 0, baseUrl, bodyDeadline: LIMITS });
  server.fastify.addHook("onRequest", async (request) => {
    if (request.url === "/refused") throw new AppError(unauthorized, "no key");
  });
  server.fastify.post("/refused", async () => ({}));
  server.fastify.post("/json", async (request) => ({ read: JSON.stringify(request.body).length }));
  acceptUploads(server.fastify, {
    method: "POST",
    url: "/upload",
    async handler(request) {
      const { file } = await readUpload(request, 10_000_000);
      uploaded = 0;
      for await (const chunk of file.chunks) uploaded += chunk.length;
      return { read: uploaded };
    },
  });
  address = await server.fastify.listen({ host: "127.0.0.1", port: 0 });
});
after(() => server.stop(100));

const PARTS =
  '--x\r\ncontent-disposition: form-data; name="options"\r\n\r\n{}\r\n' +
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';

function headOf(path: string, type: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
}

const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Returns everything that came back, and how long the connection stayed open while `drip` was sent every 20 ms. */
async function trickle(
  head: string,
  drip: string,
): Promise<{ answer: string; socket: Socket; openMs: number }> {
  const startedAt = performance.now();
  const socket = await openSocket(address);
  const answer = readAll(socket);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(head);
  const dripping = setInterval(() => socket.write(drip), 20);
  await Promise.race([closed, sleep(UNANSWERED_MS)]);
  clearInterval(dripping);
  socket.destroy();
  return { answer: await answer, socket, openMs: performance.now() - startedAt };
}

describe("a body", () => {
  it("that trickles in is answered with 408 when its time is over, and its connection ends", async () => {
    const { answer, openMs } = await trickle(headOf("/json", "application/json"), chunkOf(" "));
    assert.deepEqual(
      [parseReply(answer).status, JSON.parse(parseReply(answer).body).code],
      [408, "request_timeout"],
    );
    assert.ok(openMs >= LIMITS.withinMs && openMs < UNANSWERED_MS, `${openMs} ms`);
  });

  it("that is refused unread doesn't hold its connection", async () => {
    for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain"]) {
      const { answer, openMs } = await trickle(headOf("/refused", type), chunkOf(" "));
      assert.equal(parseReply(answer).status, 401, answer);
      assert.ok(openMs >= LIMITS.lingerMs && openMs < UNANSWERED_MS, `${openMs} ms`);
    }
  });

  it("that is refused and then soon complete leaves its connection good for the next request", async () => {
    const socket = await openSocket(address);
    const heard: string[] = [];
    socket.on("data", (bytes) => heard.push(String(bytes)));
    socket.write(headOf("/refused", "application/json") + chunkOf("{"));
    await until(() => /^HTTP\/1\.1 401 /.test(heard.join("")));
    socket.write(`${chunkOf("}")}0\r\n\r\n`);
    await sleep(LIMITS.lingerMs + 100);
    socket.write(`${headOf("/json", "application/json")}${chunkOf("{}")}0\r\n\r\n`);
    await until(() => /HTTP\/1\.1 200 OK/.test(heard.join("")));
    socket.destroy();
  });
});

describe("an upload", () => {
  const head = headOf("/upload", "multipart/form-data; boundary=x") + chunkOf(PARTS);

  it("may take many times as long as another body where it keeps its rate", async () => {
    const socket = await openSocket(address);
    const answer = readAll(socket);
    socket.write(head);
    const startedAt = performance.now();
    while (performance.now() - startedAt < LIMITS.withinMs * 4) {
      socket.write(chunkOf("a".repeat(1_000)));
      await sleep(20);
    }
    socket.write(`${chunkOf("\r\n--x--\r\n")}0\r\n\r\n`);
    await sleep(100);
    socket.end();
    const { status, body } = parseReply(await answer);
    assert.equal(status, 200, body);
    assert.ok(uploaded > 10_000, `${uploaded} bytes`);
  });

  it("below its rate is answered with 408, however steadily it comes", async () => {
    const { answer, openMs } = await trickle(head, chunkOf("a"));
    assert.equal(parseReply(answer).status, 408, answer);
    assert.ok(openMs < UNANSWERED_MS, `${openMs} ms`);
  });
});
