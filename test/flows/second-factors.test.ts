/** Second factors at a sign-in: what they ask for, and what gets nobody past them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, type Person, signIn, tokenOfLink } from "../support/people.ts";
import { addApp, appWith, type TestFactor } from "../support/second-factors.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock, settings: { RATE_LIMIT_PER_MINUTE: "1000000" } });
});
after(() => app.stop());

let count = 0;
const unique = () => `factor${++count}@example.com`;

async function withApp(): Promise<{ person: Person; factor: TestFactor }> {
  const person = await addPerson(app, unique());
  return { person, factor: await addApp(person.browser, clock.now()) };
}

/** Gives the right password, and returns the token that wants a factor. */
async function dueFor(email: string): Promise<string> {
  const { reply } = await signIn(app, email);
  assert.equal(reply.status, 202, reply.text);
  return reply.body.token;
}

const prove = (body: object, headers?: Record<string, string>) =>
  openBrowser(app).send("POST", "/v1/session/second_factor", body, headers);
const outcome = (reply: Reply) => [reply.status, reply.body.code];

describe("an authenticator app", () => {
  it("is in use from its first good code on, and ten recovery codes come with it", async () => {
    const { browser } = await addPerson(app, unique());
    const made = await browser.send("POST", "/v1/factors", { type: "totp", name: "Phone" });
    assert.equal(made.status, 201, made.text);
    assert.match(made.body.uri, /^otpauth:\/\/totp\/Postrider:factor/);
    assert.equal(made.body.status, "pending");
    assert.deepEqual((await browser.send("GET", "/v1/factors")).body.data, []);
    const code = appWith(made.body.secret);
    const path = `/v1/factors/${made.body.id}/activate`;
    const late = await browser.send("POST", path, { code: code(clock.now(), 2) });
    assert.deepEqual([late.status, late.body.errors[0].code], [422, "wrong_code"]);
    const done = await browser.send("POST", path, { code: code(clock.now()) });
    assert.deepEqual([done.status, done.body.status], [200, "active"], done.text);
    assert.equal(new Set(done.body.recovery_codes).size, 10);
    assert.deepEqual(outcome(await browser.send("POST", path, { code: code(clock.now(), 1) })), [
      409,
      "factor_active",
    ]);
    const { body } = await browser.send("GET", "/v1/factors");
    assert.deepEqual(
      body.data.map((one: { name: string; type: string }) => [one.name, one.type]),
      [["Phone", "totp"]],
    );
    assert.ok(!JSON.stringify(body).includes(made.body.secret), "the secret is shown once");
    const stored = await app.db.many<{ row: string }>(sql`
      select to_jsonb(t)::text as row from factors t union all select to_jsonb(t)::text from recovery_codes t`);
    const all = JSON.stringify(stored);
    assert.ok(!all.includes(made.body.secret) && !all.includes(done.body.recovery_codes[0]));
  });

  it("ends the other sessions where it is the first, which were opened by a password alone", async () => {
    const person = await addPerson(app, unique());
    const before_ = await signIn(app, person.email);
    assert.equal(before_.reply.status, 201);
    const factor = await addApp(person.browser, clock.now());
    assert.equal((await before_.browser.send("GET", "/v1/session")).status, 401, "the other one has ended");
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 200, "the present one goes on");
    const later = openBrowser(app);
    const proof = { token: await dueFor(person.email), code: factor.code(clock.now()) };
    assert.equal((await later.send("POST", "/v1/session/second_factor", proof)).status, 201);
    await addApp(person.browser, clock.now());
    assert.equal((await later.send("GET", "/v1/session")).status, 200, "a second factor ends none");
  });

  it("is told to its person at once, with what to do if it wasn't them, and recorded", async () => {
    const person = await addPerson(app, unique());
    const thief = await signIn(app, person.email);
    await addApp(thief.browser, clock.now());
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401, "the person's own has ended");
    const letters = async () =>
      (await app.api("GET", `/v1/sandbox/messages?to=${person.email}`)).body.data.filter(
        ({ subject }: { subject: string }) => subject === "An authenticator app was added",
      );
    await until(async () => (await letters()).length === 1);
    const { text } = (await app.api("GET", `/v1/sandbox/messages/${(await letters())[0].id}`)).body;
    assert.match(text, /all other sessions have ended/);
    assert.match(text, /whoever runs this server remove the factor/);
    assert.match(text, /\/forgotten-password/);
    const rows = await app.db.many<{ actor_kind: string }>(sql`
      select actor_kind from audit_log where action = 'factor.added' and actor_id = ${person.id}`);
    assert.deepEqual(rows, [{ actor_kind: "user" }]);
    const link = await app.api("POST", `/v1/users/${person.id}/password_link`, {});
    const body = { token: tokenOfLink(link.body.url), password: "a password that is new" };
    const reset = await openBrowser(app).send("POST", "/v1/password_links/redeem", body);
    assert.equal(reset.status, 202, "the factor is still due");
    assert.equal((await thief.browser.send("GET", "/v1/session")).status, 401, "and the thief is out");
  });

  it("takes codes of six digits of ASCII alone", async () => {
    const { person } = await withApp();
    const token = await dueFor(person.email);
    for (const code of ["1234567", "12345", "١٢٣٤٥٦", "１２３４５６", " 12345", "12345\n", "abcdef", ""]) {
      const reply = await prove({ token, code });
      assert.deepEqual(outcome(reply), [422, "validation_failed"], JSON.stringify(code));
    }
    const { status } = await prove({ token, code: "000000" });
    assert.equal(status, 401, "and what was refused for its form isn't counted");
  });

  it("is set up, renamed and removed by its person alone", async () => {
    const { person, factor } = await withApp();
    const other = await addPerson(app, unique());
    const path = `/v1/factors/${factor.id}`;
    assert.equal((await other.browser.send("DELETE", path)).status, 404);
    assert.equal((await other.browser.send("PATCH", path, { name: "Mine" })).status, 404);
    assert.equal((await person.browser.send("PATCH", path, { name: "a\u0007b" })).status, 422);
    assert.equal((await person.browser.send("PATCH", path, { name: "Tablet" })).body.name, "Tablet");
    assert.equal((await person.browser.send("DELETE", path)).status, 204);
    assert.equal((await signIn(app, person.email)).reply.status, 201, "the password is enough again");
    assert.equal((await person.browser.send("GET", "/v1/recovery_codes")).body.left, 0);
  });

  it("can't be more than twenty factors, and one that isn't finished gives way to the next", async () => {
    const { person } = await withApp();
    const begin = () => person.browser.send("POST", "/v1/factors", { type: "totp" });
    const first = await begin();
    const second = await begin();
    const code = appWith(first.body.secret)(clock.now());
    assert.equal(
      (await person.browser.send("POST", `/v1/factors/${first.body.id}/activate`, { code })).status,
      404,
    );
    assert.equal(second.status, 201);
    await app.db.execute(sql`
      insert into factors (person_id, id, kind, name, secret, created_at, updated_at, activated_at)
      select person_id, gen_random_uuid(), kind, name, secret, created_at, updated_at, activated_at
      from factors, generate_series(1, 19) where activated_at is not null
        and person_id = (select id from people where email_key = ${person.email})`);
    assert.deepEqual(outcome(await begin()), [409, "too_many_factors"]);
  });
});

describe("a sign-in", () => {
  it("with a factor is 202 and no session, and the factor makes it one", async () => {
    const { person, factor } = await withApp();
    const { browser, reply } = await signIn(app, person.email);
    assert.deepEqual([reply.status, reply.body.factors, browser.token], [202, ["totp"], ""]);
    assert.equal((await browser.send("GET", "/v1/session")).status, 401);
    const { token } = reply.body;
    const done = await browser.send("POST", "/v1/session/second_factor", {
      token,
      code: factor.code(clock.now()),
    });
    assert.equal(done.status, 201, done.text);
    assert.deepEqual(done.body.factors, ["totp"]);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200);
    const again = await prove({ token, code: factor.code(clock.now(), 1) });
    assert.deepEqual(outcome(again), [401, "sign_in_expired"], "the token is good once");
  });

  it("tells of a factor after a right password alone", async () => {
    const { person } = await withApp();
    const known = await signIn(app, person.email, "a wrong password");
    const stranger = await signIn(app, unique(), "a wrong password");
    const { request_id: _a, ...one } = known.reply.body;
    const { request_id: _b, ...two } = stranger.reply.body;
    assert.deepEqual([known.reply.status, one], [stranger.reply.status, two]);
    assert.equal(one.code, "wrong_credentials");
  });

  it("takes a step once: not replayed, not the one before, and not twice at once", async () => {
    const { person, factor } = await withApp();
    clock.advance(60_000);
    const now = clock.now();
    const tokens = [await dueFor(person.email), await dueFor(person.email), await dueFor(person.email)];
    const [first, second] = await Promise.all(
      tokens.slice(0, 2).map((token) => prove({ token, code: factor.code(now) })),
    );
    assert.deepEqual([first?.status, second?.status].toSorted(), [201, 401]);
    const third = tokens[2] ?? "";
    assert.deepEqual(outcome(await prove({ token: third, code: factor.code(now) })), [
      401,
      "wrong_second_factor",
    ]);
    const before_ = await prove({ token: third, code: factor.code(now, -1) });
    assert.deepEqual(outcome(before_), [401, "wrong_second_factor"], "the step before was good until then");
    assert.equal((await prove({ token: third, code: factor.code(now, 1) })).status, 201);
  });

  it("with one token opens one session, however many come at once", async () => {
    const { person, factor } = await withApp();
    const token = await dueFor(person.email);
    const replies = await Promise.all([
      prove({ token, code: factor.code(clock.now()) }),
      prove({ token, code: factor.code(clock.now(), 1) }),
      prove({ token, recovery_code: factor.recoveryCodes[0] }),
    ]);
    assert.equal(replies.filter(({ status }) => status === 201).length, 1);
  });

  it("ends after five wrong codes, after ten minutes, and with a change of password", async () => {
    const { person, factor } = await withApp();
    const tried = await dueFor(person.email);
    const left: number[] = [];
    for (let i = 0; i < 5; i++) {
      const reply = await prove({ token: tried, code: wrongCode(factor) });
      assert.deepEqual(outcome(reply), [401, "wrong_second_factor"]);
      left.push(reply.body.attempts_left);
    }
    assert.deepEqual(left, [4, 3, 2, 1, 0]);
    const right = await prove({ token: tried, code: factor.code(clock.now()) });
    assert.deepEqual(outcome(right), [401, "sign_in_expired"]);

    clock.advance(3_600_000);
    const old = await dueFor(person.email);
    clock.advance(10 * 60_000);
    assert.deepEqual(outcome(await prove({ token: old, code: factor.code(clock.now()) })), [
      401,
      "sign_in_expired",
    ]);
    const begun = await dueFor(person.email);
    const changed = await person.browser.send("POST", "/v1/session/password", {
      current_password: PASSWORD,
      new_password: "sturdy mule charger clip",
    });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(outcome(await prove({ token: begun, code: factor.code(clock.now()) })), [
      401,
      "sign_in_expired",
    ]);
  });

  it("takes no factor of another person's, and no token of another kind", async () => {
    const [one, two] = [await withApp(), await withApp()];
    const token = await dueFor(one.person.email);
    const theirs = await prove({ token, code: two.factor.code(clock.now()) });
    assert.deepEqual(outcome(theirs), [401, "wrong_second_factor"]);
    const codes = await prove({ token, recovery_code: two.factor.recoveryCodes[0] });
    assert.deepEqual(outcome(codes), [401, "wrong_second_factor"]);
    const code = one.factor.code(clock.now());
    for (const other of [one.person.browser.token, app.key, "prf_", "x".repeat(200)]) {
      assert.deepEqual(outcome(await prove({ token: other, code })), [401, "sign_in_expired"]);
    }
    const asSession = openBrowser(app, token);
    assert.equal((await asSession.send("GET", "/v1/session")).status, 401, "nor is the token a session");
    assert.equal((await prove({ token, code, recovery_code: "a" })).status, 422, "one proof, not two");
    assert.equal((await prove({ token })).status, 422);
  });

  it("is refused from another site's page", async () => {
    const { person, factor } = await withApp();
    const token = await dueFor(person.email);
    for (const origin of ["https://evil.example", "null"]) {
      const reply = await prove({ token, code: factor.code(clock.now()) }, { origin });
      assert.deepEqual(outcome(reply), [403, "origin_mismatch"]);
    }
  });

  it("is throttled for a person, whatever tokens their password gets", async () => {
    const { person, factor } = await withApp();
    let refused: Reply | undefined;
    for (let i = 0; i < 4 && !refused; i++) {
      const token = await dueFor(person.email);
      for (let j = 0; j < 5 && !refused; j++) {
        const reply = await prove({ token, code: wrongCode(factor) });
        if (reply.status === 429) refused = reply;
      }
    }
    assert.equal(refused?.body.code, "too_many_attempts");
    assert.ok(Number(refused?.headers.get("retry-after")) >= 1);
  });
});

describe("a link that sets a password", () => {
  it("never skips the factor", async () => {
    const { person, factor } = await withApp();
    const link = await app.api("POST", `/v1/users/${person.id}/password_link`, {});
    assert.equal(link.status, 201, link.text);
    const browser = openBrowser(app);
    const token = tokenOfLink(link.body.url);
    const password = "sturdy mule charger clip";
    const reset = await browser.send("POST", "/v1/password_links/redeem", { token, password });
    assert.deepEqual([reset.status, browser.token], [202, ""], reset.text);
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401, "sessions end all the same");
    const body = { token: reset.body.token, code: factor.code(clock.now()) };
    assert.equal((await browser.send("POST", "/v1/session/second_factor", body)).status, 201);
    assert.equal((await signIn(app, person.email, password)).reply.status, 202);
  });
});

describe("whoever was removed and is only invited", () => {
  it("is let in as somebody new: no factor, code or session of before opens anything", async () => {
    const other = await app.addAccount();
    const { person, factor } = await withApp();
    const token = await dueFor(person.email);
    const body = { email: person.email };
    const made = await app.api("POST", "/v1/invitations", { key: other.key, body });
    assert.equal(made.status, 201, made.text);
    assert.equal((await app.api("DELETE", `/v1/users/${person.id}`)).status, 204);
    const password = "the password of another holder";
    const browser = openBrowser(app);
    const accepted = { token: tokenOfLink(made.body.link), password };
    const joined = await browser.send("POST", "/v1/password_links/redeem", accepted);
    assert.equal(joined.status, 201, `no factor is due: ${joined.text}`);
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
    assert.equal((await prove({ token, recovery_code: factor.recoveryCodes[0] ?? "" })).status, 401);
    assert.deepEqual((await browser.send("GET", "/v1/factors")).body.data, []);
  });
});

describe("recovery codes", () => {
  it("are good once each, also for two at once, and however they are typed", async () => {
    const { person, factor } = await withApp();
    const [first = "", second = ""] = factor.recoveryCodes;
    const tokens = [await dueFor(person.email), await dueFor(person.email)];
    const replies = await Promise.all(tokens.map((token) => prove({ token, recovery_code: first })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 401]);
    const typed = ` ${second.toUpperCase().replaceAll("-", " ").replace("0", "O")} `;
    const token = await dueFor(person.email);
    assert.equal((await prove({ token, recovery_code: typed })).status, 201);
    assert.equal((await person.browser.send("GET", "/v1/recovery_codes")).body.left, 8);
  });

  it("are replaced as a whole, and there are none without a factor", async () => {
    const { person, factor } = await withApp();
    const anew = await person.browser.send("POST", "/v1/recovery_codes");
    assert.deepEqual([anew.status, anew.body.codes.length, anew.body.left], [201, 10, 10], anew.text);
    const token = await dueFor(person.email);
    const old = await prove({ token, recovery_code: factor.recoveryCodes[0] });
    assert.deepEqual(outcome(old), [401, "wrong_second_factor"]);
    assert.equal((await prove({ token, recovery_code: anew.body.codes[3] })).status, 201);
    const plain = await addPerson(app, unique());
    assert.deepEqual(outcome(await plain.browser.send("POST", "/v1/recovery_codes")), [
      409,
      "no_second_factor",
    ]);
  });

  it("aren't found by 10,000 guesses at once: five are judged", async () => {
    const { person, factor } = await withApp();
    const token = await dueFor(person.email);
    const guesses = Array.from({ length: 10_000 }, (_, at) => at.toString().padStart(16, "0"));
    const counts = new Map<string, number>();
    const AT_ONCE = 200;
    for (let from = 0; from < guesses.length; from += AT_ONCE) {
      const some = guesses.slice(from, from + AT_ONCE);
      const replies = await Promise.all(some.map((recovery_code) => prove({ token, recovery_code })));
      for (const { status, body } of replies) {
        const key = `${status} ${body.code}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    assert.equal(
      (counts.get("401 wrong_second_factor") ?? 0) + (counts.get("429 too_many_attempts") ?? 0),
      5,
    );
    assert.equal(counts.get("401 sign_in_expired"), 9_995, JSON.stringify([...counts]));
    const right = await prove({ token, recovery_code: factor.recoveryCodes[0] });
    assert.deepEqual(outcome(right), [401, "sign_in_expired"], "and the token is dead");
  });
});

/** A code that is none of those which are good now. */
function wrongCode(factor: TestFactor): string {
  const good = [-1, 0, 1].map((steps) => factor.code(clock.now(), steps));
  return ["000000", "111111", "222222", "333333"].find((code) => !good.includes(code)) ?? "";
}
