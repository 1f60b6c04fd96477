/** How strangers open accounts by themselves: the address proves, and nobody learns who else is known. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, signIn } from "../support/people.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
const SUBJECT = "Your account on Postrider";

let app: TestApp;
let clock: TestClock;
let relay: Relay;
before(async () => {
  clock = createTestClock();
  relay = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
  app = await createApp({
    clock,
    settings: {
      SIGN_UP: "open",
      SYSTEM_FROM: "Mailer <mailer@host.example>",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      INTERNAL_HOSTS: "127.0.0.1",
      TRUST_PROXY: "1",
    },
  });
});
after(async () => {
  await app.stop();
  await relay.close();
});

let count = 0;
const unique = (name = "stranger") => `${name}${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
/** Each asks from a network of its own, unless one is named. */
const ask = (email: string, more: object = {}, network = `10.0.${count >> 8}.${count++ & 255}`) =>
  openBrowser(app).send(
    "POST",
    "/v1/sign_ups",
    { email, account_name: "Fernhill", ...more },
    { "x-forwarded-for": network },
  );
const redeem = (token: string, more: object = {}, browser = openBrowser(app)) =>
  browser.send("POST", "/v1/sign_ups/redeem", { token, password: PASSWORD, ...more });
const inspect = (token: string) => openBrowser(app).send("POST", "/v1/sign_ups/inspect", { token });

function mailsTo(email: string): string[] {
  return relay.received
    .map((one) => ({ ...one, body: one.body.replaceAll("=\r\n", "") }))
    .filter(({ to, body }) => to.includes(email) && body.includes(`Subject: ${SUBJECT}`))
    .map(({ body }) => body);
}
async function untilMailed(email: string, many = 1): Promise<string> {
  await until(() => mailsTo(email).length >= many);
  return mailsTo(email).at(-1) as string;
}
const tokenIn = (body: string) => /\/sign-up\/confirm#(pru_[0-9A-Za-z]{54})/.exec(body)?.[1];

/** Asks, and returns the token that the address gets. */
async function askAndRead(email: string, more: object = {}): Promise<string> {
  const before = mailsTo(email).length;
  const reply = await ask(email, more);
  assert.equal(reply.status, 202, reply.text);
  const token = tokenIn(await untilMailed(email, before + 1));
  assert.ok(token);
  return token;
}

/** Waits until no job of a sign-up is left, so that what hasn't come by then never will. */
async function untilIdle(): Promise<void> {
  await until(async () => {
    const left = await app.db.many(sql`
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'mail_sign_up'`);
    return left.length === 0;
  });
}
const accounts = async () =>
  (await app.db.one<{ n: number }>(sql`select count(*)::int as n from accounts`)).n;

describe("a sign-up", () => {
  it("opens an account by the link that was mailed, with its owner and a list, and no key", async () => {
    const email = unique("Ada.");
    const asked = await ask(email, { account_name: "Fernhill & Sons", name: "Ada" });
    assert.deepEqual([asked.status, asked.body], [202, { object: "sign_up" }]);
    const body = await untilMailed(email);
    assert.match(body, /From: .*mailer@host\.example/);
    assert.ok(!body.includes("Fernhill"), "a mail carries nothing that a stranger typed");
    const token = tokenIn(body) ?? "";
    const before = await accounts();
    const { object, expires_at: expiresAt, ...shown } = (await inspect(token)).body;
    assert.deepEqual(shown, { email, account_name: "Fernhill & Sons", name: "Ada" });
    assert.equal(object, "sign_up_link");
    assert.ok(Date.parse(expiresAt) <= clock.now().getTime() + 24 * HOUR);
    assert.equal(await accounts(), before, "looking at it opens nothing");

    const browser = openBrowser(app);
    const done = await redeem(token, { name: "Ada Byron" }, browser);
    assert.equal(done.status, 201, done.text);
    const { user, memberships, account_id: id } = done.body;
    assert.deepEqual([user.email, user.name, user.role], [email, "Ada Byron", "owner"]);
    assert.equal(memberships.length, 1);
    assert.notEqual(id, app.accountId);
    const own = async (path: string) => (await browser.send("GET", path)).body;
    assert.equal((await own("/v1/account")).name, "Fernhill & Sons");
    assert.deepEqual(
      (await own("/v1/lists")).data.map(({ name }: { name: string }) => name),
      ["Newsletter"],
    );
    assert.deepEqual((await own("/v1/api_keys")).data, []);
    assert.equal((await signIn(app, email.toUpperCase())).reply.status, 201);
    const probation = await app.db.many(
      sql`select from account_probations where account_id = ${uuidOf("acc", id)}`,
    );
    assert.equal(probation.length, 1, "a new account beside others is on probation");

    await settled(app);
    const types = (await own("/v1/events?limit=50")).data.map(({ type }: { type: string }) => type);
    for (const type of ["account.created", "user.created", "list.created", "user.signed_in"])
      assert.ok(types.includes(type), type);
    const { data: log } = await own("/v1/audit?action=account.created");
    assert.deepEqual(
      log.map((row: { target_id: string; actor: { type: string } }) => row.target_id),
      [user.id],
    );
    const ofInstance = await app.db.many<{ target_id: string }>(sql`
      select target_id from audit_log where account_id = '00000000-0000-0000-0000-000000000000'
        and action = 'account.created'`);
    assert.deepEqual(
      ofInstance.map(({ target_id: target }) => target),
      [id],
      "operators see it, too",
    );
  });

  it("answers alike whatever the address, and tells whoever signs in with it that they do", async () => {
    const known = await addPerson(app, unique("known"));
    const invited = unique("invited");
    await app.api("POST", "/v1/invitations", { body: { email: invited } });
    const answers: unknown[] = [];
    for (const email of [unique(), known.email, known.email.toUpperCase(), invited]) {
      const reply = await ask(email);
      const { "x-request-id": _id, date: _date, ...headers } = Object.fromEntries(reply.headers);
      answers.push([reply.status, reply.text, Object.keys(headers).sort()]);
    }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    const body = await untilMailed(known.email);
    assert.equal(tokenIn(body), undefined);
    assert.match(body, /You sign in with this address already/);
    assert.match(body, /\/sign-in/);
    assert.equal((await signIn(app, known.email)).reply.status, 201, "nothing has changed");
    await settled(app);
    const { body: mails } = await app.api("GET", "/v1/emails?limit=200");
    type Mail = { id: string; subject: string; tags: string[] };
    const seen: Mail[] = mails.data.filter(({ tags }: Mail) => tags.includes("postrider-sign-up"));
    assert.equal(new Set(seen.map(({ subject }) => subject)).size, 1, "the log of mails tells neither");
    const content = await app.api("GET", `/v1/emails/${seen[0]?.id}/content`);
    assert.equal(content.body.code, "email_content_private", content.text);
  });

  it("of somebody who is only invited opens an account, and the invitation stays", async () => {
    const email = unique("invited");
    const { body: invitation } = await app.api("POST", "/v1/invitations", { body: { email } });
    const token = await askAndRead(email);
    assert.equal((await redeem(token)).status, 201);
    assert.equal((await app.api("GET", `/v1/invitations/${invitation.id}`)).status, 200);
    const { body } = await (await signIn(app, email)).browser.send("GET", "/v1/session");
    assert.equal(body.memberships.length, 1);
  });

  it("by a link happens once, also at once, and by one link of an address", async () => {
    const email = unique();
    const [first, second] = [await askAndRead(email), await askAndRead(email)];
    const before = await accounts();
    const replies = await Promise.all([redeem(first), redeem(second), redeem(first), redeem(second)]);
    assert.equal(replies.filter(({ status }) => status === 201).length, 1, replies.map(outcome).join(" | "));
    for (const reply of replies.filter(({ status }) => status !== 201))
      assert.deepEqual(outcome(reply), [409, "link_used"]);
    assert.equal(await accounts(), before + 1);
    for (const token of [first, second]) {
      assert.deepEqual(outcome(await redeem(token)), [409, "link_used"]);
      assert.deepEqual(outcome(await inspect(token)), [409, "link_used"]);
    }
  });

  it("is refused once somebody signs in with the address by another way", async () => {
    const email = unique("meanwhile");
    const token = await askAndRead(email);
    await addPerson(app, email);
    const before = await accounts();
    assert.deepEqual(outcome(await redeem(token)), [409, "user_exists"]);
    assert.equal(await accounts(), before, "nothing of it stays");
  });

  it("isn't done for somebody who is signed in here", async () => {
    const { browser } = await addPerson(app, unique());
    const token = await askAndRead(unique());
    assert.deepEqual(outcome(await redeem(token, {}, browser)), [409, "wrong_person"]);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200, "the session goes on");
    assert.equal((await redeem(token)).status, 201, "the link stays good");
  });

  it("ends after 24 hours", async () => {
    const email = unique();
    const token = await askAndRead(email);
    clock.advance(24 * HOUR);
    assert.deepEqual(outcome(await inspect(token)), [404, "link_unknown"]);
    assert.deepEqual(outcome(await redeem(token)), [404, "link_unknown"]);
  });

  it("mails an address three times an hour, whoever asks, and without a word", async () => {
    const email = unique("often");
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => ask(email)));
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([202]));
    await untilIdle();
    const rows = () => app.db.many(sql`select from sign_ups where email = ${email}`);
    assert.equal((await rows()).length, 3);
    await untilMailed(email, 3);
    clock.advance(HOUR);
    await ask(email);
    await untilMailed(email, 4);
    assert.equal(mailsTo(email).length, 4);
  });

  it("is asked for twenty times by a network, and then it has to wait", async () => {
    const network = "192.0.2.7";
    const all: Reply[] = [];
    for (let i = 0; i < 21; i++) all.push(await ask(unique("flood"), {}, network));
    assert.deepEqual(new Set(all.slice(0, 20).map(({ status }) => status)), new Set([202]));
    assert.deepEqual(outcome(all[20] as Reply), [429, "too_many_attempts"]);
    assert.ok(Number(all[20]?.headers.get("retry-after")) > 0);
    assert.equal((await ask(unique())).status, 202, "others don't");
    await untilIdle();
  });

  it("reaches an address that somebody suppressed in the first account", async () => {
    const email = unique("suppressed");
    const made = await app.api("POST", "/v1/suppressions", { body: { email } });
    assert.ok(made.status < 300, made.text);
    assert.equal((await redeem(await askAndRead(email))).status, 201);
  });

  it("leaves though the first account is suspended", async () => {
    const account = uuidOf("acc", app.accountId);
    await app.db.execute(sql`
      insert into account_holds (account_id, kind, since, reason) values (${account}, 'suspended', ${clock.now()}, 'test')`);
    try {
      assert.ok(await askAndRead(unique("held")));
    } finally {
      await app.db.execute(sql`delete from account_holds where account_id = ${account}`);
    }
  });

  it("is refused from another origin", async () => {
    const origin = "https://elsewhere.example";
    const email = unique();
    const asked = await openBrowser(app).send(
      "POST",
      "/v1/sign_ups",
      { email, account_name: "Fernhill" },
      { origin },
    );
    assert.deepEqual(outcome(asked), [403, "origin_mismatch"]);
    const token = await askAndRead(email);
    const body = { token, password: PASSWORD };
    const done = await openBrowser(app).send("POST", "/v1/sign_ups/redeem", body, { origin });
    assert.deepEqual(outcome(done), [403, "origin_mismatch"]);
    assert.equal((await inspect(token)).status, 200);
  });

  it("names each fault of bad input", async () => {
    for (const email of [
      "nobody",
      "a b@example.com",
      "a\u0007@example.com",
      "a@localhost",
      "a@b\r\nBcc: c@d.e",
    ])
      assert.equal((await ask(email)).body.errors?.[0].code, "invalid_email", email);
    for (const account_name of ["", "  ", "a\u0000b", "a\r\nb", "\u0085", "x".repeat(101), 5, null]) {
      const reply = await ask(unique(), { account_name });
      assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, "/account_name"], reply.text);
    }
    for (const name of ["a\u0007", "x".repeat(101)])
      assert.equal((await ask(unique(), { name })).status, 422);
    assert.equal((await ask(unique(), { role: "owner" })).status, 422);
    const email = unique();
    const token = await askAndRead(email);
    for (const password of ["short", email, "x".repeat(201)]) {
      const reply = await redeem(token, { password });
      assert.deepEqual([reply.status, reply.body.errors?.[0].pointer], [422, "/password"], reply.text);
    }
    assert.equal((await redeem(token, { name: "a\u0000" })).status, 422);
    assert.equal((await redeem(token, { email: "other@example.com" })).status, 422);
    for (const wrong of ["pru_", "prs_x", `pru_${"0".repeat(54)}`, token.replace("pru_", "pre_")])
      assert.deepEqual(outcome(await redeem(wrong)), [404, "link_unknown"], wrong);
    assert.equal((await redeem(token)).status, 201, "none of it used the link up");
  });

  it("keeps no token, and nothing of it stands in the queue or a log", async () => {
    const email = unique("secret");
    const token = await askAndRead(email, { account_name: "Zqxfernhill" });
    const kept = await app.db.many(sql`select row_to_json(s)::text as text from sign_ups s`);
    assert.ok(!JSON.stringify(kept).includes(token));
    assert.equal((await redeem(token)).status, 201);
    for (const secret of [token, email, "Zqxfernhill"])
      assert.ok(!app.logs.some((line) => line.includes(secret)), secret);
  });
});

describe("where sign-up isn't open", () => {
  for (const mode of ["closed", "invite"]) {
    it(`is refused with ${mode}, and the sign-in page is told`, async () => {
      const settings = mode === "closed" ? {} : { SIGN_UP: mode };
      const other = await createApp({
        databaseUrl: app.databaseUrl,
        settings: { ...settings, ROLES: "api" },
      });
      try {
        const send = (path: string, body: object) => openBrowser(other).send("POST", path, body);
        const methods = await openBrowser(other).send("GET", "/v1/sign_in_methods");
        assert.equal(methods.body.sign_up, mode);
        const asked = await send("/v1/sign_ups", { email: unique(), account_name: "Fernhill" });
        assert.deepEqual(outcome(asked), [403, "sign_up_closed"]);
        const token = await askAndRead(unique());
        assert.deepEqual(outcome(await send("/v1/sign_ups/inspect", { token })), [403, "sign_up_closed"]);
        const redeemed = await send("/v1/sign_ups/redeem", { token, password: PASSWORD });
        assert.deepEqual(outcome(redeemed), [403, "sign_up_closed"], "also by a link of before");
      } finally {
        await other.stop();
      }
    });
  }
});
