/** The product's own mail through the whole program: links for forgotten passwords, invitations and notices, in the sandbox. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noticeKind, recordEvent } from "../../src/events/events.ts";
import { SYSTEM } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { requireId } from "../../src/platform/ids.ts";
import { addJob } from "../../src/platform/jobs/jobs.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, type Person, signIn } from "../support/people.ts";
import { sendRaw } from "../support/raw-http.ts";
import { startRelay } from "../support/smtp/relay.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const NEXT = "sturdy mule charger clip";

type Caught = {
  id: string;
  subject: string;
  text: string;
  html: string;
  headers: { name: string; value: string }[];
};

let app: TestApp;
let clock: TestClock;
let count = 0;
const unique = (name: string) => `${name}${++count}@example.com`;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());

const ask = (email: string, headers: Record<string, string> = {}) =>
  app.api("POST", "/v1/password_resets", { key: null, body: { email }, headers });
const redeem = (token: string, password = NEXT) =>
  openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password });

/** Returns what the sandbox caught for an address with this subject, oldest first. */
async function caught(to: string, subject: string, key = app.key): Promise<Caught[]> {
  const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(to)}&limit=200`, { key });
  assert.equal(page.status, 200, page.text);
  const named = page.body.data.filter((one: Json) => String(one["subject"]).includes(subject));
  const whole = await Promise.all(
    named.map(({ id }: { id: string }) => app.api("GET", `/v1/sandbox/messages/${id}`, { key })),
  );
  return whole.map(({ body }: Reply) => body).reverse();
}

async function untilCaught(to: string, subject: string, many = 1): Promise<Caught[]> {
  let found: Caught[] = [];
  await until(async () => {
    found = await caught(to, subject);
    return found.length >= many;
  });
  return found;
}

const RESET = "Choose a new password";
const tokenIn = (mail: Caught | undefined) => /#(prl_[0-9A-Za-z]{54})\s/.exec(mail?.text ?? "")?.[1] ?? "";

/** Waits until no job of ours is left, so that what hasn't come by then never will. */
async function untilIdle(): Promise<void> {
  await until(async () => {
    const left = await app.db.many(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier in ('invite_user', 'reset_password', 'notice')`);
    return left.length === 0;
  });
}
const countOf = async (table: "emails" | "user_links", condition = sql`true`) => {
  const from = table === "emails" ? sql`emails` : sql`user_links`;
  return (await app.db.one<{ n: number }>(sql`select count(*)::int as n from ${from} where ${condition}`)).n;
};

describe("a forgotten password", () => {
  test("the answer is the same for a user, an invited one, nobody and another account's", async () => {
    const known = await addPerson(app, unique("known"));
    const other = await app.addAccount();
    const foreign = await addPerson(app, unique("foreign"), "marketer", other.key);
    const answers = [known.email, foreign.email, unique("nobody")].map((email) => ask(email));
    const replies = await Promise.all(answers);
    const [first] = replies;
    for (const reply of replies) {
      assert.deepEqual([reply.status, reply.text], [202, first?.text]);
      assert.deepEqual([...reply.headers.keys()].sort(), [...(first?.headers.keys() ?? [])].sort());
    }
    assert.deepEqual(first?.body, { object: "password_reset" });
    await untilCaught(known.email, RESET);
    await untilIdle();
    assert.equal((await caught(foreign.email, RESET)).length, 0, "it is in the other account's sandbox");
    const bad = await ask("no address");
    assert.deepEqual([bad.status, bad.body.errors?.[0].code], [422, "invalid_email"], bad.text);
  });

  test("the link sets a password once, ends the sessions and every other link", async () => {
    const person = await addPerson(app, unique("once"));
    await Promise.all([ask(person.email.toUpperCase()), ask(person.email)]);
    const [one, two] = (await untilCaught(person.email, RESET, 2)).map(tokenIn);
    assert.ok(one && two && one !== two);
    const stored = await app.db.many<{ row: string }>(
      sql`select row_to_json(l)::text as row from user_links l`,
    );
    for (const { row } of stored) assert.ok(!row.includes("prl_"), "only hashes are stored");
    const set = await redeem(two);
    assert.equal(set.status, 201, set.text);
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401, "the old session has ended");
    assert.deepEqual(
      [(await redeem(two)).body.code, (await redeem(one)).body.code],
      ["link_used", "link_unknown"],
    );
    assert.equal((await signIn(app, person.email)).reply.status, 401);
    assert.equal((await signIn(app, person.email, NEXT)).reply.status, 201);
    const [told] = await untilCaught(person.email, "Your password was changed");
    assert.match(told?.text ?? "", /If it wasn't, somebody else has your account/);
    assert.match(told?.text ?? "", /\/forgotten-password/);
  });

  test("it ends after an hour, and when the password is changed", async () => {
    const person = await addPerson(app, unique("ends"));
    await ask(person.email);
    const [mail] = await untilCaught(person.email, RESET);
    const change = { current_password: PASSWORD, new_password: NEXT };
    assert.equal((await person.browser.send("POST", "/v1/session/password", change)).status, 200);
    assert.equal((await redeem(tokenIn(mail))).body.code, "link_unknown");
    clock.advance(1_000);
    await ask(person.email);
    const [, later] = await untilCaught(person.email, RESET, 2);
    clock.advance(HOUR + 1_000);
    assert.equal((await redeem(tokenIn(later))).body.code, "link_unknown");
  });

  test("an address gets three an hour, also of many at once, and three more an hour later", async () => {
    const person = await addPerson(app, unique("often"));
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask(person.email)));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([202]));
    await untilIdle();
    await untilCaught(person.email, RESET, 3);
    const uuid = requireId("usr", person.id, "user");
    const mailed = () => countOf("user_links", sql`user_id = ${uuid} and purpose = 'reset'`);
    assert.equal(await mailed(), 3);
    clock.advance(HOUR + 1_000);
    await ask(person.email);
    assert.equal((await untilCaught(person.email, RESET, 4)).length, 4);
  });

  test("a network is slowed down, whatever it asks for", async () => {
    const shared = await createApp({ settings: { ROLES: "api", TRUST_PROXY: "1" } });
    try {
      const from = { "x-forwarded-for": "203.0.113.9" };
      const send = (email: string, headers = from) =>
        shared.api("POST", "/v1/password_resets", { key: null, body: { email }, headers });
      const replies: Reply[] = [];
      for (let i = 0; i < 22; i++) replies.push(await send(`n${i}@example.com`));
      const refused = replies.find(({ status }) => status === 429);
      assert.equal(refused?.body.code, "too_many_attempts");
      assert.ok(Number(refused?.headers.get("retry-after")) >= 1);
      assert.equal((await send("x@example.com", { "x-forwarded-for": "198.51.100.7" })).status, 202);
    } finally {
      await shared.stop();
    }
  });

  test("no header of the request changes where the link leads", async () => {
    const person = await addPerson(app, unique("host"));
    const body = JSON.stringify({ email: person.email });
    const lines = [
      "POST /v1/password_resets HTTP/1.1",
      "Host: evil.example",
      "X-Forwarded-Host: evil.example",
      "Forwarded: host=evil.example",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      "Connection: close",
    ];
    const reply = await sendRaw(app.baseUrl, `${lines.join("\r\n")}\r\n\r\n${body}`);
    assert.equal(reply.status, 202, reply.body);
    const [mail] = await untilCaught(person.email, RESET);
    assert.ok(!JSON.stringify(mail).includes("evil.example"));
    assert.ok((mail?.text ?? "").includes(`${app.baseUrl}/setup#${tokenIn(mail)}`));
  });

  test("a stranger's page can't ask", async () => {
    const reply = await ask(unique("page"), { origin: "https://evil.example" });
    assert.equal(reply.body.code, "origin_mismatch");
  });

  test("a bounced address gets nothing; one that left a list does", async () => {
    const gone = await addPerson(app, unique("bounce"));
    const { body: bounced } = await app.api("POST", "/v1/suppressions", {
      body: { email: gone.email, reason: "hard_bounce" },
    });
    const supId = requireId("sup", bounced.id, "suppression");
    await app.db.execute(sql`update suppressions set source = 'delivery' where id = ${supId}`);
    const emails = await countOf("emails");
    await ask(gone.email);
    await untilIdle();
    assert.equal(await countOf("emails"), emails);
    const list = (await app.api("POST", "/v1/lists", { body: { name: "News" } })).body.id;
    const left = await addPerson(app, unique("left"));
    const { body } = await app.api("POST", "/v1/subscribers", { body: { email: left.email, list_id: list } });
    await app.api("POST", `/v1/subscribers/${body.id}/unsubscribe`, { body: { scope: "all" } });
    await ask(left.email);
    await untilCaught(left.email, RESET);
  });

  test("an admin who suppresses or erases an owner's address keeps no link from the owner", async () => {
    const admin = await addPerson(app, unique("rogue"), "admin");
    const owner = await addPerson(app, unique("target"), "owner");
    const reason = "hard_bounce";
    const made = await admin.browser.send("POST", "/v1/suppressions", { email: owner.email, reason });
    assert.equal(made.status, 201, made.text);
    await ask(owner.email);
    const [first] = await untilCaught(owner.email, RESET);
    const list = (await app.api("POST", "/v1/lists", { body: { name: "Trap" } })).body.id;
    const body = { email: owner.email, list_id: list };
    const { id } = (await admin.browser.send("POST", "/v1/subscribers", body)).body;
    assert.equal((await admin.browser.send("POST", `/v1/subscribers/${id}/forget`, {})).status, 202);
    clock.advance(1_000);
    await ask(owner.email);
    const isNext = (mail: Caught) => !["", tokenIn(first)].includes(tokenIn(mail));
    await until(async () => (await caught(owner.email, RESET)).some(isNext));
    const mail = { from: "a@example.com", to: [owner.email], subject: "Hello", text: "Hello" };
    const refused = await app.api("POST", "/v1/emails", { body: mail });
    assert.equal(refused.body.code, "recipients_suppressed", "other mail is stopped as before");
  });
});

describe("a link for an owner", () => {
  let owner: Person;
  let token: string;
  let mailId: string;
  before(async () => {
    owner = await addPerson(app, unique("owner"), "owner");
    await ask(owner.email);
    const [mail] = await untilCaught(owner.email, RESET);
    token = tokenIn(mail);
    assert.ok(token);
    mailId = mail?.id ?? "";
  });

  test("is shown in the sandbox to those alone who could make one", async () => {
    const member = await addPerson(app, unique("marketer"));
    const reader = await app.addKey([
      "emails:read",
      "campaigns:read",
      "campaigns:write",
      "events:read",
      "users:read",
    ]);
    assert.equal((await member.browser.send("DELETE", "/v1/sandbox/messages")).status, 204);
    assert.equal(
      (await owner.browser.send("GET", `/v1/sandbox/messages/${mailId}`)).status,
      200,
      "who isn't shown it can't delete it",
    );
    for (const path of ["", "/raw", "/html"]) {
      const url = `/v1/sandbox/messages/${mailId}${path}`;
      assert.equal((await app.api("GET", url, { key: reader })).status, 404, url);
      assert.equal((await member.browser.send("GET", url)).status, 404, url);
    }
    assert.equal((await caught(owner.email, RESET, reader)).length, 0);
    // A notice of the new key may arrive between the count and the list.
    await until(async () => {
      const path = `/v1/sandbox/messages?to=${owner.email}&include_total=true`;
      const { body } = await app.api("GET", path, { key: reader });
      return body.total === body.data.length;
    });
  });

  test("is in no mail, event or log that anybody else could read", async () => {
    const reader = await app.addKey(["emails:read", "events:read", "account:read"]);
    const found = await app.api("GET", `/v1/emails?to=${owner.email}&tag=postrider-password-reset`, {
      key: reader,
    });
    const [email] = found.body.data;
    assert.equal(email.subject, RESET, found.text);
    const content = await app.api("GET", `/v1/emails/${email.id}/content`);
    assert.deepEqual(
      [content.status, content.body.code],
      [403, "email_content_private"],
      "not even with full",
    );
    const detail = await app.api("GET", `/v1/emails/${email.id}`, { key: reader });
    const events = await app.api("GET", "/v1/events?limit=200", { key: reader });
    for (const { text } of [found, content, detail, events]) assert.ok(!text.includes("prl_"));
    assert.ok(!app.logs.some((line) => line.includes(token)), "it is in no log");
    assert.ok(!app.logs.some((line) => line.includes(owner.email)), "nor is the address");
    const jobs = await app.db.many<{ row: string }>(
      sql`select row_to_json(j)::text as row from graphile_worker._private_jobs j`,
    );
    assert.ok(!jobs.some(({ row }) => row.includes("prl_") || row.includes(owner.email)));
  });

  test("can't be canceled, nor can a notice, by whoever wants an owner not to know", async () => {
    const slow = await createApp({ settings: { ROLES: "api,jobs" } });
    try {
      const person = await addPerson(slow, "boss@example.com", "owner");
      await slow.api("POST", "/v1/password_resets", { key: null, body: { email: person.email } });
      await slow.api("POST", "/v1/api_keys", { body: { name: "Hidden", scopes: ["events:read"] } });
      const key = await slow.addKey(["emails:read", "emails:send"]);
      let ids: string[] = [];
      await until(async () => {
        const tagged = ["postrider-password-reset", "postrider-security-notice"].map((tag) =>
          slow.api("GET", `/v1/emails?tag=${tag}&to=${person.email}`, { key }),
        );
        const found = (await Promise.all(tagged)).map(({ body }) => body.data[0]?.id);
        ids = found.filter((id) => id !== undefined);
        return ids.length === 2;
      });
      for (const id of ids) {
        const reply = await slow.api("POST", `/v1/emails/${id}/cancel`, { key });
        assert.deepEqual([reply.status, reply.body.code], [409, "email_not_cancelable"], reply.text);
        assert.match(reply.body.detail, /this program's own/);
        assert.ok(!reply.text.includes("prl_"));
        const html = await slow.api("GET", `/v1/emails/${id}/html`, { key });
        assert.ok(!html.text.includes("prl_"), "nor does the frame show a link");
      }
    } finally {
      await slow.stop();
    }
  });

  test("is deleted from what is kept of the mail once that has left", async () => {
    const found = await app.api("GET", "/v1/emails?tag=postrider-password-reset&limit=200");
    const ids = found.body.data.map(({ id }: Json) => requireId("msg", String(id), "email"));
    assert.ok(ids.length > 3);
    // The job looks after a minute, by the clock of the database.
    await app.db.execute(sql`
      select graphile_worker.reschedule_jobs(array(
        select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'drop_attachments'), run_at => now())`);
    await until(async () => {
      const kept = await app.db.many(sql`
        select from emails e join email_contents c on c.account_id = e.account_id and c.id = e.content_id
        where e.id = any(${ids}::uuid[]) and c.body is not null`);
      return kept.length === 0;
    });
    const email = (await app.api("GET", `/v1/emails/${found.body.data[0].id}`)).body;
    assert.deepEqual([email.subject, email.status], [RESET, "sent"], "who got it, and when, stays");
  });
});

describe("an invitation", () => {
  test("is mailed beside the link in the answer, and either works once", async () => {
    const made = await app.api("POST", "/v1/invitations", {
      body: { email: unique("new"), role: "marketer" },
    });
    assert.equal(made.body.mailed, false, "it stays in the sandbox");
    const [mail] = await untilCaught(made.body.email, "You are invited to");
    const set = await redeem(tokenIn(mail), PASSWORD);
    assert.deepEqual([set.status, set.body.user?.email], [201, made.body.email], set.text);
    const other = new URL(made.body.link).hash.slice(1);
    assert.equal((await redeem(other)).body.code, "link_unknown");
    assert.equal((await caught(made.body.email, "Your password was changed")).length, 0);
  });

  test("is mailed again with a new link, which ends those before", async () => {
    const made = await app.api("POST", "/v1/invitations", { body: { email: unique("again") } });
    const [first] = await untilCaught(made.body.email, "You are invited to");
    clock.advance(1_000);
    const again = await app.api("POST", `/v1/invitations/${made.body.id}/resend`);
    assert.deepEqual([again.status, again.body.mailed], [200, false]);
    const [, second] = await untilCaught(made.body.email, "You are invited to", 2);
    assert.equal((await redeem(tokenIn(first))).body.code, "link_unknown");
    const joined = await redeem(tokenIn(second));
    assert.equal(joined.status, 201);
    assert.equal((await app.api("POST", `/v1/invitations/${made.body.id}/resend`)).status, 404);
    const link = await app.api("POST", `/v1/users/${joined.body.user.id}/password_link`);
    await untilIdle();
    assert.equal(link.body.purpose, "reset");
    assert.equal(
      (await caught(made.body.email, "You are invited to")).length,
      2,
      "an active user isn't invited",
    );
  });

  test("is mailed three times an hour at most, and the answer says when it wasn't", async () => {
    const made = await app.api("POST", "/v1/invitations", { body: { email: unique("bombed") } });
    const again = () => app.api("POST", `/v1/invitations/${made.body.id}/resend`);
    const links = await Promise.all(Array.from({ length: 6 }, again));
    assert.deepEqual(new Set(links.map(({ status }) => status)), new Set([200]));
    await untilIdle();
    await untilCaught(made.body.email, "You are invited to", 3);
    const uuid = requireId("inv", made.body.id, "invitation");
    const counted = () =>
      app.db.many(sql`select from own_mails where user_id = ${uuid} and kind = 'invitation'`);
    assert.equal((await counted()).length, 3);
    clock.advance(HOUR + 1_000);
    await again();
    await untilCaught(made.body.email, "You are invited to", 4);
  });

  test("of a hostile account is inert", async () => {
    const evil = '<img src=x onerror=alert(1)> {{ "x" | upcase }} \u202Egpj.exe http://evil.example/x';
    const other = await app.addAccount();
    // Such a name is refused nowadays; there are accounts that have one from before.
    await app.db.execute(sql`update accounts set name = ${evil} where account_id = ${other.accountId}`);
    const made = await app.api("POST", "/v1/invitations", {
      key: other.key,
      body: { email: unique("hostile") },
    });
    let mail: Caught | undefined;
    await until(async () => {
      [mail] = await caught(made.body.email, "You are invited to", other.key);
      return mail !== undefined;
    });
    const { subject, text, html } = mail as Caught;
    assert.ok(!html.includes("<img") && html.includes("&lt;img src=x"), html);
    for (const one of [subject, text, html]) {
      assert.ok(!one.includes("\u202e"));
      assert.ok(!one.includes("http://evil.example"), "no program makes a link of it");
      assert.ok(one.includes("{{"), "and Liquid is no more than text");
    }
    const names = (mail as Caught).headers.map(({ name }) => name.toLowerCase());
    assert.equal(names.filter((name) => name === "subject").length, 1);
    const auto = (mail as Caught).headers.find(({ name }) => name === "Auto-Submitted");
    assert.equal(auto?.value, "auto-generated");
    assert.ok(!/<img|<script|url\(|@import/i.test(html), "nothing is fetched");
  });
});

describe("a notice", () => {
  const accountOf = () => requireId("acc", app.accountId, "account");

  test("tells every owner of a new key, and no member", async () => {
    const owner = await addPerson(app, unique("boss"), "owner");
    const member = await addPerson(app, unique("clerk"));
    await owner.browser.send("POST", "/v1/api_keys", { name: "CI <b>robot</b>", scopes: ["events:read"] });
    const [mail] = await untilCaught(owner.email, "A new API key: “CI <b>robot</b>”");
    assert.match(mail?.text ?? "", /It may do this: events:read\./);
    assert.ok(mail?.html.includes("CI &lt;b&gt;robot"));
    await untilIdle();
    assert.equal((await caught(member.email, "A new API key")).length, 0);
  });

  test("of a campaign goes to owners who want it, once, however often its job runs", async () => {
    const wants = await addPerson(app, unique("wants"), "owner");
    const quiet = await addPerson(app, unique("quiet"), "owner");
    const patched = await app.api("PATCH", `/v1/users/${quiet.id}`, { body: { notices: false } });
    assert.deepEqual([patched.status, patched.body.notices], [200, false]);
    const list = (await app.api("POST", "/v1/lists", { body: { name: "All" } })).body.id;
    const body = { name: "Spring", list_id: list, subject: "S", html: "<p>Hello</p>" };
    const campaign = (await app.api("POST", "/v1/campaigns", { body })).body;
    await app.db.execute(
      sql`update campaigns set name = ${"Spring\u202E news"} where id = ${requireId("cmp", campaign.id, "campaign")}`,
    );
    const data = { campaign_id: campaign.id, reason: "complaints", detail: "3 of 1,000 complained" };
    await app.db.transaction((tx) =>
      recordEvent(
        { sql: tx, accountId: accountOf(), actor: SYSTEM, clock },
        { type: "campaign.paused", data, isNoticed: true },
      ),
    );
    const [mail] = await untilCaught(wants.email, "was paused");
    assert.equal(mail?.subject, "“Spring news” was paused");
    assert.match(mail?.text ?? "", /Too many of its recipients complained[\s\S]*3 of 1,000 complained/);
    assert.ok(mail?.text.includes(`${app.baseUrl}/campaigns/${campaign.id}`));
    // A process that dies after the mails are accepted leaves its job, which is then run again.
    const { id } = await app.db.one<{ id: string }>(
      sql`select id from events where account_id = ${accountOf()} and type = 'campaign.paused'`,
    );
    const emails = await countOf("emails");
    await addJob(app.db, noticeKind, { account_id: accountOf(), event_id: id });
    await untilIdle();
    assert.equal(await countOf("emails"), emails);
    assert.equal((await caught(wants.email, "was paused")).length, 1);
    assert.equal((await caught(quiet.email, "was paused")).length, 0);
    await app.db.transaction((tx) => addKeyEvent(tx));
    await untilCaught(quiet.email, "A new API key");
  });

  test("of a mailbox that fails goes to owners, and names the reason", async () => {
    const owner = await addPerson(app, unique("mailbox"), "owner");
    const data = { mailbox_id: "mbx_01k9zq4t3xe8k8y0v6d3m2n1pq", reason: "sign_in" };
    await app.db.transaction((tx) =>
      recordEvent(
        { sql: tx, accountId: accountOf(), actor: SYSTEM, clock },
        { type: "inbound.mailbox_failing", data, isNoticed: true },
      ),
    );
    const [mail] = await untilCaught(owner.email, "A mailbox can't be read");
    assert.match(mail?.text ?? "", /The reason: sign in\./);
    assert.ok(mail?.text.includes(`${app.baseUrl}/inbound/mailboxes`));
  });

  test("of a flood goes out ten times an hour, and the rest is summed up", async () => {
    const { key } = await app.addAccount();
    const owner = await addPerson(app, unique("flooded"), "owner", key);
    const makeKey = (_: unknown, nth: number) =>
      app.api("POST", "/v1/api_keys", { key, body: { name: `K${nth}`, scopes: ["events:read"] } });
    const made = await Promise.all(Array.from({ length: 13 }, makeKey));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
    await untilIdle();
    await app.db.execute(sql`
      select graphile_worker.reschedule_jobs(array(
        select j.id from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'sum_up_notices'), run_at => now())`);
    const summed = async () => {
      const mails = await caught(owner.email, "happened in", key);
      return mails.map(({ subject }) => Number(/^\d+/.exec(subject)?.[0] ?? 1)).reduce((a, b) => a + b, 0);
    };
    await until(async () => (await summed()) === 3);
    const [mail] = await caught(owner.email, "happened in", key);
    assert.match(mail?.text ?? "", /About security, such as a new API key, (were|was) \w+ of them/);
    const single = async () => (await caught(owner.email, "A new API key", key)).length;
    await until(async () => (await single()) >= 10);
    assert.equal(await single(), 10);
  });

  /** Security isn't switched off with the rest. */
  async function addKeyEvent(tx: Parameters<Parameters<typeof app.db.transaction>[0]>[0]) {
    const [key] = (await app.api("GET", "/v1/api_keys")).body.data;
    await recordEvent(
      { sql: tx, accountId: accountOf(), actor: SYSTEM, clock },
      { type: "api_key.created", data: { api_key_id: key.id }, isNoticed: true },
    );
  }
});

test("with a server it leaves from SYSTEM_FROM, and the answer says that it was mailed", async () => {
  const relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
  const live = await createApp({
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      SYSTEM_FROM: "Our mailer <mailer@host.example>",
    },
  });
  try {
    const made = await live.api("POST", "/v1/invitations", { body: { email: "new@example.com" } });
    assert.deepEqual([made.body.mailed, made.body.link], [true, null], made.text);
    await until(() => relay.received.length === 1);
    const [mail] = relay.received;
    assert.deepEqual([mail?.from, mail?.to], ["mailer@host.example", ["new@example.com"]]);
    assert.match(mail?.body ?? "", /^From: Our mailer <mailer@host\.example>\r$/m);
    assert.match(mail?.body ?? "", /^Auto-Submitted: auto-generated\r$/m);
    assert.ok((mail?.body ?? "").replaceAll("=\r\n", "").includes(`${live.baseUrl}/setup#prl_`));
    const again = () => live.api("POST", `/v1/invitations/${made.body.id}/resend`);
    for (const many of [2, 3]) {
      assert.equal((await again()).body.mailed, true);
      await until(() => relay.received.length === many);
    }
    const { body: fourth } = await again();
    assert.deepEqual(
      [fourth.mailed, fourth.link],
      [false, null],
      "three an hour are enough, and none is shown",
    );
    await live.api("POST", "/v1/suppressions", {
      body: { email: "gone@example.com", reason: "hard_bounce" },
    });
    const gone = await live.api("POST", "/v1/invitations", { body: { email: "gone@example.com" } });
    assert.deepEqual([gone.status, gone.body.mailed], [201, false], "a bounced address is mailed nothing");
  } finally {
    await live.stop();
    await relay.close();
  }
});
