import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Worker } from "node:worker_threads";
import { loadConfig } from "../../src/platform/config/load.ts";
import { sql } from "../../src/platform/db/db.ts";
import type { SenderThreadData } from "../../src/roles/sender-threads.ts";
import { createApp, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { addSubscriber, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const SECRET_KEY = "a secret key for tests of 32 characters or more";

describe("threads that send", () => {
  let relay: ScriptedServer;
  before(async () => {
    const replyLate = (peer: { write(text: string): void }) =>
      void setTimeout(() => peer.write("250 ok\r\n"), 20);
    relay = await startScriptedServer({ dot: replyLate });
  });
  beforeEach(() => {
    (relay.messages as Buffer[]).length = 0;
  });
  after(() => relay.close());

  const smtpUrl = () => `smtp://127.0.0.1:${relay.port}?connections=3`;

  async function makeReadyCampaign(app: TestApp, people: number): Promise<string> {
    const listId = await makeList(app);
    const body = { postal_address: "1 High Street, London" };
    await app.api("PATCH", `/v1/lists/${listId}`, { body });
    for (let from = 0; from < people; from += 50) {
      const names = Array.from(
        { length: Math.min(50, people - from) },
        (_, n) => `person${from + n}@example.com`,
      );
      await Promise.all(names.map((email) => addSubscriber(app, listId, email)));
    }
    return (await makeCampaign(app, listId, { from_email: "news@example.org" })).id;
  }

  async function send(app: TestApp, id: string): Promise<void> {
    const sent = await act(app, id, "send");
    assert.equal(sent.status, 202, sent.text);
  }
  const isSent = (app: TestApp, id: string) =>
    until(async () => (await readCampaign(app, id)).status === "sent");
  const workers = (app: TestApp) =>
    app.db.many<{ id: string }>(sql`select id from workers where kind = 'sender' and taken_over_at is null`);

  test("there are none before there is something to send, and none when the service has stopped", async () => {
    const app = await createApp({
      settings: { SENDER_THREADS: "2", SMTP_URL: smtpUrl() },
      served: WITH_UNSUBSCRIBE,
    });
    try {
      assert.equal((await workers(app)).length, 0);
      const id = await makeReadyCampaign(app, 40);
      await send(app, id);
      await isSent(app, id);
      assert.equal(relay.messages.length, 40);
      await until(async () => (await workers(app)).length === 2);
    } finally {
      await app.stop();
    }
    assert.ok(!app.logs.some((line) => /"level":"error"/.test(line)));
  });

  test("one that is killed in the midst of sending is taken over within 15 s, and nobody is lost", async () => {
    const settings = { ROLES: "api,jobs", SMTP_URL: smtpUrl() };
    const app = await createApp({ settings, served: WITH_UNSUBSCRIBE });
    const { config } = loadConfig(
      { DATABASE_URL: app.databaseUrl, SECRET_KEY, LOG_LEVEL: "error", ...settings },
      "none",
    );
    const workerData: SenderThreadData = {
      config,
      connection: app.databaseUrl,
      linkKey: Buffer.alloc(32),
      secretKeys: [SECRET_KEY],
      isLogPretty: false,
      contentLimits: { threads: 1, compileTimeoutMs: 20_000, renderTimeoutMs: 5_000, memoryMb: 128 },
    };
    const startThread = () =>
      new Worker(new URL("../../src/roles/sender-thread.ts", import.meta.url), { workerData });
    const first = startThread();
    let second: Worker | undefined;
    try {
      const id = await makeReadyCampaign(app, 400);
      await send(app, id);
      await until(() => relay.messages.length >= 60);
      await first.terminate();
      const killedMs = performance.now();
      second = startThread();
      await isSent(app, id);
      const seconds = (performance.now() - killedMs) / 1_000;
      assert.ok(seconds < 25, `sent ${seconds.toFixed(1)} s after the kill, of which 15 until the take-over`);
      const recipients = relay.messages.map((one) => /^To: (.*)$/m.exec(one.toString())?.[1]);
      assert.equal(new Set(recipients).size, 400, "nobody is lost");
      const messageIds = relay.messages.map((one) => /^Message-ID: (.*)$/m.exec(one.toString())?.[1]);
      const twice = messageIds.length - new Set(messageIds).size;
      assert.ok(twice <= 24, `${twice} were sent twice, of 24 that may be on the wire or not yet written`);
    } finally {
      await first.terminate();
      second?.postMessage({ graceMs: 2_000 });
      await app.stop();
      await second?.terminate();
    }
  });
});
