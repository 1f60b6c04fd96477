import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import type { ProbeAnswer } from "../../messages/messages.ts";
import type { Status } from "../check.ts";
import { closedPort } from "../support.fixture.ts";
import { type Answer, askHealth, judgePublicUrl } from "./public-url.ts";

const alive: Answer = { kind: "alive" };
const none: Answer = { kind: "none", reason: "ECONNREFUSED" };

test("the public address is judged", () => {
  const cases: [url: string, more: object, answer: Answer, status: Status, finding: RegExp][] = [
    ["https://mail.example.com", {}, alive, "ok", /^Postrider answers at https:\/\/mail\.example\.com$/],
    ["http://mail.example.com", {}, alive, "warn", /RFC 8058/],
    ["http://127.0.0.1:4000", { isSet: false }, alive, "warn", /only this machine can reach/],
    ["http://127.0.0.1:4000", { isSet: false, sandbox: true }, alive, "info", /answers.*only this machine/],
    ["http://127.0.0.1:4000", { isSet: false, sandbox: true }, none, "info", /nothing answers/],
    ["https://10.0.0.8", {}, alive, "warn", /only your own network/],
    ["https://mail.example.com", {}, none, "fail", /nothing answers.*ECONNREFUSED/],
    [
      "https://mail.example.com",
      {},
      { kind: "other", status: 502, location: null },
      "fail",
      /no Postrider behind/,
    ],
    [
      "https://mail.example.com",
      {},
      { kind: "other", status: 200, location: null },
      "fail",
      /isn't Postrider/,
    ],
    [
      "http://mail.example.com",
      {},
      { kind: "other", status: 301, location: "https://mail.example.com/healthz" },
      "warn",
      /sends its visitors on to https:.*plain http/,
    ],
  ];
  for (const [url, more, answer, status, finding] of cases) {
    const address = { url, isSet: true, sandbox: false, servesUnsubscribe: true, ...more };
    const result = judgePublicUrl(address, answer);
    assert.equal(result.status, status, `${url} ${JSON.stringify(answer)}`);
    assert.match(result.finding, finding);
  }
});

test("so is what became of a POST, and whether there is a way out at all", () => {
  const address = { url: "https://mail.example.com", isSet: true, sandbox: false, servesUnsubscribe: true };
  const wall: ProbeAnswer = { kind: "other", status: 403, location: null };
  const cases: [more: object, probed: ProbeAnswer | undefined, status: Status, finding: RegExp][] = [
    [{}, { kind: "ours" }, "ok", /^Postrider answers.*a POST arrives/],
    [{}, undefined, "ok", /^Postrider answers at https:\/\/mail\.example\.com$/],
    [{}, wall, "fail", /a POST to .*\/u\/ doesn't arrive \(another answered, with 403\)/],
    [{}, { kind: "none", reason: "CERT_HAS_EXPIRED" }, "fail", /CERT_HAS_EXPIRED/],
    [{ sandbox: true }, wall, "warn", /doesn't arrive/],
    [{ servesUnsubscribe: false }, { kind: "ours" }, "warn", /leave nowhere but into the sandbox/],
    [{ servesUnsubscribe: false, sandbox: true }, { kind: "ours" }, "ok", /^Postrider answers/],
  ];
  for (const [more, probed, status, finding] of cases) {
    const result = judgePublicUrl({ ...address, ...more }, alive, probed);
    assert.equal(result.status, status, JSON.stringify([more, probed]));
    assert.match(result.finding, finding);
  }
});

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("a real server is asked for /healthz", async (t) => {
  const postrider = await serve(t, (request, response) => {
    assert.equal(request.url, "/healthz");
    response.end('{"status":"alive"}');
  });
  assert.deepEqual(await askHealth(postrider, 1_000), { kind: "alive" });

  const other = await serve(t, (_request, response) => void response.end("<h1>It works!</h1>"));
  assert.deepEqual(await askHealth(other, 1_000), { kind: "other", status: 200, location: null });

  const moved = await serve(t, (_request, response) => {
    response.writeHead(301, { location: "https://example.com/" }).end();
  });
  assert.deepEqual(await askHealth(moved, 1_000), {
    kind: "other",
    status: 301,
    location: "https://example.com/",
  });
});

test("a server that is away, and one that hangs, are no answer", async (t) => {
  assert.deepEqual(await askHealth(`http://127.0.0.1:${await closedPort()}`, 1_000), none);
  const silent = await serve(t, () => undefined);
  assert.deepEqual(await askHealth(silent, 200), { kind: "none", reason: "no answer within 0.2 s" });
  const endless = await serve(t, (_request, response) => void response.write("{"));
  assert.deepEqual(await askHealth(endless, 200), { kind: "none", reason: "no answer within 0.2 s" });
});
