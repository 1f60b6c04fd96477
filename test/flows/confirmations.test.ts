/** Double opt-in through the whole program: the mail, its link, how often it may go, and the welcome. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { parseAddress } from "../../src/mail/addresses.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { SYSTEM, type TxCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { addJobs } from "../../src/platform/jobs/jobs.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { addSubscriberMail } from "../../src/subscriber-mail/subscriber-mail.ts";
import {
  createHashAddress,
  createSubscriber,
  mailConfirmationKind,
  requestConfirmationFromForm,
} from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy } from "../support/database-proxy.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { act, addSubscriber, makeList, readSubscriber, suppress, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SECRET_KEY = "a secret key for tests of 32 characters or more";
const FORM_ID = "0190aaaa-0000-7000-8000-000000000001";

let app: TestApp;
let relay: Relay;
let double: string;
let count = 0;
const newAddress = () => `reader${++count}@confirm.example`;

before(async () => {
  relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
  app = await createApp({ settings: { SMTP_URL: `smtp://127.0.0.1:${relay.port}` } });
  await app.api("PATCH", "/v1/account", {
    body: { name: "Fernhill Books", from_email: "books@fernhill.example" },
  });
  double = await makeList(app, { double_opt_in: true, name: "Weekly letter" });
});
after(async () => {
  await app.stop();
  await relay.close();
});

const bodiesTo = (email: string) => relay.received.filter(({ to }) => to.includes(email));
async function mailsTo(email: string, many = 1) {
  await until(() => bodiesTo(email).length >= many);
  return Promise.all(bodiesTo(email).map(({ body }) => PostalMime.parse(Buffer.from(body))));
}
const linesOf = (one: { headers: readonly { key: string; value: string }[] } | undefined) =>
  new Map(one?.headers.map(({ key, value }) => [key, value] as const));
const LINK = /https?:\/\/[^\s"]+(\/confirm\/[\w-]{108})/;
async function linkTo(email: string, many = 1): Promise<string> {
  const mails = await mailsTo(email, many);
  const { text = "" } = mails.at(-1) ?? {};
  const [, path] = LINK.exec(text) ?? [];
  assert.ok(path, text);
  return `${app.baseUrl}${path}`;
}
/** Waits until no job of ours is left, so that what hasn't been accepted by then never will be. */
async function untilIdle(): Promise<void> {
  await until(async () => {
    const left = await app.db.many(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier in ('mail_confirmation', 'welcome_subscriber', 'send_letter')`);
    return left.length === 0;
  });
}
const accepted = async () => (await app.db.one<{ n: number }>(sql`select count(*)::int as n from emails`)).n;
const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", redirect: "manual", headers });
const statusOf = async (id: string) => (await readSubscriber(app, id))["status"];

async function inTx<T>(of: TestApp, clock: Clock, work: (ctx: TxCtx) => Promise<T>): Promise<T> {
  const log = createLog({ level: "silent", pretty: false });
  const accountId = uuidOf("acc", of.accountId);
  return of.db.transaction((tx) => work({ sql: tx, accountId, actor: SYSTEM, clock, log }));
}

/** Makes the requests of a subscriber as old as that: the clock of a process that runs jobs must not jump. */
const age = (id: string, ms: number) =>
  app.db.execute(sql`
    update confirmations set requested_at = requested_at - ${ms}::float8 * interval '1 ms'
    where subscriber_id = ${uuidOf("sub", id)}`);

describe("the confirmation mail", () => {
  it("is from the account, in the person's language, with one link, untracked and without promotion", async () => {
    const email = newAddress();
    await addSubscriber(app, double, email, { locale: "de-AT", first_name: "Ada" });
    const [mail] = await mailsTo(email);
    assert.deepEqual(mail?.from, { name: "Fernhill Books", address: "books@fernhill.example" });
    assert.equal(mail?.subject, "Bitte bestätigen: Weekly letter");
    assert.match(mail?.text ?? "", /Ohne Bestätigung kommt nichts weiter/);
    assert.match(mail?.html ?? "", /<html lang="de">/);
    assert.ok(
      !(mail?.text ?? "").includes("Ada"),
      "whoever typed the address could write anything as a name",
    );
    const urls = new Set((mail?.html ?? "").match(/https?:\/\/[^\s"<]+/g));
    assert.equal(urls.size, 1, [...urls].join());
    assert.doesNotMatch(mail?.html ?? "", /<img|\/o\/|\/c\//);
    const headers = linesOf(mail);
    assert.equal(headers.get("auto-submitted"), "auto-generated");
    assert.equal(headers.get("list-unsubscribe"), undefined);
  });

  it("is shown to nobody who has a key, and deleted once it has left", async () => {
    const email = newAddress();
    await addSubscriber(app, double, email);
    await mailsTo(email);
    const found = await app.api("GET", `/v1/emails?to=${encodeURIComponent(email)}`);
    const [{ id, subject }] = found.body.data;
    assert.equal(subject, "Please confirm: Weekly letter");
    const content = await app.api("GET", `/v1/emails/${id}/content`);
    assert.deepEqual([content.status, content.body.code], [403, "email_content_private"], content.text);
    const whole = await app.api("GET", `/v1/emails/${id}`);
    assert.ok(!whole.text.includes("/confirm/"));
    const dropping = await app.db.many(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'drop_attachments' and j.payload ->> 'email_id' = ${uuidOf("msg", id)}`);
    assert.equal(dropping.length, 1, "a job is to delete its texts");
  });

  it("is sent once, however often and wherever its job runs", async () => {
    const email = newAddress();
    const { id } = await addSubscriber(app, double, email);
    await mailsTo(email);
    const { id: confirmationId } = await app.db.one<{ id: string }>(
      sql`select id from confirmations where subscriber_id = ${uuidOf("sub", id)}`,
    );
    const payload = {
      account_id: uuidOf("acc", app.accountId),
      subscriber_id: uuidOf("sub", id),
      confirmation_id: confirmationId,
    };
    const before = await accepted();
    await addJobs(app.db, mailConfirmationKind, Array(10).fill(payload));
    await untilIdle();
    assert.equal(await accepted(), before);
  });

  it("isn't lost where a job ends between its steps: the request is mailed when it runs again", async () => {
    const email = newAddress();
    // What is accepted can't be stored while this check stands, so that the job fails after it has marked the request.
    await app.db.execute(sql`alter table emails add constraint nothing_now check (false) not valid`);
    const { id } = await addSubscriber(app, double, email);
    const job = sql`select from graphile_worker._private_jobs where payload ->> 'subscriber_id' = ${uuidOf("sub", id)} and attempts > 0
      and last_error is not null`;
    await until(async () => (await app.db.many(job)).length === 1);
    const request = () =>
      app.db.one<{ sent_at: Date | null }>(
        sql`select sent_at from confirmations where subscriber_id = ${uuidOf("sub", id)}`,
      );
    assert.equal((await request()).sent_at, null);
    await app.db.execute(sql`alter table emails drop constraint nothing_now`);
    assert.equal((await mailsTo(email)).length, 1);
    await untilIdle();
    assert.notEqual((await request()).sent_at, null);
  });

  it("waits for a sender where the account has none, and goes into the sandbox where it has no server", async () => {
    const other = await app.addAccount();
    const key = other.key;
    const listId = await makeList(app, { double_opt_in: true }, key);
    const email = newAddress();
    await app.api("POST", "/v1/subscribers", { key, body: { email, list_id: listId } });
    await until(() => app.logs.some((line) => line.includes("a confirmation mail has no sender")));
    assert.equal(bodiesTo(email).length, 0);
    await app.api("PATCH", `/v1/lists/${listId}`, { key, body: { from_email: "late@sender.example" } });
    const [mail] = await mailsTo(email);
    assert.equal(mail?.from?.address, "late@sender.example");
    const boxed = await createApp();
    try {
      const list = await makeList(boxed, { double_opt_in: true });
      await addSubscriber(boxed, list, "boxed@confirm.example");
      await until(
        async () =>
          (await boxed.api("GET", "/v1/sandbox/messages?to=boxed@confirm.example")).body.data.length === 1,
      );
      const keyOfOthers = await boxed.addKey(["subscribers:read", "emails:read"]);
      const seen = await boxed.api("GET", "/v1/sandbox/messages", { key: keyOfOthers });
      assert.ok(!seen.text.includes("boxed@confirm.example"), seen.text);
    } finally {
      await boxed.stop();
    }
  });
});

describe("its link", () => {
  async function asked(more: Record<string, unknown> = {}) {
    const email = newAddress();
    const { id } = await addSubscriber(app, double, email, more);
    return { id: String(id), email, url: await linkTo(email) };
  }

  it("confirms by a POST alone, once, and keeps the evidence", async () => {
    const { id, url } = await asked();
    for (const method of ["GET", "HEAD", "GET"]) {
      const reply = await fetch(url, { method });
      assert.equal(reply.status, 200);
      if (method === "GET") assert.match(await reply.text(), /Subscribe to .*Weekly letter/s);
    }
    assert.equal(await statusOf(id), "pending", "scanners follow links");
    const [first, again] = [await post(url), await post(url)];
    assert.deepEqual([first.status, again.status], [200, 200]);
    for (const reply of [first, again]) assert.match(await reply.text(), /You are subscribed/);
    assert.equal(await statusOf(id), "active");
    const consents = await app.db.many<{ source: string; wording: string; ip: string }>(sql`
      select source, wording, ip from consents where subscriber_id = ${uuidOf("sub", id)} and action = 'confirmed'`);
    assert.deepEqual(consents, [
      {
        source: "confirmation_mail",
        wording: "Subscribe to Weekly letter? – Yes, subscribe me",
        ip: "127.0.0.1",
      },
    ]);
    assert.match(await (await fetch(url)).text(), /You are subscribed already/);
  });

  it("confirms once when many press at once", async () => {
    const { id, url } = await asked();
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(url)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    const events = await app.db.many(sql`
      select from events where type = 'subscriber.confirmed' and data ->> 'subscriber_id' = ${id}`);
    assert.equal(events.length, 1);
  });

  it("is answered in the reader's language", async () => {
    const { url } = await asked();
    const page = await fetch(url, { headers: { "accept-language": "fr" } });
    assert.match(await page.text(), /<html lang="fr".*S’abonner à/s);
  });

  const ends: Record<string, [(one: { id: string; email: string }) => Promise<unknown>, RegExp]> = {
    "after 30 days": [({ id }) => age(id, 31 * DAY), /This link is too old/],
    "when the subscriber has another address": [
      ({ id }) => app.api("PATCH", `/v1/subscribers/${id}`, { body: { email: newAddress() } }),
      /This link is too old/,
    ],
    "once the person has unsubscribed": [
      ({ id }) => act(app, id, "unsubscribe"),
      /You have unsubscribed since/,
    ],
    "for an address that is suppressed": [
      ({ email }) => suppress(app, email, "manual"),
      /Nothing is sent to this address/,
    ],
    "for somebody forgotten": [({ id }) => act(app, id, "forget"), /There is nothing to confirm/],
    "for a subscriber who was deleted": [
      ({ id }) => app.api("DELETE", `/v1/subscribers/${id}`),
      /There is nothing to confirm/,
    ],
  };
  for (const [when, [end, title]] of Object.entries(ends)) {
    it(`ends ${when}, and says so`, async () => {
      const one = await asked();
      await end(one);
      for (const reply of [await fetch(one.url), await post(one.url)]) {
        assert.equal(reply.status, 410);
        const page = await reply.text();
        assert.match(page, title);
        assert.ok(!page.includes(one.email), "an address is masked, whoever holds the link");
      }
      const left = await app.db.many(sql`
        select from subscribers where id = ${uuidOf("sub", one.id)} and status = 'active'`);
      assert.equal(left.length, 0);
    });
  }

  it("ends with its list, and says so", async () => {
    const listId = await makeList(app, { double_opt_in: true });
    const email = newAddress();
    await addSubscriber(app, listId, email);
    const url = await linkTo(email);
    assert.equal((await app.api("DELETE", `/v1/lists/${listId}?force=true`)).status, 204);
    for (const reply of [await fetch(url), await post(url)]) {
      assert.equal(reply.status, 410);
      assert.match(await reply.text(), /This list is gone/);
    }
  });

  it("is nothing when a character of it is another, whichever", async () => {
    const { id, url } = await asked();
    const at = url.lastIndexOf("/") + 1;
    const token = url.slice(at);
    const others = Array.from({ length: token.length }, (_, n) => {
      const other = token[n] === "A" ? "B" : "A";
      return `${token.slice(0, n)}${other}${token.slice(n + 1)}`;
    });
    const odd = [
      `${token}A`,
      token.slice(1),
      token.slice(0, -1),
      `${token.slice(0, -1)}.`,
      "x",
      "%00",
      token.toLowerCase(),
    ];
    for (const bad of [...others, ...odd]) {
      const reply = await post(`${url.slice(0, at)}${bad}`);
      assert.equal(reply.status, 404, bad);
      await reply.body?.cancel();
    }
    assert.equal(await statusOf(id), "pending");
    assert.equal((await post(`${app.baseUrl}/leave/${token}`)).status, 404, "it is for confirming alone");
  });
});

/** Signs up as a form does. */
async function signUp(of: TestApp, clock: Clock, email: string, listId: string): Promise<boolean> {
  const parsed = parseAddress(email);
  assert.ok(parsed.ok);
  const candidate = {
    address: parsed,
    listId: uuidOf("lst", listId),
    profile: {},
    slots: {},
    tags: [],
    source: "form",
    consent: undefined,
    trackingEvidence: undefined,
    doubleOptIn: true,
  };
  const consent = { source: "form", wording: "Send me the letter", ip: "203.0.113.9" };
  const request = {
    formId: FORM_ID,
    afterUrl: "https://shop.example/thanks?a=1",
    locale: "fr",
    topicIds: [],
    consent,
  };
  return inTx(of, clock, async (ctx) => {
    const hash = createHashAddress(Buffer.alloc(32, 7));
    const { id, isNew } = await createSubscriber(ctx, hash, candidate, "skip");
    return requestConfirmationFromForm(ctx, id, { ...request, isRecorded: isNew, refusesTracking: false });
  });
}

describe("a form", () => {
  it("leads on to where it says, in its own language, and asks nobody who is active", async () => {
    const email = newAddress();
    assert.equal(await signUp(app, systemClock, email, double), true);
    const [mail] = await mailsTo(email);
    assert.equal(mail?.subject, "Merci de confirmer : Weekly letter");
    const page = await post(await linkTo(email));
    assert.deepEqual(
      [page.status, page.headers.get("refresh")],
      [200, "0; url=https://shop.example/thanks?a=1"],
    );
    assert.equal(await signUp(app, systemClock, email, double), false);
  });
});

describe("how often an address is asked", () => {
  let quiet: TestApp;
  let clock: TestClock;
  before(async () => {
    clock = createTestClock();
    // Nothing runs jobs here, so that the clock may jump and the mails to come can be counted.
    quiet = await createApp({ clock, settings: { ROLES: "api" } });
  });
  after(() => quiet.stop());
  const waiting = async (email: string) => {
    const row = await quiet.db.one<{ n: number }>(sql`
      select count(*)::int as n from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      join subscribers s on s.id::text = j.payload ->> 'subscriber_id'
      where t.identifier = 'mail_confirmation' and s.email = ${email}`);
    return row.n;
  };

  it("by forms is three times a day, ten minutes apart, of any number at once and over all lists", async () => {
    const email = newAddress();
    const lists = [await makeList(quiet), await makeList(quiet, { double_opt_in: true })];
    const flood = async (many: number) => {
      const tries = Array.from({ length: many }, (_, n) =>
        signUp(quiet, clock, email, lists[n % lists.length] as string),
      );
      return (await Promise.all(tries)).filter(Boolean).length;
    };
    assert.equal(await flood(200), 1);
    clock.advance(9 * MINUTE);
    assert.equal(await flood(20), 0);
    clock.advance(MINUTE);
    assert.equal(await flood(50), 1);
    clock.advance(HOUR);
    assert.equal(await flood(50), 1);
    clock.advance(22 * HOUR);
    assert.equal(await flood(50), 0, "the first was less than a day ago");
    assert.equal(await waiting(email), 3);
    clock.advance(HOUR);
    assert.equal(await flood(20), 1);
    assert.equal(await waiting(email), 4);
  });

  it("by forms is never for who complained or is suppressed; who had left is pending again", async () => {
    const [left, complained, suppressed] = [newAddress(), newAddress(), newAddress()];
    const listId = await makeList(quiet);
    for (const email of [left, complained, suppressed])
      assert.equal(await signUp(quiet, clock, email, listId), true);
    const set = (email: string, status: string) =>
      quiet.db.execute(sql`update subscribers set status = ${status} where email = ${email}`);
    await set(left, "unsubscribed");
    await set(complained, "complained");
    await quiet.db.execute(sql`
      insert into suppressions (account_id, id, contact_id, reason, streams, source, created_at, updated_at)
      select account_id, id, contact_id, 'manual', '{campaign,automation,transactional}', 'api', now(), now()
      from subscribers where email = ${suppressed}`);
    clock.advance(10 * MINUTE);
    for (const [email, isAsked, status] of [
      [left, true, "pending"],
      [complained, false, "complained"],
      [suppressed, false, "pending"],
    ] as const) {
      assert.equal(await signUp(quiet, clock, email, listId), isAsked, email);
      const row = await quiet.db.one(sql`select status from subscribers where email = ${email}`);
      assert.deepEqual(row, { status });
    }
  });

  it("by the API is five times a day, five minutes apart, over all lists", async () => {
    const email = newAddress();
    const { id } = await addSubscriber(quiet, await makeList(quiet, { double_opt_in: true }), email);
    for (let n = 2; n <= 5; n++) {
      clock.advance(5 * MINUTE);
      assert.equal((await act(quiet, id, "resend_confirmation")).status, 202);
    }
    clock.advance(5 * MINUTE);
    const refused = await act(quiet, id, "resend_confirmation");
    assert.deepEqual([refused.status, refused.body.code], [429, "confirmation_too_soon"]);
    const there = await addSubscriber(quiet, await makeList(quiet, { double_opt_in: true }), email);
    assert.equal(there["status"], "pending");
    assert.equal(await waiting(email), 5, "a further list sends no sixth");
    clock.advance(DAY);
    assert.equal((await act(quiet, there["id"], "resend_confirmation")).status, 202);
  });
});

describe("a welcome", () => {
  async function makeTemplate(body: Record<string, unknown>, isPublished = true): Promise<string> {
    const made = await app.api("POST", "/v1/templates", { body });
    assert.equal(made.status, 201, made.text);
    if (isPublished) await app.api("POST", `/v1/templates/${made.body.id}/publish`);
    return made.body.id;
  }
  const content = {
    subject: "Welcome to {{ list_name }}",
    html: "<p>Good to have you, {{ first_name }}.</p>",
    variables: [
      { name: "list_name", type: "string" },
      { name: "first_name", type: "string" },
    ],
  };

  it("is mailed once to whoever confirms, and its link unsubscribes", async () => {
    const templateId = await makeTemplate({ name: "Welcome", ...content });
    const listId = await makeList(app, {
      double_opt_in: true,
      name: "Welcoming",
      welcome_template_id: templateId,
    });
    const email = newAddress();
    const { id } = await addSubscriber(app, listId, email, { first_name: "Ada <b>" });
    const url = await linkTo(email);
    await Promise.all(Array.from({ length: 5 }, () => post(url)));
    const [, mail] = await mailsTo(email, 2);
    assert.equal(mail?.subject, "Welcome to Welcoming");
    assert.match(mail?.html ?? "", /Good to have you, Ada &lt;b&gt;\./);
    const headers = linesOf(mail);
    assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const leave = headers.get("list-unsubscribe")?.slice(1, -1) ?? "";
    assert.ok(mail?.html?.includes(leave) && mail.text?.includes(leave), `${mail?.text}`);
    assert.match(await (await fetch(leave)).text(), /Unsubscribe from/);
    assert.equal(await statusOf(id), "active");
    const left = await post(leave, { "content-type": "application/x-www-form-urlencoded" });
    assert.equal(left.status, 200);
    assert.match(await left.text(), /You are unsubscribed/);
    assert.equal(await statusOf(id), "unsubscribed");
    // Who comes back and confirms again was welcomed already.
    await age(id, HOUR);
    assert.equal((await act(app, id, "resubscribe")).status, 202);
    assert.equal((await post(await linkTo(email, 3))).status, 200);
    await untilIdle();
    assert.equal(await statusOf(id), "active");
    assert.equal(bodiesTo(email).length, 3);
    const used = await app.api("DELETE", `/v1/templates/${templateId}`);
    assert.deepEqual([used.status, used.body.used_by], [409, [listId]], used.text);
  });

  it("wants a published template of this account that needs nothing else", async () => {
    const draft = await makeTemplate({ name: "Draft", ...content }, false);
    const needy = await makeTemplate({
      name: "Needy",
      ...content,
      html: "<p>{{ coupon }}</p>",
      variables: [...content.variables, { name: "coupon", type: "string", required: true }],
    });
    const codes = async (id: string, key = app.key) => {
      const body = { name: "x", welcome_template_id: id };
      const reply = await app.api("POST", "/v1/lists", { key, body });
      assert.equal(reply.status, 422, reply.text);
      return reply.body.errors.map((one: { pointer: string; code: string }) => `${one.pointer} ${one.code}`);
    };
    assert.deepEqual(await codes(draft), ["/welcome_template_id template_not_published"]);
    assert.deepEqual(await codes(needy), ["/welcome_template_id missing_variables"]);
    assert.deepEqual(await codes("tpl_01k9zq4t3xe8k8y0v6d3m2n1pq"), ["/welcome_template_id not_found"]);
    const { key } = await app.addAccount();
    const ours = await makeTemplate({ name: "Ours", ...content });
    assert.deepEqual(await codes(ours, key), ["/welcome_template_id not_found"]);
  });
});

it("a letter that another folder writes is sealed while it waits, and sent once", async () => {
  const email = newAddress();
  const secrets = createSecrets([SECRET_KEY]);
  const payloads = await inTx(app, systemClock, async (ctx) => {
    await addSubscriberMail(ctx, secrets, {
      to: { email, name: null },
      listId: null,
      kind: "my-data",
      locale: "de",
      letter: {
        subject: "Ihre Daten",
        paragraphs: ["Hier <sind> sie."],
        action: { label: "Öffnen", url: "https://x.example/p/1?a=1&b=2" },
        notes: [],
      },
    });
    const rows = await ctx.sql.many<{ payload: string }>(sql`
      select payload::text from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'send_letter'`);
    return rows.map(({ payload }) => payload);
  });
  assert.equal(payloads.length, 1);
  assert.ok(!payloads[0]?.includes(email) && !payloads[0]?.includes("x.example"));
  const [mail] = await mailsTo(email);
  assert.match(mail?.html ?? "", /Hier &lt;sind&gt; sie\./);
  assert.match(mail?.text ?? "", /Öffnen:\nhttps:\/\/x\.example\/p\/1\?a=1&b=2/);
  await untilIdle();
  assert.equal(bodiesTo(email).length, 1);
});

it("while the database is away, the page says to come again", async () => {
  const database = await cloneDatabase();
  const proxy = await createDatabaseProxy(database.url);
  const away = await createApp({ databaseUrl: database.url, settings: { DATABASE_URL: proxy.url } });
  try {
    const listId = await makeList(away, { double_opt_in: true });
    const { id } = await addSubscriber(away, listId, "away@confirm.example");
    let path = "";
    await until(async () => {
      const page = await away.api("GET", "/v1/sandbox/messages?to=away@confirm.example");
      const [first] = page.body.data;
      if (!first) return false;
      const whole = await away.api("GET", `/v1/sandbox/messages/${first.id}`);
      path = LINK.exec(whole.body.text)?.[1] ?? "";
      return path !== "";
    });
    await proxy.cut();
    for (const method of ["GET", "POST"]) {
      const reply = await fetch(`${away.baseUrl}${path}`, { method });
      assert.deepEqual([reply.status, reply.headers.get("retry-after")], [503, "10"]);
      assert.match(await reply.text(), /works again shortly/);
    }
    await proxy.restore();
    await until(async () => (await post(`${away.baseUrl}${path}`)).status === 200);
    assert.equal((await readSubscriber(away, id))["status"], "active");
  } finally {
    await away.stop();
    await proxy.close();
    await database.drop();
  }
});
