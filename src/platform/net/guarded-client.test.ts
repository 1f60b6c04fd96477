import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { testCertificate, testKey } from "../../../test/support/smtp/certificate.ts";
import type { ResolveName } from "./egress-filter.ts";
import { createGuardedClient, type GuardedAnswer, type GuardedClientOptions } from "./guarded-client.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function startHttps(t: TestContext, listener: Listener): Promise<number> {
  const server = createHttpsServer({ key: testKey, cert: testCertificate }, listener);
  t.after(() => server.closeAllConnections());
  return listen(t, server);
}

function client(options: Partial<GuardedClientOptions> = {}) {
  return createGuardedClient({ internalHosts: ["127.0.0.1"], authorities: [testCertificate], ...options });
}

/** Says in a word or two what came of it. */
function brief(answer: GuardedAnswer): string {
  return answer.kind === "answered" ? `${answer.status} ${answer.body}` : `${answer.kind} ${answer.why}`;
}

const answersTo =
  (addresses: readonly string[], asked: string[] = []): ResolveName =>
  (host, _options, callback) => {
    asked.push(host);
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };

test("an answer over TLS is read, and the request asks for it plainly", async (t) => {
  const seen: IncomingMessage[] = [];
  const port = await startHttps(t, (request, response) => {
    seen.push(request);
    response.end("hello");
  });
  assert.equal(brief(await client().fetch(`https://localhost:${port}/a?b=c`)), "200 hello");
  assert.equal(seen[0]?.url, "/a?b=c");
  assert.equal(seen[0]?.headers.host, `localhost:${port}`);
  assert.equal(seen[0]?.headers["accept-encoding"], "identity");
  assert.equal(seen[0]?.headers.cookie, undefined);
});

test("an answer tells when the certificate of its host ends", async (t) => {
  const port = await startHttps(t, (_request, response) => response.end("hello"));
  const answer = await client().fetch(`https://localhost:${port}/`);
  assert.deepEqual(
    answer.kind === "answered" && answer.certificateEndsAt,
    new X509Certificate(testCertificate).validToDate,
  );
});

test("a body is posted with the headers that were given", async (t) => {
  const port = await startHttps(t, async (request, response) => {
    const chunks = await Array.fromAsync(request);
    response.end(`${request.method} ${request.headers["content-type"]} ${Buffer.concat(chunks)}`);
  });
  const answer = await client().fetch(`https://localhost:${port}/`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: Buffer.from("hi"),
  });
  assert.equal(brief(answer), "200 POST text/plain hi");
});

test("an internal address is refused in every spelling, and nothing is sent", async (t) => {
  let connections = 0;
  const server = createTcpServer((socket) => socket.destroy());
  server.on("connection", () => connections++);
  const port = await listen(t, server);
  const hosts = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "0.0.0.0",
    "0",
    "169.254.169.254",
    "10.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::1]",
    "[fe80::1]",
    "[fd00::1]",
    "[2002:7f00:1::]",
    "localhost",
  ];
  const guarded = createGuardedClient({ internalHosts: [] });
  for (const host of hosts) {
    const answer = await guarded.fetch(`https://${host}:${port}/`);
    assert.equal(brief(answer), "refused internal", host);
  }
  assert.equal(connections, 0);
});

test("what is no plain https URL is refused", async () => {
  const cases: [string, string][] = [
    ["http://example.org/", "refused not_https"],
    ["ftp://example.org/", "refused not_https"],
    ["file:///etc/passwd", "refused bad_url"],
    ["data:text/plain,hi", "refused bad_url"],
    ["https://user:secret@example.org/", "refused has_credentials"],
    ["https://user@example.org/", "refused has_credentials"],
    ["https://[fe80::1%25eth0]/", "refused bad_url"],
    ["https://[::1%lo]/", "refused bad_url"],
    ["https://exa\nmple.org/", "refused bad_url"],
    ["https:\\\\example.org", "refused bad_url"],
    [" https://example.org/", "refused bad_url"],
    ["https://", "refused bad_url"],
    ["nothing", "refused bad_url"],
    [`https://example.org/${"a".repeat(5_000)}`, "refused bad_url"],
  ];
  for (const [url, expected] of cases) assert.equal(brief(await client().fetch(url)), expected, url);
});

test("plain http is taken where it is asked for", async (t) => {
  const port = await listen(
    t,
    createHttpServer((_request, response) => response.end("plain")),
  );
  assert.equal(brief(await client().fetch(`http://127.0.0.1:${port}/`)), "refused not_https");
  assert.equal(brief(await client().fetch(`http://127.0.0.1:${port}/`, { allowsHttp: true })), "200 plain");
});

test("a name is resolved once, and what was judged is what is connected to", async (t) => {
  const port = await startHttps(t, (_request, response) => response.end("inside"));
  const asked: string[] = [];
  // The first answer is public, though nobody has that address; every later one is internal.
  const flipping: ResolveName = (host, options, callback) => {
    const isFirst = asked.length === 0;
    answersTo([isFirst ? "2000::1" : "127.0.0.1"], asked)(host, options, callback);
  };
  const guarded = client({ internalHosts: [], resolve: flipping });
  const first = await guarded.fetch(`https://rebind.example:${port}/`, { limitsMs: { connect: 200 } });
  assert.equal(first.kind, "failed");
  assert.deepEqual(asked, ["rebind.example"]);
  assert.equal(brief(await guarded.fetch(`https://rebind.example:${port}/`)), "refused internal");
  assert.equal(asked.length, 2);
});

test("of several addresses of a name, only those that are public are tried", async (t) => {
  const port = await startHttps(t, (_request, response) => response.end("inside"));
  const mixed = answersTo(["127.0.0.1", "::1", "169.254.169.254", "64:ff9b::7f00:1"]);
  const guarded = client({ internalHosts: [], resolve: mixed });
  assert.equal(brief(await guarded.fetch(`https://localhost:${port}/`)), "refused internal");
  const listed = client({ internalHosts: ["localhost"], resolve: answersTo(["127.0.0.1"]) });
  assert.equal(brief(await listed.fetch(`https://localhost:${port}/`)), "200 inside");
});

test("a redirect is an answer, and isn't followed", async (t) => {
  const paths: (string | undefined)[] = [];
  const port = await startHttps(t, (request, response) => {
    paths.push(request.url);
    response.writeHead(302, { location: "/elsewhere", "set-cookie": "a=b" }).end();
  });
  const guarded = client();
  assert.equal(brief(await guarded.fetch(`https://localhost:${port}/`)), "302 ");
  assert.equal(brief(await guarded.fetch(`https://localhost:${port}/`)), "302 ");
  assert.deepEqual(paths, ["/", "/"]);
});

test("a certificate that nobody we know has signed, or that is for another name, isn't believed", async (t) => {
  const port = await startHttps(t, (_request, response) => response.end("secret"));
  const unknown = createGuardedClient({ internalHosts: ["127.0.0.1"] });
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  t.after(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  assert.equal(brief(await unknown.fetch(`https://localhost:${port}/`)), "failed untrusted");
  const other = client({ resolve: answersTo(["127.0.0.1"]) });
  assert.equal(brief(await other.fetch(`https://other.example:${port}/`)), "failed untrusted");
});

test("an answer that is slow at any step ends in time", async (t) => {
  const silent = createTcpServer(() => undefined);
  const sockets = new Set<{ destroy(): unknown }>();
  silent.on("connection", (socket) => sockets.add(socket));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  const handshake = await listen(t, silent);
  const short = (limitsMs: object) => ({ limitsMs });
  const codeOf = (answer: GuardedAnswer) =>
    answer.kind === "failed" ? `${answer.why} ${answer.code}` : answer.kind;
  assert.equal(
    codeOf(await client().fetch(`https://127.0.0.1:${handshake}/`, short({ connect: 50 }))),
    "timeout connect",
  );
  const mute = await startHttps(t, () => undefined);
  assert.equal(
    codeOf(await client().fetch(`https://localhost:${mute}/`, short({ headers: 50 }))),
    "timeout headers",
  );
  const dripping = await startHttps(t, (_request, response) => {
    response.write("a");
    const timer = setInterval(() => response.write("a"), 5);
    response.on("close", () => clearInterval(timer));
  });
  assert.equal(
    codeOf(await client().fetch(`https://localhost:${dripping}/`, short({ whole: 150 }))),
    "timeout whole",
  );
});

test("an answer that is too large or endless is cut off, whatever its length says", async (t) => {
  let written = 0;
  const port = await startHttps(t, (request, response) => {
    if (request.url === "/said")
      return void response.writeHead(200, { "content-length": "5000000" }).write("a");
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1_024))) written += 64 * 1_024;
    };
    response.on("drain", more);
    more();
  });
  const most = { mostBytes: 100_000 };
  assert.equal(brief(await client().fetch(`https://localhost:${port}/endless`, most)), "failed too_large");
  assert.ok(written < 50_000_000);
  assert.equal(brief(await client().fetch(`https://localhost:${port}/said`, most)), "failed too_large");
});

test("an answer that is packed, though we asked for none, is refused", async (t) => {
  const port = await startHttps(t, (_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(10_000_000)));
  });
  assert.equal(brief(await client().fetch(`https://localhost:${port}/`)), "failed encoded");
});

test("a connection that is refused, cut off or no HTTP is a value", async (t) => {
  const gone = createTcpServer();
  const port = await listen(t, gone);
  await new Promise((resolve) => gone.close(resolve));
  assert.equal(brief(await client().fetch(`https://127.0.0.1:${port}/`)), "failed unreachable");
  const cut = await startHttps(t, (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("a", () => response.destroy());
  });
  assert.equal(brief(await client().fetch(`https://localhost:${cut}/`)), "failed broken");
  const headers = await startHttps(t, (_request, response) => {
    response.writeHead(200, { "x-long": "a".repeat(20_000) }).end();
  });
  assert.equal(brief(await client().fetch(`https://localhost:${headers}/`)), "failed broken");
});
