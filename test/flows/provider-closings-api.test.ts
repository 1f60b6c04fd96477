/** What is closed for a transport is shown with it, and opened by hand. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { INSTANCE_TRANSPORT } from "../../src/delivery/delivery.ts";
import { closeProvider } from "../../src/delivery/providers/providers.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false, destination: process.stderr });

describe("closings of a transport", () => {
  let app: TestApp;
  let id: string;
  let accountId: string;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api,jobs", SMTP_URL: "smtp://127.0.0.1:2500" } });
    const body = { name: "Our relay", host: "smtp.example.com" };
    id = (await app.api("POST", "/v1/transports", { body })).body.id;
    accountId = (await app.db.one<{ id: string }>(sql`select account_id as id from transports`)).id;
  });
  after(() => app.stop());

  const close = () =>
    app.db.transaction((tx) =>
      closeProvider(
        systemCtx({ clock: systemClock, log }, tx, accountId),
        { accountId, transportId: uuidOf("trn", id), provider: "google", fromDomain: "example.org" },
        {
          reason: "authentication",
          closeMs: 3_600_000,
          alert: true,
          reply: "550 5.7.26 no",
          toldBy: "session",
        },
      ),
    );
  const shown = async () => (await app.api("GET", `/v1/transports/${id}`)).body.closings;
  const reopen = (body: unknown, of = id) =>
    app.api("POST", `/v1/transports/${of}/reopen`, { body: body as never });
  const alerts = async () =>
    (await app.api("GET", "/v1/deliverability/alerts?kind=provider_closed")).body.data;

  test("it is shown with the transport, and an alert says what to do", async () => {
    assert.deepEqual(await shown(), []);
    await close();
    const [one] = await shown();
    assert.deepEqual(
      { ...one, since: undefined, until: undefined },
      {
        provider: "google",
        name: "Gmail and Google Workspace",
        from_domain: "example.org",
        reason: "authentication",
        reply: "550 5.7.26 no",
        since: undefined,
        until: undefined,
      },
    );
    assert.equal(new Date(one.until).getTime() - new Date(one.since).getTime(), 3_600_000);
    const [listed] = (await app.api("GET", "/v1/transports")).body.data;
    assert.equal(listed.closings.length, 1);
    const [alert] = await alerts();
    assert.equal(alert.subject, `google ${id} example.org`);
    assert.match(alert.remedy, /SPF, DKIM and DMARC/);
    assert.equal(alert.data.transport_id, id);
  });

  test("opened by hand, it is open, its alert is over, and what was put off goes sooner", async () => {
    const [one] = await shown();
    const [sourceId, contactId] = [newId(systemClock), newId(systemClock)];
    await app.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at, transport_id)
      values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', 'running', ${newId(systemClock)}, null, 'hold', now(), ${uuidOf("trn", id)})`);
    const due = new Date(new Date(one.until).getTime() + 120_000);
    await app.db.execute(sql`
      insert into retries (account_id, source_id, contact_id, due_at) values (${accountId}, ${sourceId}, ${contactId}, ${due})`);
    const reply = await reopen({ provider: "google" });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.closings, []);
    assert.deepEqual(await shown(), []);
    assert.deepEqual(
      (await alerts()).map(({ status }: { status: string }) => status),
      ["closed"],
    );
    await until(async () => {
      const { at } = await app.db.one<{ at: Date }>(
        sql`select due_at as at from retries where contact_id = ${contactId}`,
      );
      const inMs = at.getTime() - Date.now();
      return inMs > 60_000 && inMs <= 121_000;
    });
    await settled(app);
    const [entry] = (await app.api("GET", "/v1/audit?action=transport.reopened")).body.data;
    assert.equal(entry.action, "transport.reopened");
  });

  test("a provider that isn't closed stays open; unknown ones, other bodies and others' transports are refused", async () => {
    assert.equal((await reopen({ provider: "yahoo" })).status, 200);
    for (const body of [{ provider: "nobody" }, { provider: 7 }, {}, { provider: "google", more: 1 }])
      assert.equal((await reopen(body)).status, 422, JSON.stringify(body));
    assert.equal((await reopen({ provider: "google" }, "trn_01k9zq4t3xe8k8y0v6d3m2n1pq")).status, 404);
  });

  test("what is closed for the instance's server stands with how mail leaves, and nobody reads what was said to others", async () => {
    const other = newId(systemClock);
    const closeShared = (provider: string, metBy: string) =>
      app.db.transaction((tx) =>
        closeProvider(
          systemCtx({ clock: systemClock, log }, tx, metBy),
          { accountId: INSTANCE_TRANSPORT, transportId: INSTANCE_TRANSPORT, provider, fromDomain: "" },
          { reason: "rate", closeMs: 600_000, alert: false, reply: `of ${provider}`, toldBy: "session" },
        ),
      );
    const sending = async () => (await app.api("GET", "/v1/sending")).body;
    assert.deepEqual((await sending()).closings, []);
    await closeShared("yahoo", accountId);
    await closeShared("google", other);
    const { has_instance_server, closings } = await sending();
    assert.equal(has_instance_server, true);
    const found = closings.map((one: Record<string, unknown>) => [
      one["provider"],
      one["name"],
      one["reply"],
    ]);
    assert.deepEqual(found.sort(), [
      ["google", "Gmail and Google Workspace", null],
      ["yahoo", "Yahoo and AOL", "of yahoo"],
    ]);
    assert.deepEqual(await shown(), [], "a transport of the account has none of it");
  });
});
