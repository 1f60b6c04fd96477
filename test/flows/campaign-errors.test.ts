/** Why mail has not arrived, or not yet, as people see it while a campaign is sent and afterwards. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeAudience, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

/** What the server says to a recipient at each domain; each has an address or a number of its own in it. */
const REPLIES: Readonly<Record<string, readonly [code: number, text: string]>> = {
  "slow.example": [421, "4.7.0 [TSS04] Messages temporarily deferred"],
  "gone.example": [550, "5.1.1 <%> user unknown"],
  "full.example": [552, "5.2.2 mailbox % is over quota"],
};

describe("a campaign's errors by reason", () => {
  let app: TestApp;
  let relay: Relay;
  before(async () => {
    relay = await startRelay({
      disabledCommands: ["STARTTLS", "AUTH"],
      onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) {
        const reply = REPLIES[address.split("@")[1] ?? ""];
        if (!reply) return done();
        done(Object.assign(new Error(reply[1].replace("%", address)), { responseCode: reply[0] }));
      },
    });
    const SMTP_URL = `smtp://127.0.0.1:${relay.port}`;
    app = await createApp({ settings: { SMTP_URL, PUBLIC_URL: "https://mail.example.com" } });
  });
  after(async () => {
    await app.stop();
    await relay.close();
  });

  async function sendTo(emails: readonly string[]): Promise<string> {
    const listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 Road" });
    const subscribers = emails.map((email) => ({ email, list_id: listId }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    const { id } = await makeCampaign(app, listId);
    assert.equal((await act(app, id, "send")).status, 202);
    return id;
  }
  const people = (count: number, domain: string) =>
    Array.from({ length: count }, (_, n) => `p${n}@${domain}`);
  const errors = async (id: string): Promise<Json> => {
    const reply = await app.api("GET", `/v1/campaigns/${id}/stats/errors`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  it("are none before it is sent", async () => {
    const { id } = await makeCampaign(app, await makeAudience(app));
    const { counted, data, object } = await errors(id);
    assert.deepEqual([object, counted, data], ["campaign_errors", 0, []]);
  });

  it("have the server's words, the domains, and when those who wait are tried again", async () => {
    const id = await sendTo([
      ...people(12, "slow.example"),
      ...people(5, "gone.example"),
      ...people(2, "full.example"),
      ...people(20, "fine.example"),
    ]);
    await until(async () => {
      const { body } = await app.api("GET", `/v1/campaigns/${id}/stats`);
      return body.sent === 20 && body.failed === 7 && body.deferred === 12;
    });
    await until(async () => (await errors(id)).counted === 19);
    const { data } = await errors(id);
    const [slow, gone, ...others] = data;
    const shown = ({ status, reason, bounce }: Json) => [status, reason, bounce];
    assert.deepEqual([slow, gone].map(shown), [
      ["deferred", "rate_limited", null],
      ["failed", "user_unknown", "hard"],
    ]);
    // Whoever isn't tried yet when the provider asks for less waits for their turn, and gets no words of the server's.
    const waiting = others.find(({ reason }: Json) => reason === "waiting_turn");
    assert.equal(slow.count + (waiting?.count ?? 0), 12);
    const full = others.find(({ reason }: Json) => reason === "mailbox_full");
    assert.deepEqual([gone.count, ...shown(full), full.count], [5, "failed", "mailbox_full", "soft", 2]);
    assert.ok(new Date(slow.next_try_at).getTime() > Date.now());
    assert.deepEqual(
      slow.domains.map(({ domain, count }: Json) => [domain, count]),
      [["slow.example", slow.count]],
    );
    assert.match(slow.replies[0].text, /\[TSS04\] Messages temporarily deferred/);
    assert.deepEqual([gone.next_try_at, gone.replies.length, gone.replies[0].count], [null, 1, 5]);
    assert.match(gone.replies[0].text, /user unknown/);
    assert.equal((await act(app, id, "cancel")).status, 200);
    await until(async () => (await errors(id)).counted === 7);
  });

  it("of another account's campaign are not found", async () => {
    const reply = await app.api("GET", "/v1/campaigns/cmp_01k9zq4t3xe8k8y0v6d3m2n1pq/stats/errors");
    assert.equal(reply.status, 404);
  });
});

describe("a campaign that was read with its ETag", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api" } });
  });
  after(() => app.stop());
  const inAnHour = () => ({ send_at: new Date(Date.now() + 3_600_000).toISOString() });

  for (const [action, body] of [
    ["send", () => ({ undo_seconds: 30 })],
    ["schedule", inAnHour],
  ] as const) {
    it(`is not ${action === "send" ? "sent" : "scheduled"} once somebody has changed it`, async () => {
      const { id } = await makeCampaign(app, await makeAudience(app));
      const path = `/v1/campaigns/${id}`;
      const etag = (await app.api("GET", path)).headers.get("etag") ?? "";
      const changed = await app.api("PATCH", path, { body: { subject: "Another" } });
      const post = (tag: string) =>
        app.api("POST", `${path}/${action}`, { body: body(), headers: { "if-match": tag } });
      const refused = await post(etag);
      assert.deepEqual([refused.status, refused.body.code], [412, "precondition_failed"], refused.text);
      assert.equal((await readCampaign(app, id))["status"], "draft");
      const taken = await post(changed.headers.get("etag") ?? "");
      assert.equal(taken.body.status, "scheduled", taken.text);
    });
  }
});
