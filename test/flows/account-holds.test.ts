/** An account that is held: what still works, what is refused, and that mail stops at once and goes on after it. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HOLD_KINDS } from "../../src/accounts/accounts.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, portOf, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { assertAgree, countTwice } from "../support/delivery.ts";
import { caughtFor, MAIL, postEmail, readEmail, untilStatus } from "../support/emails.ts";
import { makeForm, sendForm } from "../support/forms.ts";
import { hold, release } from "../support/holds.ts";
import { addPerson, openBrowser, PASSWORD, type Person, tokenOfLink } from "../support/people.ts";
import { sendWithPreferences } from "../support/preferences.ts";
import { connectRaw } from "../support/smtp/raw-client.ts";
import {
  addSubscriber,
  eventsSince,
  makeList,
  readSubscriber,
  settled,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PEOPLE = 2_000;
/** This is longer than senders and the schedule take to look again. */
const A_WHILE_MS = 1_500;

let app: TestApp;
let second: TestApp;
let owner: Person;
let listId: string;
before(async () => {
  app = await createApp({ settings: { SUBMISSION_PORT: "0" } });
  second = await createApp({ settings: { ROLES: "api" }, databaseUrl: app.databaseUrl });
  owner = await addPerson(app, "owner@example.com", "owner");
  listId = await makeList(app);
  await addSubscriber(app, listId, "ada@example.com");
});
after(async () => {
  await second.stop();
  await app.stop();
});
afterEach(async () => {
  for (const kind of HOLD_KINDS) await release(app, kind);
  await until(async () => (await app.api("POST", "/v1/lists", { body: { name: "Probe" } })).status === 201);
});

const refusedBy = (code: string, on: TestApp = app) =>
  until(
    async () =>
      (await on.api("POST", "/v1/lists", { key: app.key, body: { name: "Probe" } })).body.code === code,
    5_000,
  );

async function countRows(campaignId: string, state: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*) as count from deliveries where source_id = ${uuidOf("cmp", campaignId)} and state = ${state}`);
  return count;
}

async function makeCrowd(): Promise<string> {
  const crowdId = await makeList(app);
  for (let from = 0; from < PEOPLE; from += 1_000) {
    const subscribers = Array.from({ length: 1_000 }, (_, at) => ({
      email: `p${from + at}@crowd.example`,
      list_id: crowdId,
    }));
    assert.equal((await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } })).status, 200);
  }
  return crowdId;
}

describe("an account that takes no changes", () => {
  for (const [kind, code] of [
    ["suspended", "account_suspended"],
    ["deletion", "deletion_pending"],
  ] as const) {
    test(`(${kind}) is read and exported, and refuses writes by key and by session with ${code}, in every process within a second`, async () => {
      const { id } = await makeCampaign(app, listId);
      assert.equal(await hold(app, kind, "Unpaid since May"), true);
      assert.equal(await hold(app, kind, "Again"), false, "the first reason stands");
      const heldMs = performance.now();
      await Promise.all([refusedBy(code), refusedBy(code, second)]);
      assert.ok(performance.now() - heldMs < 1_000, "within a second");
      const bySession = await owner.browser.send("POST", "/v1/lists", { name: "By a person" });
      assert.deepEqual([bySession.status, bySession.body.code], [403, code], bySession.text);
      const account = await app.api("GET", "/v1/account");
      assert.equal(account.status, 200);
      const [held] = account.body.holds;
      assert.deepEqual([held.kind, held.reason], [kind, "Unpaid since May"]);
      assert.equal((await app.api("GET", "/v1/subscribers")).status, 200);
      assert.equal((await owner.browser.send("GET", "/v1/campaigns")).status, 200);
      assert.equal((await app.api("POST", `/v1/campaigns/${id}/preview`, { body: {} })).status, 200);
      const exported = await app.api("POST", "/v1/exports", { body: { list_id: listId } });
      assert.equal(exported.status, 201, exported.text);
      const file = await fetch(exported.body.download_url);
      assert.match(await file.text(), /ada@example\.com/);
      // A person's sign-in, factors and password are their own.
      const factor = await owner.browser.send("POST", "/v1/factors", { kind: "totp", name: "Phone" });
      assert.notEqual(factor.body.code, code, factor.text);
      const { body: list } = await app.api("GET", "/v1/lists?limit=200");
      assert.ok(!list.data.some(({ name }: { name: string }) => name === "By a person"));
    });
  }

  test("is joined by nobody, though the invitation was made before", async () => {
    const invited = await app.api("POST", "/v1/invitations", {
      body: { email: "late@example.com", role: "viewer" },
    });
    const token = tokenOfLink(invited.body.link);
    const join = () =>
      openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
    await hold(app, "suspended");
    assert.deepEqual([(await join()).status, (await join()).body.code], [403, "account_suspended"]);
    await release(app, "suspended");
    assert.equal((await join()).status, 201);
  });

  test("says the operator's word where its deletion is pending, too", async () => {
    await hold(app, "deletion");
    await hold(app, "suspended");
    await refusedBy("account_suspended");
    await release(app, "suspended");
    await refusedBy("deletion_pending");
  });

  test("lets recipients do what they do, and shows its forms as closed", async () => {
    const readers = await makeList(app);
    const reader = await addSubscriber(app, readers, "reader@example.com");
    const links = await sendWithPreferences(app, readers);
    const form = await makeForm(app, readers);
    await hold(app, "suspended");
    await refusedBy("account_suspended");
    const page = await fetch(`${app.baseUrl}/f/${form.id}`, { headers: { accept: "text/html" } });
    const [wasClosed, takes] = [page.status, await sendForm(app, form.id, { email: "new@example.com" })];
    assert.deepEqual([wasClosed, takes.status], [410, 410], takes.text);
    const path = (links.get("reader@example.com") ?? "").replace("/p/", "/u/");
    const left = await fetch(`${app.baseUrl}${path}`, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
    assert.ok(left.status < 300, await left.text());
    await until(async () => (await readSubscriber(app, reader["id"]))["status"] === "unsubscribed");
    await settled(app);
    const { events } = await eventsSince(app);
    assert.ok(
      events.some(
        ({ type, data }) => type === "subscriber.unsubscribed" && data.subscriber_id === reader["id"],
      ),
    );
  });

  test("takes no mail by SMTP", async () => {
    await hold(app, "suspended");
    await refusedBy("account_suspended");
    const client = await connectRaw(portOf(app, "takes mail by SMTP"));
    await client.reply();
    await client.ask("EHLO test");
    const plain = Buffer.from(`\0apikey\0${app.key}`).toString("base64");
    const said = await client.ask(`AUTH PLAIN ${plain}`);
    assert.match(said, /^535 5\.7\.8 account_suspended/);
    client.end();
  });
});

/** Tells whether no message is under way, and none was begun for longer than an admission lasts that began before the hold. */
async function isQuiet(id: string): Promise<boolean> {
  const sent = await countRows(id, "sent");
  await sleep(300);
  return (await countRows(id, "inflight")) === 0 && (await countRows(id, "sent")) === sent;
}

describe("sending", () => {
  for (const kind of HOLD_KINDS) {
    test(`(${kind}) stops in the midst of a campaign, and goes on after the release, to everybody once`, async () => {
      const { id } = await makeCampaign(app, await makeCrowd());
      assert.equal((await act(app, id, "send")).status, 202);
      await until(async () => (await countRows(id, "sent")) > 50);
      await hold(app, kind);
      await until(() => isQuiet(id), 10_000);
      const stopped = await countRows(id, "sent");
      assert.ok(stopped < PEOPLE, `${stopped} were sent before the hold`);
      await sleep(A_WHILE_MS);
      assert.equal(await countRows(id, "sent"), stopped);
      assert.equal((await readCampaign(app, id))["status"], "sending");
      await release(app, kind);
      await until(async () => (await readCampaign(app, id))["status"] === "sent");
      assert.equal(await countRows(id, "sent"), PEOPLE);
      assertAgree(await countTwice(app, uuidOf("acc", app.accountId), uuidOf("cmp", id)));
      const { twice } = await app.db.one<{ twice: number }>(sql`
        select count(*) as twice from (
          select from sandbox_messages where owner_id = ${uuidOf("cmp", id)} group by contact_id having count(*) > 1) as t`);
      assert.equal(twice, 0);
    });
  }

  test("of transactional mail waits, while the product's own mail leaves", async () => {
    const person = await addPerson(app, "forgetful@example.com");
    await hold(app, "standing");
    const mail = await postEmail(app, { ...MAIL, to: ["waits@example.com"] });
    assert.equal(mail.status, 202, mail.text);
    const asked = await app.api("POST", "/v1/password_resets", { key: null, body: { email: person.email } });
    assert.equal(asked.status, 202, asked.text);
    await until(async () => (await caughtFor(app, person.email)).length > 0);
    await sleep(A_WHILE_MS);
    assert.equal((await readEmail(app, mail.body.id))["status"], "queued");
    await release(app, "standing");
    await untilStatus(app, mail.body.id, "sent");
    assert.equal((await caughtFor(app, "waits@example.com")).length, 1);
  });

  test("is launched by nobody while its standing holds it, though changes go on", async () => {
    const { id } = await makeCampaign(app, listId);
    await hold(app, "standing", "Too many bounces");
    assert.equal((await app.api("PATCH", `/v1/campaigns/${id}`, { body: { name: "Renamed" } })).status, 200);
    const sent = await act(app, id, "send");
    assert.deepEqual(
      [sent.status, sent.body.code, sent.body.hold],
      [409, "sending_stopped", "standing"],
      sent.text,
    );
    const tested = await act(app, id, "test", { to: ["ada@example.com"] });
    assert.deepEqual([tested.status, tested.body.code], [409, "sending_stopped"], tested.text);
    assert.equal((await readCampaign(app, id))["status"], "draft");
    await release(app, "standing");
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
  });

  test("sends nothing with time to undo, and no tests, while its standing holds it", async () => {
    const { id } = await makeCampaign(app, listId);
    await hold(app, "standing");
    const code = async (path: string, body: object) =>
      (await app.api("POST", path, { body })).body.code ?? "done";
    assert.equal(await code(`/v1/campaigns/${id}/send`, { undo_seconds: 30 }), "sending_stopped");
    assert.equal(await code(`/v1/campaigns/${id}/test`, { to: ["ada@example.com"] }), "sending_stopped");
    assert.equal((await readCampaign(app, id))["status"], "draft");
    const transport = await app.api("POST", "/v1/transports", {
      body: { name: "Own", host: "localhost" },
    });
    const test = `/v1/transports/${transport.body.id}/test`;
    assert.equal(await code(test, { to: "ada@example.com" }), "sending_stopped");
    assert.notEqual(await code(test, {}), "sending_stopped");
    await app.api("DELETE", `/v1/transports/${transport.body.id}`);
  });

  test("of what is scheduled doesn't begin: it is paused when its time comes, and leaves when somebody says so", async () => {
    const { id } = await makeCampaign(app, listId);
    const soon = new Date(Date.now() + 1_500).toISOString();
    assert.equal((await act(app, id, "schedule", { send_at: soon })).status, 200);
    await hold(app, "suspended");
    await until(async () => (await readCampaign(app, id))["status"] === "paused");
    const paused = await readCampaign(app, id);
    assert.deepEqual([paused["paused_from"], paused["pause_reason"]], ["scheduled", "account_held"]);
    await release(app, "suspended");
    await sleep(A_WHILE_MS);
    assert.equal((await readCampaign(app, id))["status"], "paused", "it doesn't leave by itself");
    assert.equal((await act(app, id, "resume", { if_elapsed: "send_now" })).status, 200);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    assert.equal(await countRows(id, "sent"), 1);
  });
});
