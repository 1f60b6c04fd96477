/** Tests TLS and signing in, against a server that isn't ours. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { TLSSocket } from "node:tls";
import { SMTPServer } from "smtp-server";
import { testCertificate, testKey } from "../../../test/support/smtp/certificate.ts";
import { startPool } from "../../../test/support/smtp/pool.ts";
import { createSmtpPool, type SmtpOptions } from "./smtp.ts";

const message = {
  envelope: { from: "from@example.org", to: ["to@example.net"] },
  body: Buffer.from("Subject: hello\r\n\r\nHello.\r\n"),
};
const credentials = { user: "ada", password: "hunter2 é" };

type Seen = { secure: boolean; servername: unknown; method: string | undefined; body: string };

async function startServer(t: TestContext, options: object) {
  const seen: Seen[] = [];
  let method: string | undefined;
  const server = new SMTPServer({
    key: testKey,
    cert: testCertificate,
    authOptional: true,
    onAuth(auth, _session, done) {
      method = auth.method;
      const isRight =
        auth.method === "XOAUTH2"
          ? auth.accessToken === "a token"
          : auth.method === "CRAM-MD5"
            ? auth.validatePassword(credentials.password)
            : auth.password === credentials.password;
      if (isRight && auth.username === credentials.user) return done(null, { user: "ada" });
      return done(new Error(`no ${auth.username} with ${auth.password}`));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { secure, servername } = session as { secure: boolean; servername?: unknown };
        seen.push({ secure, servername, method, body: Buffer.concat(chunks).toString() });
        done();
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  async function send(client: Partial<SmtpOptions>) {
    const pool = createSmtpPool({
      host: "127.0.0.1",
      port,
      ca: testCertificate,
      name: "tests.example",
      ...client,
    });
    const outcome = await pool.send(message);
    await pool.drain();
    return outcome;
  }
  return { send, seen };
}

describe("TLS", () => {
  test("by STARTTLS where it is offered, with the name that was asked for", async (t) => {
    const { send, seen } = await startServer(t, {});
    const outcome = await send({ serverName: "mail.example.test" });
    assert.equal(outcome.kind, "accepted", outcome.text);
    assert.deepEqual([seen[0]?.secure, seen[0]?.servername], [true, "mail.example.test"]);
    assert.equal(seen[0]?.body, String(message.body));
  });

  test("from the first byte", async (t) => {
    const { send, seen } = await startServer(t, { secure: true });
    assert.equal((await send({ tls: "implicit" })).kind, "accepted");
    assert.equal(seen[0]?.secure, true);
  });

  test("never: STARTTLS is left alone", async (t) => {
    const { send, seen } = await startServer(t, {});
    assert.equal((await send({ tls: "never" })).kind, "accepted");
    assert.equal(seen[0]?.secure, false);
  });

  test("required, and not offered: nothing is sent", async (t) => {
    const { send, seen } = await startServer(t, { hideSTARTTLS: true });
    const outcome = await send({ tls: "required" });
    assert.deepEqual([outcome.kind, outcome.phase, seen.length], ["unreachable", "starttls", 0]);
  });

  test("opportunistic, and not offered: goes without", async (t) => {
    const { send } = await startServer(t, { hideSTARTTLS: true });
    assert.equal((await send({ tls: "opportunistic" })).kind, "accepted");
  });

  for (const [why, client] of [
    ["nobody signed", { ca: undefined }],
    ["names another host", { serverName: "other.example.test" }],
  ] as const) {
    test(`with a certificate that ${why} is refused, unless verification is off`, async (t) => {
      const { send, seen } = await startServer(t, {});
      const options = { host: "127.0.0.1", ...client } as Partial<SmtpOptions>;
      const outcome = await send(options);
      assert.deepEqual([outcome.kind, outcome.phase, seen.length], ["unreachable", "starttls", 0]);
      assert.equal((await send({ ...options, verifyCertificate: false })).kind, "accepted");
    });
  }

  test("with a server that talks no TLS behind its 220 fails there", async (t) => {
    const answerInPlainText = (peer: Socket) => {
      peer.removeAllListeners("data").on("data", () => peer.write("500 what\r\n"));
      peer.write("220 go\r\n");
    };
    const { pool } = await startPool(t, { EHLO: "250-test\r\n250 STARTTLS", STARTTLS: answerInPlainText });
    const outcome = await pool.send(message);
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "starttls"]);
  });

  test("with a server that never finishes its handshake is given up", async (t) => {
    const script = { EHLO: "250-test\r\n250 STARTTLS", STARTTLS: "220 go" };
    const { pool } = await startPool(t, script, { timeouts: { tlsMs: 10 } });
    const outcome = await pool.send(message);
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "starttls"]);
  });

  test("throws away what came before it: a reply slipped in behind the 220 is not heard", async (t) => {
    const heard: string[] = [];
    const upgrade = (peer: Socket) => {
      peer.removeAllListeners("data");
      // An attacker in between adds the capability, in plain text and in one packet with the 220.
      peer.write("220 go\r\n250-test\r\n250 AUTH PLAIN\r\n", () => {
        const secure = new TLSSocket(peer, { isServer: true, key: testKey, cert: testCertificate });
        secure.on("error", () => undefined);
        secure.on("data", (chunk: Buffer) => {
          heard.push(String(chunk));
          secure.write("250 test\r\n");
        });
      });
    };
    const script = { EHLO: "250-test\r\n250 STARTTLS", STARTTLS: upgrade };
    const { pool } = await startPool(t, script, { ca: testCertificate, credentials });
    const outcome = await pool.send(message);
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "auth"]);
    assert.deepEqual(heard, ["EHLO tests.example\r\n"]);
  });
});

describe("signing in", () => {
  for (const method of ["PLAIN", "LOGIN", "CRAM-MD5"] as const) {
    test(`by ${method}`, async (t) => {
      const { send, seen } = await startServer(t, { authMethods: [method] });
      assert.equal((await send({ credentials })).kind, "accepted");
      assert.equal(seen[0]?.method, method);
    });

    test(`by ${method}, refused: the password isn't in the outcome`, async (t) => {
      const { send, seen } = await startServer(t, { authMethods: ["PLAIN", "LOGIN", "CRAM-MD5"] });
      const outcome = await send({ credentials: { user: "ada", password: "swordfish", method } });
      assert.deepEqual([outcome.kind, outcome.phase, outcome.code], ["rejected", "auth", 535]);
      assert.doesNotMatch(JSON.stringify(outcome), /swordfish|ada\b/);
      assert.equal(seen.length, 0);
    });
  }

  test("by XOAUTH2, with a token asked for anew", async (t) => {
    const { send, seen } = await startServer(t, { authMethods: ["XOAUTH2"] });
    assert.equal(
      (await send({ credentials: { user: "ada", accessToken: async () => "a token" } })).kind,
      "accepted",
    );
    assert.equal(seen[0]?.method, "XOAUTH2");
    const refused = await send({ credentials: { user: "ada", accessToken: () => "an old token" } });
    assert.deepEqual([refused.kind, refused.phase], ["rejected", "auth"]);
  });

  test("by a token that can't be had fails, and says nothing of why", async (t) => {
    const { send } = await startServer(t, { authMethods: ["XOAUTH2"] });
    const accessToken = () => Promise.reject(new Error("secret reason"));
    const outcome = await send({ credentials: { user: "ada", accessToken } });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "auth"]);
    assert.doesNotMatch(outcome.text, /secret reason/);
  });

  test("where nothing in common is offered fails", async (t) => {
    const { send } = await startServer(t, { authMethods: ["PLAIN"] });
    const outcome = await send({ credentials: { ...credentials, method: "CRAM-MD5" } });
    assert.deepEqual([outcome.kind, outcome.phase], ["unreachable", "auth"]);
  });

  test("without TLS prefers what doesn't reveal the password", async (t) => {
    const { send, seen } = await startServer(t, { hideSTARTTLS: true, authMethods: ["PLAIN", "CRAM-MD5"] });
    assert.equal((await send({ credentials })).kind, "accepted"); // The server is on loopback.
    assert.equal(seen[0]?.method, "CRAM-MD5");
  });

  test("is repeated by a server: nothing of it reaches the outcome", async (t) => {
    const echo = Buffer.from("\0ada\0hunter2 é").toString("base64");
    const script = { EHLO: "250-test\r\n250 AUTH PLAIN", AUTH: `535 5.7.8 ${echo} is hunter2 é of ada` };
    const { pool } = await startPool(t, script, { credentials });
    const outcome = await pool.send(message);
    assert.equal(outcome.text, "*** is *** of ***");
  });
});
