/** These tests hold sunset policies against people who read, who don't, and whose reading can't be seen. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sentCampaigns } from "../../src/campaigns/campaigns.ts";
import { INSTANCE_TRANSPORT, SANDBOX_TRANSPORT } from "../../src/delivery/ids.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import type { JobCtx } from "../../src/platform/jobs/jobs.ts";
import { createLog } from "../../src/platform/log.ts";
import { changeAddress, recordEngagement, sunsetJobs } from "../../src/subscribers/subscribers.ts";
import { judgeListOf } from "../../src/subscribers/sunset/sunset.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeCampaign, readCampaign } from "../support/campaigns.ts";
import { makeForm, sendForm, untilTaken } from "../support/forms.ts";
import { sendWithPreferences } from "../support/preferences.ts";
import {
  addSubscriber,
  confirmByMail,
  eventsSince,
  type Json,
  makeList,
  readSubscriber,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const log = createLog({ level: "silent", pretty: false });
const POLICY = { days: 90, mails: 3, grace_days: 14 };
const NO_CLICKS = { opens: true, clicks: false };
const ALL = { opens: true, clicks: true };

let app: TestApp;
let accountId: string;
before(async () => {
  app = await createApp();
  accountId = uuidOf("acc", app.accountId);
});
after(() => app.stop());

type Person = { id: string; contactId: string; email: string };

/** Adds somebody who came to the list long ago, as an account that exists for years has them. */
async function addPerson(
  listId: string,
  more: { consent?: boolean; consentDaysAgo?: number; createdDaysAgo?: number } = {},
) {
  const [id, contactId] = [newId(systemClock), newId(systemClock)];
  const email = `p${id.slice(-12)}@example.com`;
  const createdAt = daysAgo(more.createdDaysAgo ?? 700);
  await app.db.execute(sql`
    insert into contacts (account_id, id, address_hash, created_at) values (${accountId}, ${contactId}, ${Buffer.from(id)}, now())`);
  await app.db.execute(sql`
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, tracking_consent,
                             tracking_consent_at, created_at, updated_at)
    values (${accountId}, ${id}, ${uuidOf("lst", listId)}, ${contactId}, ${email}, ${email}, '{}', 'active', 'test',
            ${more.consent ?? null}, ${more.consentDaysAgo ? daysAgo(more.consentDaysAgo) : null}, ${createdAt}, ${createdAt})`);
  return { id: toPublicId("sub", id), contactId, email };
}

/** Adds such a one by the API, whom a form finds by the address. */
async function addByApi(listId: string): Promise<Person> {
  const email = `a${newId(systemClock).slice(-12)}@example.com`;
  const id: string = (await addSubscriber(app, listId, email))["id"];
  const then = daysAgo(700);
  const row = await app.db.one<{ contact_id: string }>(sql`
    update subscribers set created_at = ${then}, consented_at = ${then}, confirmed_at = null
    where account_id = ${accountId} and id = ${uuidOf("sub", id)} returning contact_id`);
  await app.db.execute(sql`
    delete from consents where account_id = ${accountId} and subscriber_id = ${uuidOf("sub", id)}`);
  return { id, contactId: row.contact_id, email };
}

/** Writes a campaign that was sent so many days ago, as the ledger keeps it; returns its id. */
async function sendPast(
  listId: string,
  days: number,
  tracking: object,
  to: readonly Person[],
  { transportId = INSTANCE_TRANSPORT, links = [{ url: "https://example.com/", isDynamic: false }] } = {},
): Promise<string> {
  const id = newId(systemClock);
  const content = { tracking, compiled: { links } };
  await app.db.execute(sql`
    insert into revisions (account_id, id, digest, content, created_at)
    values (${accountId}, ${id}, ${Buffer.from(id)}, ${JSON.stringify(content)}::jsonb, now())`);
  await app.db.execute(sql`
    insert into sources (account_id, id, stream, state, list_id, on_ambiguous, launched_at, revision_id, owner_id)
    values (${accountId}, ${id}, 'campaign', 'finished', ${uuidOf("lst", listId)}, 'resend', ${daysAgo(days)}, ${id}, ${id})`);
  await app.db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at)
    select ${accountId}, ${id}, contact, 'campaign', ${transportId}, 'sent', now()
    from unnest(${to.map(({ contactId }) => contactId)}::uuid[]) as contact`);
  return id;
}

/** Three campaigns within the days of the policy, and one from before them. */
async function sendSeveral(listId: string, tracking: object, to: readonly Person[]): Promise<string[]> {
  const ids: string[] = [];
  for (const days of [10, 30, 60, 200]) ids.push(await sendPast(listId, days, tracking, to));
  return ids;
}

function hit(
  person: Person,
  kind: "open" | "click",
  days: number,
  by: "human" | "machine" | "prefetch" = "human",
) {
  return app.db.transaction((tx) =>
    recordEngagement(tx, systemClock, [
      {
        accountId,
        contactId: person.contactId,
        campaignId: null,
        kind,
        linkKey: null,
        at: daysAgo(days),
        by,
      },
    ]),
  );
}

const jobCtx = (db: Db = app.db, signal = new AbortController().signal): JobCtx => ({
  db,
  clock: systemClock,
  log,
  signal,
  attempt: 1,
});
const runNight = (listId: string, db?: Db) =>
  judgeListOf(jobCtx(db), sentCampaigns, { accountId, listId: uuidOf("lst", listId) });

async function put(listId: string, body: Json = POLICY): Promise<Json> {
  const answer = await app.api("PUT", `/v1/lists/${listId}/sunset`, { body });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const dormancy = async ({ id }: Person) => (await readSubscriber(app, id))["dormancy"];
const counts = async (listId: string) => (await app.api("GET", `/v1/lists/${listId}/sunset`)).body.counts;

/** Moves what the policy did into the past. */
const age = (listId: string, days: number) =>
  app.db.execute(sql`
    update dormancies set marked_at = ${daysAgo(days)}, changed_at = ${daysAgo(days)}
    where account_id = ${accountId} and list_id = ${uuidOf("lst", listId)}`);

/** A list with a policy of no grace, and somebody whom it has put to sleep. */
async function addDormant(): Promise<{ listId: string; person: Person; campaignId: string }> {
  const listId = await makeList(app);
  const person = await addPerson(listId);
  const [campaignId = ""] = await sendSeveral(listId, ALL, [person]);
  await put(listId, { ...POLICY, grace_days: 0 });
  await runNight(listId);
  assert.equal(await dormancy(person), "dormant");
  return { listId, person, campaignId };
}

const typesOf = async (person: Person, cursor: string) =>
  (await eventsSince(app, cursor)).events
    .filter(({ data }) => data.subscriber_id === person.id)
    .map(({ type, data }) => [type, data.was, data.reason].filter(Boolean).join(" "));

describe("a policy", () => {
  it("is set, read, changed, paused and deleted", async () => {
    const listId = await makeList(app);
    const path = `/v1/lists/${listId}/sunset`;
    assert.equal((await app.api("GET", path)).status, 404);
    assert.equal((await app.api("DELETE", path)).status, 404);
    const {
      created_at: createdAt,
      updated_at: updatedAt,
      ...made
    } = await put(listId, { days: 365, mails: 12 });
    assert.ok(createdAt && updatedAt);
    assert.deepEqual(made, {
      object: "sunset_policy",
      list_id: listId,
      days: 365,
      mails: 12,
      grace_days: 30,
      paused: false,
      paused_at: null,
      counts: { warned: 0, dormant: 0 },
    });
    const paused = await put(listId, { ...POLICY, paused: true });
    assert.deepEqual([paused["paused"], paused["days"], paused["grace_days"]], [true, 90, 14]);
    assert.equal((await put(listId, { ...POLICY, paused: true }))["paused_at"], paused["paused_at"]);
    assert.equal((await put(listId))["paused_at"], null);
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await app.api("GET", path)).status, 404);
  });

  it("has an ETag of what can be edited, and isn't overwritten by who read it before another's change", async () => {
    const listId = await makeList(app);
    const path = `/v1/lists/${listId}/sunset`;
    await put(listId);
    const etag = (await app.api("GET", path)).headers.get("etag") ?? "";
    const set = (days: number, ifMatch: string) =>
      app.api("PUT", path, { body: { ...POLICY, days }, headers: { "if-match": ifMatch } });
    const changed = await set(120, etag);
    assert.deepEqual([changed.status, changed.headers.get("etag") === etag], [200, false], changed.text);
    assert.equal((await set(150, etag)).status, 412);
    assert.equal((await app.api("GET", path)).body.days, 120);
    await app.api("DELETE", path);
    assert.equal((await set(150, etag)).status, 412, "there is none any more");
  });

  it("of another account's list is not found, whatever is asked of it", async () => {
    const { key } = await app.addAccount();
    const listId = await makeList(app);
    await put(listId);
    const person = await addPerson(listId);
    const path = `/v1/lists/${listId}/sunset`;
    for (const [method, at, body] of [
      ["GET", path, undefined],
      ["PUT", path, POLICY],
      ["DELETE", path, undefined],
      ["POST", `${path}/preview`, { days: 90, mails: 3 }],
      ["POST", `/v1/subscribers/${person.id}/wake`, undefined],
    ] as const) {
      const answer = await app.api(method, at, { key, ...(body && { body }) });
      assert.equal(answer.status, 404, `${method} ${at}: ${answer.text}`);
    }
    assert.equal((await app.api("GET", path)).body.days, 90);
  });

  it("of numbers that make no sense is refused", async () => {
    const listId = await makeList(app);
    const wrong: readonly [Json, string][] = [
      [{ days: 29 }, "/days"],
      [{ days: 1_096 }, "/days"],
      [{ days: 90.5 }, "/days"],
      [{ mails: 0 }, "/mails"],
      [{ mails: 51 }, "/mails"],
      [{ grace_days: -1 }, "/grace_days"],
      [{ grace_days: 91 }, "/grace_days"],
      [{ paused: "yes" }, "/paused"],
      [{ more: 1 }, "/more"],
    ];
    for (const [one, pointer] of wrong) {
      const answer = await app.api("PUT", `/v1/lists/${listId}/sunset`, { body: { ...POLICY, ...one } });
      assert.equal(answer.status, 422, answer.text);
      assert.equal(answer.body.errors[0].pointer, pointer, answer.text);
    }
    const missing = await app.api("PUT", `/v1/lists/${listId}/sunset`, { body: {} });
    assert.deepEqual(
      missing.body.errors.map((one: Json) => one["pointer"]),
      ["/days", "/mails"],
    );
  });
});

describe("who is judged", () => {
  it("showed nothing, though clicks could be seen in enough mail; nobody else is marked", async () => {
    const listId = await makeList(app);
    const silent = await addPerson(listId);
    const hidden = await addPerson(listId);
    const robot = await addPerson(listId);
    const agreed = await addPerson(listId, { consent: true, consentDaysAgo: 400 });
    const marked = [silent, hidden, robot, agreed];
    const reader = await addPerson(listId);
    const clicker = await addPerson(listId);
    const newcomer = await addPerson(listId, { createdDaysAgo: 40 });
    const refused = await addPerson(listId, { consent: false, consentDaysAgo: 400 });
    const answered = await addPerson(listId, { consent: true, consentDaysAgo: 20 });
    const buyer = await addPerson(listId);
    const chooser = await addPerson(listId);
    const left = await addPerson(listId);
    const spared = [reader, clicker, newcomer, refused, answered, buyer, chooser, left];
    const seldom = await addPerson(listId);
    await sendSeveral(listId, ALL, [...marked, ...spared]);
    for (const days of [5, 50]) await sendPast(listId, days, ALL, [seldom]);
    await hit(hidden, "open", 5, "prefetch");
    await hit(robot, "click", 5, "machine");
    await hit(silent, "click", 100);
    await hit(reader, "open", 80);
    await hit(clicker, "click", 80);
    const bought = { subscriber_id: buyer.id, name: "order.placed" };
    assert.equal((await app.api("POST", "/v1/track", { body: bought })).status, 202);
    const topic = (await app.api("POST", "/v1/topics", { body: { name: "Offers", default: false } })).body.id;
    await app.db.execute(sql`
      insert into topic_choices (account_id, contact_id, topic_id, is_on, source, at)
      values (${accountId}, ${chooser.contactId}, ${uuidOf("top", topic)}, true, 'test', ${daysAgo(10)})`);
    await app.api("POST", `/v1/subscribers/${left.id}/unsubscribe`);

    const body = { days: POLICY.days, mails: POLICY.mails };
    const preview = await app.api("POST", `/v1/lists/${listId}/sunset/preview`, { body });
    assert.deepEqual(preview.body, {
      object: "sunset_preview",
      list_id: listId,
      count: marked.length,
      silent: marked.length + 3,
      // Who refused, who answered lately and who was seldom mailed.
      not_judged: 3,
    });
    await put(listId);
    await runNight(listId);
    for (const one of marked) assert.equal(await dormancy(one), "warned", one.email);
    for (const one of [...spared, seldom]) assert.equal(await dormancy(one), null, one.email);
    assert.deepEqual(await counts(listId), { warned: marked.length, dormant: 0 });
    const again = await app.api("POST", `/v1/lists/${listId}/sunset/preview`, { body });
    assert.equal(again.body.count, 0, "who is marked already isn't counted");
  });

  it("is nobody where no click could be seen, however many opens are missing", async () => {
    const listId = await makeList(app);
    const [one, two] = [
      await addPerson(listId),
      await addPerson(listId, { consent: true, consentDaysAgo: 400 }),
    ];
    await sendSeveral(listId, NO_CLICKS, [one, two]);
    await put(listId, { ...POLICY, grace_days: 0 });
    await runNight(listId);
    assert.deepEqual(await counts(listId), { warned: 0, dormant: 0 });
    // Mail that is tracked of those who agreed says nothing of the others.
    await sendSeveral(listId, { ...ALL, mode: "consented" }, [one, two]);
    await runNight(listId);
    assert.deepEqual([await dormancy(one), await dormancy(two)], [null, "dormant"]);
  });

  it("is nobody by mail that the sandbox kept", async () => {
    const listId = await makeList(app);
    const person = await addPerson(listId);
    for (const days of [20, 40]) await sendPast(listId, days, ALL, [person]);
    for (const days of [10, 30, 50])
      await sendPast(listId, days, ALL, [person], { transportId: SANDBOX_TRANSPORT });
    await put(listId);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    await sendPast(listId, 60, ALL, [person]);
    await runNight(listId);
    assert.equal(await dormancy(person), "warned");
  });

  it("is nobody by mail without a link of its author's, in which there is nothing to click", async () => {
    const listId = await makeList(app);
    const person = await addPerson(listId);
    const honeypot = { url: "", isDynamic: false, isHoneypot: true };
    const uncounted = { url: "{{ address }}", isDynamic: true };
    for (const days of [20, 40]) await sendPast(listId, days, ALL, [person]);
    for (const links of [[], [honeypot], [uncounted]]) await sendPast(listId, 30, ALL, [person], { links });
    await put(listId);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    await sendPast(listId, 60, ALL, [person]);
    await runNight(listId);
    assert.equal(await dormancy(person), "warned");
  });

  it("is nobody who signed up again, saved the preference page as it was, or paused, however little that changed", async () => {
    const listId = await makeList(app);
    const [silent, saver, pauser] = [
      await addPerson(listId),
      await addPerson(listId),
      await addPerson(listId),
    ];
    const signer = await addByApi(listId);
    const paths = await sendWithPreferences(app, listId);
    await sendSeveral(listId, ALL, [silent, signer, saver, pauser]);
    await put(listId);
    const form = await makeForm(app, listId);
    const sent = await sendForm(app, form.id, { email: signer.email, "agree-to-mail": "yes" });
    assert.ok(sent.status < 400, sent.text);
    await untilTaken(app);
    const save = async ({ email }: Person, pause: string) => {
      const body = new URLSearchParams({ pause, act: "save" });
      const saved = await fetch(app.baseUrl + paths.get(email), { method: "POST", body, redirect: "manual" });
      assert.ok(saved.status < 400, await saved.text());
    };
    await save(saver, "none");
    await save(pauser, "30");
    await app.db.execute(sql`
      delete from contact_pauses where account_id = ${accountId} and contact_id = ${pauser.contactId}`);
    await runNight(listId);
    assert.deepEqual(await Promise.all([silent, signer, saver, pauser].map(dormancy)), [
      "warned",
      null,
      null,
      null,
    ]);
    // It lasts for as many days as the policy has, as waking by hand does.
    await age(listId, 91);
    await runNight(listId);
    for (const one of [signer, saver, pauser]) assert.equal(await dormancy(one), "warned", one.email);
  });

  it("is nobody who has just made an address theirs, on lists that this address was on already too", async () => {
    const listId = await makeList(app);
    const [silent, settled] = [await addByApi(listId), await addByApi(listId)];
    const mover = await addByApi(await makeList(app));
    await sendSeveral(listId, ALL, [silent, settled]);
    await put(listId);
    const { hash } = await app.db.one<{ hash: Buffer }>(sql`
      select address_hash as hash from contacts where account_id = ${accountId} and id = ${settled.contactId}`);
    const address = { address: settled.email, key: settled.email };
    const changed = await app.db.transaction((tx) =>
      changeAddress(
        systemCtx({ clock: systemClock, log }, tx, accountId),
        () => hash,
        mover.contactId,
        address as Parameters<typeof changeAddress>[3],
        {},
      ),
    );
    assert.equal(changed, true);
    await runNight(listId);
    assert.deepEqual(await Promise.all([silent, settled].map(dormancy)), ["warned", null]);
  });

  it("is nobody by mail that came in the last three days, which may be read yet", async () => {
    const listId = await makeList(app);
    const person = await addPerson(listId);
    for (const days of [0, 1, 2.9, 20, 40]) await sendPast(listId, days, ALL, [person]);
    await put(listId);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    await sendPast(listId, 3.1, ALL, [person]);
    await runNight(listId);
    assert.equal(await dormancy(person), "warned");
  });

  it("is nobody new while the policy is paused", async () => {
    const listId = await makeList(app);
    const person = await addPerson(listId);
    await sendSeveral(listId, ALL, [person]);
    await put(listId, { ...POLICY, paused: true });
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    await put(listId);
    await runNight(listId);
    await put(listId, { ...POLICY, paused: true });
    await age(listId, 20);
    await runNight(listId);
    assert.equal(await dormancy(person), "warned");
  });
});

describe("who is warned", () => {
  it("is mailed still, is found by a segment, and is dormant after the grace", async () => {
    const listId = await makeList(app);
    const [silent, reader] = [await addPerson(listId), await addPerson(listId)];
    await sendSeveral(listId, ALL, [silent, reader]);
    await hit(reader, "open", 3);
    await put(listId);
    const { cursor } = await eventsSince(app);
    await runNight(listId);
    const rules = { field: "dormancy", op: "is", value: "warned" };
    const made = await app.api("POST", "/v1/segments", {
      body: { name: "Win back", list_id: listId, rules },
    });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.sentence, "Is warned by the sunset policy.");
    const campaign = await makeCampaign(app, listId, { segment_id: made.body.id });
    const audience = async () => (await app.api("GET", `/v1/campaigns/${campaign["id"]}/audience`)).body;
    assert.deepEqual((await audience()).excluded, [{ rule: "not_in_segment", count: 1 }]);
    assert.equal((await readSubscriber(app, silent.id))["sendable"], true);
    assert.deepEqual(await typesOf(silent, cursor), []);

    await runNight(listId);
    assert.equal(await dormancy(silent), "warned", "the grace isn't over");
    await age(listId, 15);
    await runNight(listId);
    await runNight(listId);
    const { sendable, status, status_reason: reason } = await readSubscriber(app, silent.id);
    assert.deepEqual([sendable, status, reason], [false, "active", "dormant"]);
    assert.deepEqual(await typesOf(silent, cursor), ["subscriber.dormant"]);
    const negative = { not: { field: "dormancy", op: "is", value: "dormant" } };
    const others = await app.api("POST", "/v1/segments/preview", {
      body: { list_id: listId, rules: negative },
    });
    assert.equal(others.body.count, 1);
    for (const value of ["woken", "", 1])
      assert.equal(
        (await app.api("POST", "/v1/segments/preview", { body: { rules: { ...rules, value } } })).status,
        422,
      );
  });
});

describe("who was warned", () => {
  it("isn't put to sleep where the policy asks for more mail by now, or where they left", async () => {
    const listId = await makeList(app);
    const [often, seldom, left] = [await addPerson(listId), await addPerson(listId), await addPerson(listId)];
    await sendSeveral(listId, ALL, [often, seldom, left]);
    await put(listId);
    await runNight(listId);
    assert.deepEqual(await counts(listId), { warned: 3, dormant: 0 });
    await sendPast(listId, 20, ALL, [often, left]);
    await app.db.execute(
      sql`update subscribers set status = 'bounced' where account_id = ${accountId} and id = ${uuidOf("sub", left.id)}`,
    );
    await put(listId, { ...POLICY, mails: 4 });
    const { cursor } = await eventsSince(app);
    await age(listId, 15);
    await runNight(listId);
    assert.deepEqual(await counts(listId), { warned: 0, dormant: 1 });
    assert.equal(await dormancy(often), "dormant");
    for (const one of [seldom, left]) assert.deepEqual(await typesOf(one, cursor), [], one.email);
    await put(listId);
    await runNight(listId);
    assert.equal(await dormancy(seldom), "warned", "the grace begins anew");
  });
});

describe("who is dormant", () => {
  it("is left out of campaigns, counted as such, and reached by transactional mail", async () => {
    const { listId, person } = await addDormant();
    const reader = await addPerson(listId);
    const { id } = await makeCampaign(app, listId);
    const audience = await app.api("GET", `/v1/campaigns/${id}/audience`);
    assert.deepEqual(audience.body.excluded, [{ rule: "dormant", count: 1 }]);
    const held = await app.api("GET", `/v1/subscribers?list_id=${listId}&held_back=dormant`);
    assert.deepEqual(
      held.body.data.map((one: Json) => one["email"]),
      [person.email],
    );
    assert.equal((await app.api("POST", `/v1/campaigns/${id}/send`)).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    const recipients = await app.api("GET", `/v1/campaigns/${id}/recipients`);
    assert.deepEqual(
      recipients.body.data.map((one: Json) => one["email"]),
      [reader.email],
    );
    const receipt = { from: "shop@example.com", to: [person.email], subject: "Receipt", html: "<p>Paid</p>" };
    const sent = await app.api("POST", "/v1/emails", { body: receipt });
    assert.equal(sent.status, 202, sent.text);
    await until(async () => {
      const { body } = await app.api("GET", `/v1/emails/${sent.body.id}`);
      return body.recipients[0].status === "sent";
    });
  });

  it("wakes by a click or an open of a person, at once, on every list, and by no machine", async () => {
    const { listId, person } = await addDormant();
    const { cursor } = await eventsSince(app);
    await hit(person, "open", 0, "prefetch");
    await hit(person, "click", 0, "machine");
    assert.equal(await dormancy(person), "dormant");
    const [second, elsewhere] = [newId(systemClock), await makeList(app)];
    await app.db.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
      select account_id, ${second}, ${uuidOf("lst", elsewhere)}, contact_id, email, email_key, fields, status, source, created_at, updated_at
      from subscribers where account_id = ${accountId} and id = ${uuidOf("sub", person.id)}`);
    await app.db.execute(sql`
      insert into dormancies (account_id, subscriber_id, list_id, state, marked_at, changed_at)
      values (${accountId}, ${second}, ${uuidOf("lst", elsewhere)}, 'warned', now(), now())`);
    await hit(person, "click", 0);
    assert.equal(await dormancy(person), null);
    assert.equal((await readSubscriber(app, toPublicId("sub", second)))["dormancy"], null);
    assert.deepEqual(await typesOf(person, cursor), ["subscriber.woken dormant click"]);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    const other = await addDormant();
    await hit(other.person, "open", 0);
    assert.equal(await dormancy(other.person), null);
  });

  it("wakes by signing up again, and by a custom event", async () => {
    const { cursor } = await eventsSince(app);
    const signs: readonly [string, (person: Person) => Promise<unknown>][] = [
      [
        "sign_up",
        async ({ id }) => {
          await app.api("POST", `/v1/subscribers/${id}/unsubscribe`);
          await app.api("POST", `/v1/subscribers/${id}/resubscribe`, {
            body: { consent: { attested: true } },
          });
        },
      ],
      [
        "custom_event",
        ({ id }) => app.api("POST", "/v1/track", { body: { subscriber_id: id, name: "signed_in" } }),
      ],
    ];
    for (const [reason, sign] of signs) {
      const { person } = await addDormant();
      await sign(person);
      assert.equal(await dormancy(person), null, reason);
      const woken = (await typesOf(person, cursor)).filter((type) => type.startsWith("subscriber.woken"));
      assert.deepEqual(woken, [`subscriber.woken dormant ${reason}`]);
    }
  });

  it("sleeps on by a custom event that is told late, of before the policy's days", async () => {
    const { listId, person } = await addDormant();
    const body = { subscriber_id: person.id, name: "order.placed", occurred_at: daysAgo(380).toISOString() };
    const told = await app.api("POST", "/v1/track", { body });
    assert.equal(told.status, 202, told.text);
    await runNight(listId);
    assert.equal(await dormancy(person), "dormant");
    const late = { ...body, occurred_at: daysAgo(50).toISOString() };
    assert.equal((await app.api("POST", "/v1/track", { body: late })).status, 202);
    await runNight(listId);
    assert.equal(await dormancy(person), null, "the night finds what was told of within these days");
  });

  it("wakes by the confirmation of a sign-up", async () => {
    const { person } = await addDormant();
    await app.db.execute(
      sql`update subscribers set status = 'pending' where id = ${uuidOf("sub", person.id)}`,
    );
    await confirmByMail(app, person.id);
    assert.equal(await dormancy(person), null);
  });

  it("wakes by hand, once, and isn't marked again for as many days as the policy has", async () => {
    const { listId, person } = await addDormant();
    const { cursor } = await eventsSince(app);
    for (const _ of [1, 2]) {
      const woken = await app.api("POST", `/v1/subscribers/${person.id}/wake`);
      assert.equal(woken.status, 200, woken.text);
      assert.deepEqual([woken.body.dormancy, woken.body.sendable], [null, true]);
    }
    assert.deepEqual(await typesOf(person, cursor), ["subscriber.woken dormant by_hand"]);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    await age(listId, 91);
    await runNight(listId);
    assert.equal(await dormancy(person), "dormant");
  });

  it("wakes in the night by a sign that no verb told of, or by a policy that has got longer", async () => {
    const { listId, person, campaignId } = await addDormant();
    await app.db.execute(sql`
      insert into campaign_engagements (account_id, contact_id, campaign_id, human_opened, prefetched, clicked, human_clicked, links,
                                        human_links)
      values (${accountId}, ${person.contactId}, ${campaignId}, true, false, false, false, '{}', '{}')`);
    await runNight(listId);
    assert.equal(await dormancy(person), null);
    const other = await addDormant();
    await app.db.execute(sql`
      insert into contact_engagements (account_id, contact_id, last_open_at, last_human_open_at)
      values (${accountId}, ${other.person.contactId}, ${daysAgo(150)}, ${daysAgo(150)})`);
    await runNight(other.listId);
    assert.equal(await dormancy(other.person), "dormant");
    await put(other.listId, { ...POLICY, days: 180 });
    await runNight(other.listId);
    assert.equal(await dormancy(other.person), null);
  });

  it("wakes when the policy is deleted, and leaves nothing behind when they are", async () => {
    const { listId, person } = await addDormant();
    const { cursor } = await eventsSince(app);
    assert.equal((await app.api("DELETE", `/v1/lists/${listId}/sunset`)).status, 204);
    await until(async () => (await dormancy(person)) === null);
    assert.deepEqual(await typesOf(person, cursor), ["subscriber.woken dormant policy_ended"]);
    const other = await addDormant();
    assert.equal((await app.api("DELETE", `/v1/subscribers/${other.person.id}`)).status, 204);
    const { left } = await app.db.one<{ left: number }>(sql`
      select count(*)::int as left from dormancies
      where subscriber_id = any(${[uuidOf("sub", person.id), uuidOf("sub", other.person.id)]}::uuid[])`);
    assert.equal(left, 0);
  });
});

describe("the end of a policy", () => {
  it("wakes also whom a clock marked that was ahead, unless there is another policy by then", async () => {
    const { listId, person } = await addDormant();
    await age(listId, -1);
    assert.equal((await app.api("DELETE", `/v1/lists/${listId}/sunset`)).status, 204);
    await until(async () => (await dormancy(person)) === null);
    const other = await addDormant();
    const wakeList = sunsetJobs(sentCampaigns).jobs.find(({ name }) => name === "wake_list");
    const payload = { account_id: accountId, list_id: uuidOf("lst", other.listId) };
    const end = (days: number) => wakeList?.run(jobCtx(), { ...payload, until: daysAgo(days).toISOString() });
    await end(1);
    assert.equal(await dormancy(other.person), "dormant", "the mark is another policy's");
    await end(-1);
    assert.equal(await dormancy(other.person), null);
  });
});

describe("a night", () => {
  /** Adds many people in one statement, all of whom were sent three campaigns. */
  async function addCrowd(size: number): Promise<string> {
    const listId = await makeList(app);
    await app.db.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, fields, status, source, created_at, updated_at)
      select ${accountId}, gen_random_uuid(), ${uuidOf("lst", listId)}, gen_random_uuid(), 'c' || n || '@crowd.example',
             'c' || n || '@crowd.example', '{}', 'active', 'test', ${daysAgo(600)}::timestamptz + n * interval '1 ms', now()
      from generate_series(1, ${size}::int) as n`);
    for (const days of [10, 20, 30]) {
      const sourceId = await sendPast(listId, days, ALL, []);
      await app.db.execute(sql`
        insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at)
        select account_id, ${sourceId}, contact_id, 'campaign', ${INSTANCE_TRANSPORT}, 'sent', now() from subscribers
        where account_id = ${accountId} and list_id = ${uuidOf("lst", listId)}`);
    }
    return listId;
  }

  it("that is killed between two pieces is finished by the next run, and tells of nobody twice", async () => {
    const listId = await addCrowd(4_500);
    await put(listId, { ...POLICY, grace_days: 0 });
    const dying = (pieces: number): Db => ({
      ...app.db,
      transaction: ((work: Parameters<Db["transaction"]>[0]) => {
        if (pieces-- <= 0) throw new Error("killed");
        return app.db.transaction(work);
      }) as Db["transaction"],
    });
    // The first two pieces look for the living and for graces that are over.
    await assert.rejects(runNight(listId, dying(3)), /killed/);
    assert.deepEqual(await counts(listId), { warned: 0, dormant: 2_000 });
    await runNight(listId);
    await runNight(listId);
    assert.deepEqual(await counts(listId), { warned: 0, dormant: 4_500 });
    const { told, people } = await app.db.one<{ told: number; people: number }>(sql`
      select count(*)::int as told, count(distinct data ->> 'subscriber_id')::int as people from events
      where account_id = ${accountId} and type = 'subscriber.dormant' and data ->> 'list_id' = ${listId}`);
    assert.deepEqual([told, people], [4_500, 4_500]);
  });

  it("is added for each list that has a policy, and stops when the policy is changed meanwhile", async () => {
    const listId = await addCrowd(10);
    await put(listId);
    await sunsetJobs(sentCampaigns).daily.run(jobCtx(), {});
    await until(async () => (await counts(listId)).warned === 10);
    const other = await addCrowd(10);
    await put(other, { ...POLICY, grace_days: 0 });
    const changing: Db = {
      ...app.db,
      transaction: (async (work: Parameters<Db["transaction"]>[0]) => {
        await put(other, { ...POLICY, paused: true });
        return app.db.transaction(work);
      }) as Db["transaction"],
    };
    await runNight(other, changing);
    assert.deepEqual(await counts(other), { warned: 0, dormant: 0 });
  });
});
