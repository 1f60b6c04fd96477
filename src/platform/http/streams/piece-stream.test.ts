import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { createPieceStream, type PieceStream } from "./piece-stream.ts";

/** Answers one request by a stream, as the server does, and returns the answer. */
async function answerBy(stream: PieceStream) {
  const server = createServer((_, response) => {
    stream.readable.pipe(response);
    stream.readable.once("error", () => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const asked = get({ port: (server.address() as AddressInfo).port });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { response, close: () => server.close() };
}

describe("a stream of pieces", () => {
  it("says of each piece when its memory may be used again", async () => {
    const stream = createPieceStream();
    const written = (async () => {
      const memory = Buffer.alloc(64 * 1_024);
      for (let n = 0; n < 200; n++) await stream.write(memory.fill(n));
      stream.end();
    })();
    const { response, close } = await answerBy(stream);
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part);
    await written;
    const all = Buffer.concat(parts);
    assert.equal(all.length, 200 * 64 * 1_024);
    for (let at = 0; at < all.length; at += 1_024) assert.equal(all[at], Math.floor(at / 65_536));
    close();
  });

  it("refuses to write on where the reader has gone", async () => {
    const stream = createPieceStream();
    const writing = (async () => {
      for (;;) await stream.write(Buffer.alloc(64 * 1_024));
    })();
    const { response, close } = await answerBy(stream);
    await once(response, "data");
    response.destroy();
    await assert.rejects(writing);
    close();
  });

  it("breaks off where it is destroyed, and whoever waits to write hears of it", async () => {
    const stream = createPieceStream();
    stream.readable.destroy();
    await assert.rejects(stream.write(Buffer.alloc(1)), /given up/);
  });
});
