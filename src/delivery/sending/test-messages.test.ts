import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Script, startScriptedServer } from "../../../test/support/smtp/scripted-server.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import { createLog } from "../../platform/log.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { sendTest } from "./test-messages.ts";

const payload = {
  account_id: "",
  transport_id: "00000000-0000-0000-0000-000000000000",
  from: "news@example.org",
  to: "zqxada@example.com",
  message: Buffer.from("Subject: hello\r\n\r\nHello.\r\n").toString("base64"),
};

/** Sends by the instance's server, for which no database is needed. */
async function start(t: TestContext, script: Script) {
  const server = await startScriptedServer(script);
  t.after(() => server.close());
  const lines: string[] = [];
  const log = createLog({
    level: "trace",
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const tools = {
    secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
    internalHosts: [],
    relay: { host: "127.0.0.1", port: server.port },
  };
  const run = (attempt: number) =>
    sendTest(
      {
        db: undefined as unknown as Db,
        clock: systemClock,
        log,
        signal: new AbortController().signal,
        attempt,
      },
      tools,
      payload,
    );
  return { server, lines, run };
}

test("a test message is handed to the server once, and the connection is given back", async (t) => {
  const { server, lines, run } = await start(t, {});
  await run(1);
  assert.equal(server.messages.length, 1);
  assert.deepEqual(lines, []);
  assert.ok(server.lines.includes("QUIT"));
});

test("deferred it is tried again, and its error names nobody", async (t) => {
  const { run } = await start(t, { RCPT: "451 4.7.1 zqxada@example.com later" });
  for (const attempt of [1, 2]) {
    await assert.rejects(run(attempt), (error: Error) => {
      assert.match(error.message, /deferred at rcpt \(451\)/);
      return !error.message.includes("zqxada");
    });
  }
});

const ends: [why: string, script: Script, attempt: number][] = [
  ["deferred for the third time", { RCPT: "451 4.7.1 zqxada later" }, 3],
  ["refused", { RCPT: "550 5.1.1 zqxada unknown" }, 1],
  ["cut off after its dot, where a second one might be too many", { dot: (peer) => peer.destroy() }, 1],
];
for (const [why, script, attempt] of ends) {
  test(`${why} it is given up, so that no job keeps its address, and the log names nobody`, async (t) => {
    const { server, lines, run } = await start(t, script);
    await run(attempt);
    assert.equal(server.connections(), 1);
    assert.match(lines.join(""), /a test message was not delivered/);
    assert.ok(!lines.join("").includes("zqxada"));
  });
}
