/** How people change their own address: the new one proves, the old one is told, and nobody learns who else is known. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import { requireId } from "../../src/platform/ids.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { untilBlocking } from "../support/blocked.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, joinAs, openBrowser, PASSWORD, type Person, signIn } from "../support/people.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const OPEN = { disabledCommands: ["STARTTLS", "AUTH"] };
const SUBJECT = "This e-mail address on Postrider";
const ASKED = "A change of your e-mail address was asked for";
const DONE = "Your e-mail address was changed";

let app: TestApp;
let clock: TestClock;
let relay: Relay;
before(async () => {
  clock = createTestClock();
  relay = await startRelay(OPEN);
  app = await createApp({
    clock,
    settings: {
      SYSTEM_FROM: "Mailer <mailer@host.example>",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      INTERNAL_HOSTS: "127.0.0.1",
    },
  });
});
after(async () => {
  await app.stop();
  await relay.close();
});

let count = 0;
const unique = (name = "change") => `${name}${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const ask = ({ browser }: Person, email: string) => browser.send("POST", "/v1/email_changes", { email });
const redeem = ({ browser }: Person, token: string) =>
  browser.send("POST", "/v1/email_changes/redeem", { token });
const pendingOf = async ({ browser }: Person) => (await browser.send("GET", "/v1/email_changes")).body.data;

function mailsTo(email: string, subject: string): string[] {
  return relay.received
    .map((one) => ({ ...one, body: one.body.replaceAll("=\r\n", "") }))
    .filter(({ to, body }) => to.includes(email) && body.includes(`Subject: ${subject}`))
    .map(({ body }) => body);
}
async function untilMailed(email: string, subject: string, many = 1): Promise<string> {
  await until(() => mailsTo(email, subject).length >= many);
  return mailsTo(email, subject).at(-1) as string;
}
const tokenIn = (body: string) => /\/confirm-address#(pre_[0-9A-Za-z]{54})/.exec(body)?.[1];

/** Asks, and returns the token that the new address gets. */
async function askAndRead(person: Person, email: string): Promise<string> {
  const before = mailsTo(email, SUBJECT).length;
  const reply = await ask(person, email);
  assert.equal(reply.status, 202, reply.text);
  const token = tokenIn(await untilMailed(email, SUBJECT, before + 1));
  assert.ok(token);
  return token;
}

/** Waits until no job of a change is left, so that what hasn't come by then never will. */
async function untilIdle(): Promise<void> {
  await until(async () => {
    const left = await app.db.many(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier in ('mail_new_address', 'tell_old_address', 'reset_password')`);
    return left.length === 0;
  });
}

describe("a change of one's own address", () => {
  it("is proven by the new one, and told to the old one", async () => {
    const person = await addPerson(app, unique(), "viewer");
    const next = unique("Next.");
    const elsewhere = await signIn(app, person.email);
    assert.deepEqual(await pendingOf(person), []);
    const asked = await ask(person, next);
    assert.equal(asked.status, 202, asked.text);
    const { id, ...rest } = asked.body;
    assert.match(id, /^emc_/);
    assert.deepEqual([rest.object, rest.email], ["email_change", next]);
    assert.equal(Date.parse(rest.expires_at), clock.now().getTime() + 24 * HOUR);
    assert.deepEqual(await pendingOf(person), [asked.body]);
    const token = tokenIn(await untilMailed(next, SUBJECT)) ?? "";
    assert.match(await untilMailed(person.email, ASKED), /change your password now/);
    assert.equal((await signIn(app, next)).reply.status, 401, "nothing has changed yet");
    const before = person.browser.token;
    const done = await redeem(person, token);
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.user.email, next);
    assert.notEqual(person.browser.token, before, "the session has another token");
    assert.equal((await person.browser.send("GET", "/v1/session")).body.user.email, next);
    assert.equal((await openBrowser(app, before).send("GET", "/v1/session")).status, 401);
    assert.equal((await elsewhere.browser.send("GET", "/v1/session")).status, 401, "others have ended");
    assert.match(await untilMailed(person.email, DONE), /tell an owner of it/);
    assert.equal((await signIn(app, person.email)).reply.status, 401);
    assert.equal((await signIn(app, next.toUpperCase())).reply.status, 201, "in any spelling");
    assert.deepEqual(await pendingOf(person), []);
    assert.deepEqual(outcome(await redeem(person, token)), [409, "link_used"]);
  });

  it("keeps no token, and neither address stands in a mail that others read", async () => {
    const person = await addPerson(app, unique());
    const next = unique("secret");
    const token = await askAndRead(person, next);
    const rows = await app.db.many(sql`select row_to_json(c)::text as text from email_changes c`);
    assert.ok(!JSON.stringify(rows).includes(token));
    assert.ok(!app.logs.some((line) => line.includes(token) || line.includes(next)));
    const notice = await untilMailed(person.email, ASKED);
    assert.ok(!notice.includes(next), "people of the account may read the notice");
    const { body } = await app.api("GET", `/v1/emails?to=${encodeURIComponent(next)}`);
    const content = await app.api("GET", `/v1/emails/${body.data[0].id}/content`);
    assert.equal(content.body.code, "email_content_private", content.text);
  });

  it("answers alike for an address that is somebody's, which gets a mail without a link", async () => {
    const other = await addPerson(app, unique("other"));
    const invited = unique("invited");
    await app.api("POST", "/v1/invitations", { body: { email: invited } });
    const answers: unknown[] = [];
    for (const email of [unique("free"), other.email, other.email.toUpperCase(), invited]) {
      const person = await addPerson(app, unique());
      const reply = await ask(person, email);
      const { id, email: shown, created_at, updated_at, expires_at, ...rest } = reply.body;
      assert.equal(shown, email);
      const headers = [...reply.headers.keys()].filter((name) => name !== "set-cookie").sort();
      answers.push([reply.status, rest, headers, (await pendingOf(person)).length]);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const body = await untilMailed(other.email, SUBJECT);
    assert.equal(tokenIn(body), undefined);
    assert.match(body, /somebody signs in with it already/);
    assert.equal(tokenIn(await untilMailed(invited, SUBJECT)), undefined);
    await settled(app);
    const { body: mails } = await app.api("GET", "/v1/emails?limit=200");
    type Mail = { subject: string; tags: string[] };
    const seen = mails.data.filter(({ tags }: Mail) => tags.includes("postrider-email-change"));
    assert.equal(new Set(seen.map(({ subject }: Mail) => subject)).size, 1, "the log of mails tells neither");
  });

  it("is of one at a time: a newer one, taking it back, and 24 hours end it", async () => {
    const person = await addPerson(app, unique());
    const [one, two] = [unique(), unique()];
    const first = await askAndRead(person, one);
    const second = await askAndRead(person, two);
    assert.deepEqual(
      (await pendingOf(person)).map(({ email }: { email: string }) => email),
      [two],
    );
    assert.deepEqual(outcome(await redeem(person, first)), [404, "link_unknown"]);
    assert.equal((await person.browser.send("DELETE", "/v1/email_changes")).status, 204);
    assert.equal((await person.browser.send("DELETE", "/v1/email_changes")).status, 404);
    assert.deepEqual(outcome(await redeem(person, second)), [404, "link_unknown"]);
    const third = await askAndRead(person, one);
    clock.advance(24 * HOUR);
    assert.deepEqual(await pendingOf(person), []);
    assert.deepEqual(outcome(await redeem(person, third)), [404, "link_unknown"]);
    assert.equal((await person.browser.send("DELETE", "/v1/email_changes")).status, 404);
  });

  it("takes three requests an hour, also at once, and mails an address three times", async () => {
    const person = await addPerson(app, unique());
    const next = unique("often");
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => ask(person, next)));
    assert.deepEqual(all.map(({ status }) => status).sort(), [202, 202, 202, 429, 429]);
    const refused = await ask(person, unique());
    assert.deepEqual(outcome(refused), [429, "too_many_attempts"]);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await untilIdle();
    const before = mailsTo(next, SUBJECT).length;
    assert.ok(before <= 3, String(before));
    for (let i = 0; i < 4; i++) {
      const reply = await ask(await addPerson(app, unique()), next);
      assert.equal(reply.status, 202, "the answer doesn't tell");
      await untilIdle();
    }
    const { n } = await app.db.one<{ n: number }>(
      sql`select count(mailed_at)::int as n from email_changes where email = ${next}`,
    );
    assert.equal(n, 3);
    clock.advance(HOUR);
    person.browser = (await signIn(app, person.email)).browser;
    assert.equal((await ask(person, next)).status, 202);
  });

  it("has one effect and one record under an idempotency key, repeated and at once", async () => {
    const { id, browser, email } = await addPerson(app, unique());
    const headers = { "idempotency-key": unique("key") };
    const body = { email: unique("keyed") };
    const send = () => browser.send("POST", "/v1/email_changes", body, headers);
    const all = [...(await Promise.all([send(), send(), send()])), await send()];
    for (const { status, text } of all) assert.ok([202, 409].includes(status), text);
    const made = all.filter(({ status }) => status === 202);
    assert.equal(made.filter((reply) => !reply.headers.has("idempotency-replayed")).length, 1);
    await untilMailed(email, ASKED);
    await untilIdle();
    const { n } = await app.db.one<{ n: number }>(
      sql`select count(*)::int as n from email_changes where email = ${body.email}`,
    );
    assert.deepEqual([n, mailsTo(email, ASKED).length], [1, 1]);
    const path = `/v1/audit?action=user.email_change_requested&target=${id}`;
    assert.equal((await app.api("GET", path)).body.data.length, 1);
  });

  it("wants a session of the same person, and a confirmation to ask", async () => {
    const [person, stranger] = [await addPerson(app, unique()), await addPerson(app, unique())];
    const next = unique();
    const token = await askAndRead(person, next);
    assert.deepEqual(outcome(await redeem(stranger, token)), [409, "wrong_person"]);
    const nobody = await openBrowser(app).send("POST", "/v1/email_changes/redeem", { token });
    assert.equal(nobody.status, 401);
    const byKey = await app.api("POST", "/v1/email_changes", { body: { email: next } });
    assert.deepEqual(outcome(byKey), [404, "no_session"]);
    clock.advance(16 * 60_000);
    assert.deepEqual(outcome(await ask(person, unique())), [403, "confirmation_required"]);
    assert.equal((await redeem(person, token)).status, 200, "the link itself is proof enough");
    assert.deepEqual(
      outcome(await ask(person, unique())),
      [403, "confirmation_required"],
      "but not of who uses the session now",
    );
  });

  it("ends with a new password, which somebody may have chosen because another had asked", async () => {
    const person = await addPerson(app, unique());
    const token = await askAndRead(person, unique());
    clock.advance(1_000);
    const changed = await person.browser.send("POST", "/v1/session/password", {
      current_password: PASSWORD,
      new_password: `${PASSWORD} and more`,
    });
    assert.ok(changed.status < 300, changed.text);
    assert.deepEqual((await person.browser.send("GET", "/v1/email_changes")).body.data, []);
    assert.deepEqual(outcome(await redeem(person, token)), [404, "link_unknown"]);
  });

  it("isn't carried out by a session that was ended while it waited", async () => {
    const person = await addPerson(app, unique());
    const token = await askAndRead(person, unique());
    const id = requireId("usr", (await person.browser.send("GET", "/v1/session")).body.user.id, "user");
    let redeemed: Promise<Reply> | undefined;
    await app.db.transaction(async (tx) => {
      const { person_id: personId } = await tx.one<{ person_id: string }>(
        sql`select person_id from users where id = ${id}`,
      );
      await tx.execute(sql`select from people where id = ${personId} for update`);
      redeemed = redeem(person, token);
      await untilBlocking(tx);
      await tx.execute(sql`delete from sessions where person_id = ${personId}`);
    });
    assert.deepEqual(outcome((await redeemed) as Reply), [404, "no_session"]);
  });

  it("is refused once somebody else has the address, also of two at once", async () => {
    const [one, two] = [await addPerson(app, unique()), await addPerson(app, unique())];
    const next = unique("wanted");
    const [first, second] = [await askAndRead(one, next), await askAndRead(two, next)];
    const replies = await Promise.all([redeem(one, first), redeem(two, second)]);
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409]);
    const [lost] = replies.filter(({ status }) => status === 409);
    assert.equal(lost?.body.code, "address_taken");
    const late = await addPerson(app, unique());
    const taken = unique("taken");
    const token = await askAndRead(late, taken);
    await app.api("POST", "/v1/invitations", { body: { email: taken } });
    assert.deepEqual(outcome(await redeem(late, token)), [409, "address_taken"]);
    assert.equal((await late.browser.send("GET", "/v1/session")).body.user.email, late.email);
    assert.equal((await late.browser.send("DELETE", "/v1/email_changes")).status, 204);
  });

  it("by one link happens once, also at once", async () => {
    const person = await addPerson(app, unique());
    const token = await askAndRead(person, unique());
    const browsers = [1, 2, 3].map(() => openBrowser(app, person.browser.token));
    const replies = await Promise.all(
      browsers.map((browser) => browser.send("POST", "/v1/email_changes/redeem", { token })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1, replies.map(outcome).join(" | "));
    await untilMailed(person.email, DONE);
    await untilIdle();
    assert.equal(mailsTo(person.email, DONE).length, 1);
  });

  it("ends links that set a password, and invitations to the old address", async () => {
    const person = await addPerson(app, unique());
    const [other, third] = [await app.addAccount(), await app.addAccount()];
    const { id: otherId } = await joinAs(app, person, other.key);
    person.browser = (await signIn(app, person.email)).browser;
    const invited = await app.api("POST", "/v1/invitations", {
      key: third.key,
      body: { email: person.email },
    });
    assert.equal(invited.status, 201);
    const asks = { key: null, body: { email: person.email } };
    assert.equal((await app.api("POST", "/v1/password_resets", asks)).status, 202);
    const reset = /\/setup#(prl_\w+)/.exec(await untilMailed(person.email, "Choose a new password"))?.[1];
    const linksOf = async () =>
      (
        await app.db.many(
          sql`select from user_links where user_id = ${requireId("inv", invited.body.id, "")}`,
        )
      ).length;
    await until(async () => (await linksOf()) === 1);
    const next = unique("moved");
    assert.equal((await redeem(person, await askAndRead(person, next))).status, 200);
    const token = reset;
    const gone = await app.api("POST", "/v1/password_links/inspect", { key: null, body: { token } });
    assert.deepEqual(outcome(gone), [404, "link_unknown"]);
    assert.equal(await linksOf(), 0);
    const path = `/v1/invitations/${invited.body.id}`;
    assert.equal((await app.api("GET", path, { key: third.key })).status, 404);
    await settled(app);
    const { body: events } = await app.api("GET", "/v1/events?limit=5", { key: third.key });
    assert.ok(events.data.some(({ type }: { type: string }) => type === "invitation.deleted"));
    for (const [key, id] of [
      [app.key, person.id],
      [other.key, otherId],
    ] as const) {
      const { body } = await app.api("GET", `/v1/audit?action=user.email_changed&target=${id}`, { key });
      assert.equal(body.data.length, 1, "each account of the person has a record");
      const { body: log } = await app.api("GET", "/v1/events?type=user.updated&limit=1", { key });
      assert.deepEqual(log.data[0].data.changed, ["email"]);
    }
  });

  it("leaves no link that sets a password with the old address, also if one is written meanwhile", async () => {
    const person = await addPerson(app, unique());
    const next = unique("meanwhile");
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`select from people where email = ${person.email} for update`);
      const asks = { key: null, body: { email: person.email } };
      assert.equal((await app.api("POST", "/v1/password_resets", asks)).status, 202);
      await setTimeout(1_000);
      await tx.execute(
        sql`update people set email = ${next}, email_key = ${next} where email = ${person.email}`,
      );
    });
    await untilIdle();
    const { n } = await app.db.one<{ n: number }>(sql`
      select count(*)::int as n from user_links where used_at is null and user_id = ${requireId("usr", person.id, "")}`);
    assert.equal(n, 0);
  });

  it("names each fault of bad input", async () => {
    const person = await addPerson(app, unique());
    for (const email of [
      "nobody",
      "a b@example.com",
      "a\u0007@example.com",
      "a@localhost",
      "a@b\r\nBcc: c@d.e",
    ])
      assert.equal((await ask(person, email)).body.errors?.[0].code, "invalid_email", email);
    for (const email of [person.email, person.email.toUpperCase(), ` ${person.email} `])
      assert.equal((await ask(person, email)).body.errors?.[0].code, "unchanged", email);
    for (const body of [{}, { email: 5 }, { email: "x".repeat(255) }, { email: unique(), person_id: "x" }])
      assert.equal((await person.browser.send("POST", "/v1/email_changes", body)).status, 422);
    for (const token of ["pre_", "prs_x", `pre_${"0".repeat(54)}`, "x".repeat(100)])
      assert.deepEqual(outcome(await redeem(person, token)), [404, "link_unknown"], token);
    for (const token of ["", "x".repeat(101), "\u0000"])
      assert.equal((await redeem(person, token)).status, 422, token);
    assert.deepEqual(await pendingOf(person), [], "nothing of it was taken");
  });

  it("knows a host name in either spelling", async () => {
    const [one, two] = [await addPerson(app, unique()), await addPerson(app, unique())];
    const local = `idna${++count}`;
    assert.equal((await ask(one, `${local}@xn--bcher-kva.example`)).status, 202);
    const mailed = () => relay.received.find(({ to }) => to.some((address) => address.startsWith(local)));
    await until(() => mailed() !== undefined);
    const token = tokenIn(mailed()?.body.replaceAll("=\r\n", "") ?? "") ?? "";
    assert.equal((await redeem(one, token)).status, 200);
    const again = await one.browser.send("POST", "/v1/session/confirm", { password: PASSWORD });
    assert.equal(again.status, 200, again.text);
    assert.equal((await ask(one, `${local}@B\u00dcCHER.example`)).body.errors[0].code, "unchanged");
    assert.equal((await ask(two, `${local}@b\u00fccher.example`)).status, 202);
    await untilIdle();
    const rows = await app.db.many<{ token_hash: Buffer | null }>(
      sql`select token_hash from email_changes where email like ${`${local}@b%`} and mailed_at is not null`,
    );
    assert.deepEqual(rows, [{ token_hash: null }], "it is somebody's already");
  });
});

describe("without a server of the instance's", () => {
  it("no address can be proven, and the answer says so", async () => {
    const bare = await createApp();
    try {
      const person = await addPerson(bare, "bare@example.com");
      const reply = await ask(person, "next@example.com");
      assert.deepEqual(outcome(reply), [409, "proof_unavailable"], reply.text);
      assert.match(reply.body.detail, /SMTP_URL/);
      assert.deepEqual(await pendingOf(person), []);
    } finally {
      await bare.stop();
    }
  });
});
