import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Script, startScriptedServer } from "../../../test/support/smtp/scripted-server.ts";
import type { SmtpOptions } from "./options.ts";
import { probeServer } from "./probe.ts";

const message = {
  envelope: { from: "from@example.org", to: ["to@example.net"] },
  body: Buffer.from("Subject: hello\r\n\r\nHello.\r\n"),
};
const credentials = { user: "ada", password: "hunter2" };
const withAuth = "250-test\r\n250-PIPELINING\r\n250 AUTH PLAIN";

async function start(t: TestContext, script: Script) {
  const server = await startScriptedServer(script);
  t.after(() => server.close());
  const options: SmtpOptions = { host: "127.0.0.1", port: server.port, name: "tests.example" };
  return { server, options };
}

test("a server that takes everything is told nothing but what is needed, and left with QUIT", async (t) => {
  const { server, options } = await start(t, { EHLO: withAuth, AUTH: "235 come in" });
  const left = server.next("QUIT");
  const probe = await probeServer({ ...options, credentials }, { limitMs: 5_000 });
  await left;
  assert.equal(probe.failure, null);
  assert.deepEqual([probe.isSecure, probe.pipelining], [false, true]);
  assert.deepEqual(
    probe.steps.map(({ phase }) => phase),
    ["connect", "greeting", "ehlo", "auth"],
  );
  assert.ok(probe.steps.every(({ durationMs }) => durationMs >= 0 && durationMs < 5_000));
  assert.deepEqual(
    server.lines.map((line) => line.split(" ")[0]),
    ["EHLO", "AUTH", "QUIT"],
  );
});

test("a message goes along, and its refusal is the probe's", async (t) => {
  const { server, options } = await start(t, { RCPT: ["250 ok", "550 5.7.1 not to him"] });
  const taken = await probeServer(options, { limitMs: 5_000, message });
  assert.deepEqual([taken.failure, taken.steps.at(-1)?.phase], [null, "message"]);
  assert.equal(server.messages.length, 1);
  const { failure } = await probeServer(options, { limitMs: 5_000, message });
  assert.deepEqual([failure?.phase, failure?.code, failure?.text], ["rcpt", 550, "not to him"]);
});

const failures: [name: string, script: Script, phase: string, code: number | null][] = [
  ["refuses the connection", { greeting: "554 go away" }, "greeting", 554],
  ["closes at EHLO", { EHLO: (peer) => peer.destroy() }, "ehlo", null],
  ["refuses the password", { EHLO: withAuth, AUTH: "535 5.7.8 no" }, "auth", 535],
  ["offers no way to sign in", {}, "auth", null],
  ["refuses the sender", { EHLO: withAuth, AUTH: "235 ok", MAIL: "553 5.7.1 who?" }, "mail", 553],
  ["refuses the message", { EHLO: withAuth, AUTH: "235 ok", dot: "554 5.7.1 spam" }, "dot", 554],
];
for (const [name, script, phase, code] of failures) {
  test(`a server that ${name} fails there`, async (t) => {
    const { options } = await start(t, script);
    const { failure } = await probeServer({ ...options, credentials }, { limitMs: 5_000, message });
    assert.deepEqual([failure?.phase, failure?.code], [phase, code]);
  });
}

test("TLS that is required and not offered fails there", async (t) => {
  const { options } = await start(t, {});
  const { failure, steps } = await probeServer({ ...options, tls: "required" }, { limitMs: 5_000 });
  assert.equal(failure?.phase, "starttls");
  assert.equal(steps.at(-1)?.phase, "starttls");
});

for (const [at, script] of [
  ["greeting", { greeting: () => undefined }],
  ["ehlo", { EHLO: () => undefined }],
  ["mail", { MAIL: (peer) => peer.pause() }],
  ["dot", { dot: () => undefined }],
] as [string, Script][]) {
  test(`a server that falls silent at ${at} is left when the time is up`, async (t) => {
    const { server, options } = await start(t, script);
    const closed = server.next("close");
    const { failure } = await probeServer(options, { limitMs: 100, message });
    assert.deepEqual([failure?.phase, failure?.text], [at, "the server didn't answer within 0.1 s"]);
    await closed;
  });
}

test("the lookup is asked of names and of literal addresses, and its refusal keeps the server unreached", async (t) => {
  const { server, options } = await start(t, {});
  const asked: string[] = [];
  for (const host of ["localhost", "127.0.0.1"]) {
    const { failure } = await probeServer(
      {
        ...options,
        host,
        lookup(name, _options, callback) {
          asked.push(name);
          callback(Object.assign(new Error("not there"), { code: "EINTERNAL" }), "", 0);
        },
      },
      { limitMs: 5_000 },
    );
    assert.deepEqual([failure?.phase, failure?.text], ["connect", "not there (EINTERNAL)"]);
  }
  assert.deepEqual(asked, ["localhost", "127.0.0.1"]);
  assert.equal(server.connections(), 0);
});

test("where the lookup lets it pass, the server is reached by it", async (t) => {
  const { options } = await start(t, {});
  const lookup: SmtpOptions["lookup"] = (_name, { all }, callback) =>
    all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4);
  const { failure } = await probeServer({ ...options, host: "mail.example", lookup }, { limitMs: 5_000 });
  assert.equal(failure, null);
});
