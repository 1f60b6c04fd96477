/** What people see of guardrails: the account's limits, the reason of a pause, and a next campaign that is held. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { campaignOwner } from "../../src/campaigns/campaigns.ts";
import { noteFeedback } from "../../src/delivery/delivery.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, inAnHour, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { eventsSince, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DEFAULTS = {
  hard_bounce_pause_rate: 0.05,
  hard_bounce_after_mails: 200,
  complaint_warn_rate: 0.001,
  complaint_pause_rate: 0.003,
  complaint_after_mails: 1_000,
  complaint_after_complaints: 5,
  released_at: null,
};

describe("guardrails of an account", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api" } });
  });
  after(() => app.stop());
  const patch = (guardrails: unknown) => app.api("PATCH", "/v1/account", { body: { guardrails } });

  it("are the defaults until it changes some, and null restores one or all", async () => {
    assert.deepEqual((await app.api("GET", "/v1/account")).body.guardrails, DEFAULTS);
    const changed = await patch({ hard_bounce_pause_rate: 0.08, complaint_after_mails: 500 });
    assert.deepEqual(changed.body.guardrails, {
      ...DEFAULTS,
      hard_bounce_pause_rate: 0.08,
      complaint_after_mails: 500,
    });
    const read = await app.api("GET", "/v1/account");
    assert.equal(read.headers.get("etag"), changed.headers.get("etag"));
    const one = await patch({ complaint_after_mails: null });
    assert.deepEqual(one.body.guardrails, { ...DEFAULTS, hard_bounce_pause_rate: 0.08 });
    assert.deepEqual((await patch(null)).body.guardrails, DEFAULTS);
    const { events } = await eventsSince(app);
    const updated = events.filter(({ type }) => type === "account.updated");
    assert.deepEqual(
      updated.map(({ data }) => data["changed"]),
      [["guardrails"], ["guardrails"], ["guardrails"]],
    );
  });

  const refused: readonly [Json, string][] = [
    [{ hard_bounce_pause_rate: 0.5 }, "/guardrails/hard_bounce_pause_rate"],
    [{ hard_bounce_pause_rate: 0 }, "/guardrails/hard_bounce_pause_rate"],
    [{ hard_bounce_after_mails: 1 }, "/guardrails/hard_bounce_after_mails"],
    [{ hard_bounce_after_mails: 200.5 }, "/guardrails/hard_bounce_after_mails"],
    [{ complaint_warn_rate: 0.01 }, "/guardrails/complaint_warn_rate"],
    [{ complaint_pause_rate: 0.0005 }, "/guardrails/complaint_warn_rate"],
    [{ complaint_after_complaints: "5" }, "/guardrails/complaint_after_complaints"],
    [{ released_at: "2999-01-01T00:00:00Z" }, "/guardrails/released_at"],
    [{ released_at: "yesterday" }, "/guardrails/released_at"],
    [{ bounces: 1 }, "/guardrails/bounces"],
  ];
  for (const [guardrails, pointer] of refused) {
    it(`${JSON.stringify(guardrails)} is refused`, async () => {
      const reply = await patch(guardrails);
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(
        reply.body.errors.map((fault: Json) => fault["pointer"]),
        [pointer],
      );
      assert.deepEqual((await app.api("GET", "/v1/account")).body.guardrails, DEFAULTS);
    });
  }
});

describe("a campaign by a real server", () => {
  let app: TestApp;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let refusedShare = 0;
  before(async () => {
    relay = await startRelay({
      hideSTARTTLS: true,
      authOptional: true,
      onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) {
        const n = Number(/(\d+)@/.exec(address)?.[1]);
        if (refusedShare === 0 || n % refusedShare !== 0) return done();
        done(Object.assign(new Error("5.1.1 User unknown"), { responseCode: 550 }));
      },
    });
    app = await createApp({
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        PUBLIC_URL: "https://mail.example.com",
        RETRY_AFTER_SECONDS: "1",
      },
    });
    await limit({ hard_bounce_after_mails: 40, complaint_after_mails: 100 });
  });
  after(async () => {
    await app.stop();
    await relay.close();
  });

  const limit = async (guardrails: Json) => {
    const reply = await app.api("PATCH", "/v1/account", { body: { guardrails } });
    assert.equal(reply.status, 200, reply.text);
  };
  let lists = 0;
  async function makeAudience(people: number, key = app.key): Promise<string> {
    const name = `l${++lists}`;
    const listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 Road" }, key);
    for (let from = 0; from < people; from += 500) {
      const size = Math.min(500, people - from);
      const subscribers = Array.from({ length: size }, (_, at) => ({
        email: `p${from + at}@d${at % 30}.${name}.example`,
        list_id: listId,
      }));
      const added = await app.api("POST", "/v1/subscribers/batch", { key, body: { subscribers } });
      assert.ok(added.status < 300, added.text);
    }
    return listId;
  }
  const untilIs = (id: string, status: string) =>
    until(async () => (await readCampaign(app, id))["status"] === status).catch(async (error) => {
      const { body } = await app.api("GET", `/v1/campaigns/${id}/stats`);
      throw new Error(`it is not ${status}: ${JSON.stringify(body)}`, { cause: error });
    });
  const contacts = async (id: string) => {
    const rows = await app.db.many<{ contact_id: string }>(
      sql`select contact_id from deliveries where source_id = ${uuidOf("cmp", id)} and state = 'sent' order by 1`,
    );
    return rows.map((row) => row.contact_id);
  };
  const log = createLog({ level: "silent", pretty: false });
  const complain = (id: string, contactId: string) =>
    app.db.transaction((tx) =>
      noteFeedback(systemCtx({ clock: systemClock, log }, tx, uuidOf("acc", app.accountId)), campaignOwner, [
        {
          sourceId: uuidOf("cmp", id),
          contactId,
          kind: "complaint",
          at: systemClock.now(),
          itemId: newId(systemClock),
        },
      ]),
    );

  it("is paused for its hard bounces with the figures, and both are gone once it is resumed", async () => {
    refusedShare = 5;
    const listId = await makeAudience(1_000);
    const { id } = await makeCampaign(app, listId);
    assert.equal((await act(app, id, "send")).status, 202);
    await untilIs(id, "paused");
    const paused = await readCampaign(app, id);
    assert.deepEqual([paused["paused_from"], paused["pause_reason"]], ["sending", "hard_bounces"]);
    assert.match(paused["status_reason"], /^\d+ of \d+ mails bounced hard \([\d.]+%\); the limit is 5%$/);
    assert.deepEqual(paused["allowed_actions"], ["resume", "cancel", "duplicate"]);
    const told = (await eventsSince(app)).events.filter(({ type }) => type === "campaign.paused");
    assert.deepEqual(
      told.map(({ data }) => [data["campaign_id"], data["reason"], data["detail"]]),
      [[id, "hard_bounces", paused["status_reason"]]],
    );
    refusedShare = 0;
    const resumed = await act(app, id, "resume");
    assert.deepEqual([resumed.body.pause_reason, resumed.body.status_reason], [null, null]);
    // Refusals that were on the wire at the pause count for the time after the resume, and may pause it once more.
    await until(async () => {
      const { status } = await readCampaign(app, id);
      if (status === "paused") await act(app, id, "resume");
      return status === "sent";
    });
    const { body } = await app.api("GET", `/v1/campaigns/${id}/stats`);
    assert.equal(body.sent + body.failed, 1_000);
  });

  it("late complaints are in its numbers and hold the next one, until somebody releases it", async () => {
    const listId = await makeAudience(200);
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await untilIs(id, "sent");
    const ready = await makeCampaign(app, listId);
    for (const contactId of (await contacts(id)).slice(0, 5)) await complain(id, contactId);
    const { body: stats } = await app.api("GET", `/v1/campaigns/${id}/stats`);
    assert.deepEqual([stats.complaints, stats.rates.complaint, stats.delivered], [5, 0.025, 200]);
    const warned = (await eventsSince(app)).events.filter(({ type }) => type === "campaign.warned");
    assert.deepEqual(
      warned.map(({ data }) => [data["campaign_id"], data["reason"], data["holds_next"]]),
      [
        [id, "complaints", false],
        [id, "complaints", true],
      ],
    );

    const { body: checked } = await app.api("GET", `/v1/campaigns/${ready["id"]}/checks`);
    assert.equal(checked.blocks_send, true);
    const [check] = checked.checks.filter(({ code }: Json) => code === "guardrail_hold");
    assert.match(check.message, new RegExp(`5 of 200 recipients complained .*${id}`));
    for (const [action, body] of [["send"], ["schedule", { send_at: inAnHour() }]] as const) {
      const reply = await act(app, ready["id"], action, body);
      assert.deepEqual([reply.status, reply.body.code], [422, "preflight_failed"], reply.text);
      assert.deepEqual(
        reply.body.errors.map((fault: Json) => fault["code"]),
        ["guardrail_hold"],
      );
    }
    // The remedy can be followed as it stands.
    const [, released_at] = /"released_at": "([^"]+)"/.exec(check.remedy) ?? [];
    await limit({ released_at });
    assert.equal((await act(app, ready["id"], "send")).status, 202);
    await untilIs(ready["id"], "sent");
  });

  it("a hold that arises while one is scheduled fails it at its time, with nothing sent", async () => {
    const listId = await makeAudience(120);
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await untilIs(id, "sent");
    const { id: next } = await makeCampaign(app, listId);
    const before = relay.received.length;
    const send_at = new Date(Date.now() + 20_000).toISOString();
    assert.equal((await act(app, next, "schedule", { send_at })).status, 200);
    for (const contactId of (await contacts(id)).slice(0, 5)) await complain(id, contactId);
    await app.db.execute(sql`update campaigns set send_at = now() where id = ${uuidOf("cmp", next)}`);
    await untilIs(next, "failed");
    assert.match((await readCampaign(app, next))["status_reason"], /guardrail_hold/);
    assert.equal(relay.received.length, before);
  });

  it("another account's campaigns are not held", async () => {
    const { key } = await app.addAccount();
    const listId = await makeAudience(3, key);
    const body = { name: "n", list_id: listId, subject: "s", html: "<p>x</p>" };
    const made = await app.api("POST", "/v1/campaigns", { key, body });
    const codes = made.body.checks.map(({ code }: Json) => code);
    assert.ok(!codes.includes("guardrail_hold"), codes.join());
    assert.equal((await app.api("POST", `/v1/campaigns/${made.body.id}/send`, { key })).status, 202);
  });
});
