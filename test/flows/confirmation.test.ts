/** What wants whoever is signed in to prove again that it is them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { addOperator } from "../../src/accounts/accounts.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, type Person } from "../support/people.ts";
import { allRoutes, bodyFor, exampleOf, fillPath, idsIn } from "../support/routes.ts";
import { addApp } from "../support/second-factors.ts";

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());

let count = 0;
const unique = () => `confirm${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const KEY = { name: "Website", scopes: ["account:read"] };
const makeKey = ({ browser }: Person) => browser.send("POST", "/v1/api_keys", KEY);

/** Somebody who signed in more than a quarter of an hour ago. */
async function unconfirmed(): Promise<Person> {
  const person = await addPerson(app, unique(), "owner");
  clock.advance(15 * 60_000);
  return person;
}

describe("a confirmation", () => {
  it("is a sign-in of the last quarter of an hour, and after that is asked for", async () => {
    const person = await addPerson(app, unique(), "owner");
    clock.advance(15 * 60_000 - 1);
    assert.equal((await makeKey(person)).status, 201);
    clock.advance(1);
    assert.deepEqual(outcome(await makeKey(person)), [403, "confirmation_required"]);
    assert.equal((await person.browser.send("GET", "/v1/api_keys")).status, 200, "reading asks for none");
    assert.equal((await app.api("POST", "/v1/api_keys", { body: KEY })).status, 201, "nor is a key asked");
  });

  it("by the password or a factor lasts for a quarter of an hour", async () => {
    const person = await unconfirmed();
    const confirm = (body: object) => person.browser.send("POST", "/v1/session/confirm", body);
    const wrong = await confirm({ password: "a wrong password" });
    assert.deepEqual([wrong.status, wrong.body.errors[0].code], [422, "wrong_password"]);
    assert.deepEqual(outcome(await makeKey(person)), [403, "confirmation_required"]);
    const right = await confirm({ password: PASSWORD });
    assert.equal(right.status, 200, right.text);
    assert.equal(Date.parse(right.body.confirmed_until), clock.now().getTime() + 15 * 60_000);
    assert.equal((await makeKey(person)).status, 201);
    const factor = await addApp(person.browser, clock.now());
    for (const proof of [
      { code: factor.code(clock.now(), 31) },
      { recovery_code: factor.recoveryCodes[0] },
    ]) {
      clock.advance(15 * 60_000);
      assert.deepEqual(outcome(await makeKey(person)), [403, "confirmation_required"]);
      const reply = await confirm("code" in proof ? { code: factor.code(clock.now()) } : proof);
      assert.equal(reply.status, 200, reply.text);
      assert.equal((await makeKey(person)).status, 201);
    }
    clock.advance(15 * 60_000);
    const used = await confirm({ recovery_code: factor.recoveryCodes[0] });
    assert.deepEqual(outcome(used), [401, "wrong_second_factor"]);
    assert.equal((await confirm({})).status, 422);
    assert.equal((await confirm({ password: PASSWORD, code: "123456" })).status, 422);
  });

  it("wants a factor of whoever has one: the password alone is refused, and so is a change of it", async () => {
    const person = await addPerson(app, unique(), "owner");
    const factor = await addApp(person.browser, clock.now());
    clock.advance(15 * 60_000);
    const confirm = (body: object) => person.browser.send("POST", "/v1/session/confirm", body);
    const alone = await confirm({ password: PASSWORD });
    assert.deepEqual([alone.status, alone.body.errors?.[0].code], [422, "second_factor_required"]);
    const removal = await person.browser.send("DELETE", `/v1/factors/${factor.id}`);
    assert.deepEqual(outcome(removal), [403, "confirmation_required"]);
    const changed = await person.browser.send("POST", "/v1/session/password", {
      current_password: PASSWORD,
      new_password: "sturdy mule charger clip",
    });
    assert.deepEqual([changed.status, changed.body.confirmed_until], [200, null], changed.text);
    assert.deepEqual(outcome(await makeKey(person)), [403, "confirmation_required"]);
    assert.equal((await confirm({ code: factor.code(clock.now()) })).status, 200);
    assert.equal((await makeKey(person)).status, 201);
  });

  it("is asked for wherever a session could make itself another way in, and not for a name", async () => {
    const person = await unconfirmed();
    const { browser, id } = person;
    const { body: key } = await app.api("POST", "/v1/api_keys", { body: KEY });
    const { body: invited } = await app.api("POST", "/v1/invitations", { body: { email: unique() } });
    for (const [method, path, body] of [
      ["POST", `/v1/users/${id}/password_link`, undefined],
      ["PATCH", `/v1/users/${id}`, { role: "owner" }],
      ["POST", "/v1/invitations", { email: unique(), role: "owner" }],
      ["POST", `/v1/invitations/${invited.id}/resend`, undefined],
      ["PATCH", `/v1/api_keys/${key.id}`, { name: "Mine" }],
    ] as const) {
      const reply = await browser.send(method, path, body);
      assert.deepEqual(outcome(reply), [403, "confirmation_required"], `${method} ${path}`);
    }
    assert.equal((await browser.send("PATCH", `/v1/users/${id}`, { name: "Ada" })).status, 200);
  });

  it("gives the session another token, and the one before isn't raised with it", async () => {
    const person = await unconfirmed();
    const planted = openBrowser(app, person.browser.token);
    await person.browser.send("POST", "/v1/session/confirm", { password: PASSWORD });
    assert.notEqual(person.browser.token, planted.token);
    assert.equal((await makeKey(person)).status, 201);
    assert.equal((await planted.send("GET", "/v1/session")).status, 200, "what was on its way is answered");
    const raised = await planted.send("POST", "/v1/api_keys", KEY);
    assert.deepEqual(outcome(raised), [403, "confirmation_required"]);
    clock.advance(61_000);
    assert.equal((await planted.send("GET", "/v1/session")).status, 401, "and a minute later it is stolen");
  });

  it("whose answer is lost ends no session: the token before goes on, and confirms again", async () => {
    const person = await unconfirmed();
    const lost = openBrowser(app, person.browser.token);
    assert.equal((await lost.send("POST", "/v1/session/confirm", { password: PASSWORD })).status, 200);
    clock.advance(10 * 60_000);
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 200, "long after the minute");
    assert.deepEqual(outcome(await makeKey(person)), [403, "confirmation_required"], "and nothing is raised");
    assert.equal((await lost.send("GET", "/v1/session")).status, 401, "what was given up is worth nothing");
    const again = await person.browser.send("POST", "/v1/session/confirm", { password: PASSWORD });
    assert.equal(again.status, 200, again.text);
    assert.equal((await makeKey(person)).status, 201);
  });

  it("may be lost twice within a minute, and the third answer counts", async () => {
    const person = await unconfirmed();
    for (let i = 0; i < 2; i++) {
      const lost = openBrowser(app, person.browser.token);
      assert.equal((await lost.send("POST", "/v1/session/confirm", { password: PASSWORD })).status, 200);
    }
    const third = await person.browser.send("POST", "/v1/session/confirm", { password: PASSWORD });
    assert.equal(third.status, 200, third.text);
    assert.equal((await makeKey(person)).status, 201);
  });

  it("is throttled, and is of no use without a session", async () => {
    const person = await unconfirmed();
    const confirm = (body: object) => person.browser.send("POST", "/v1/session/confirm", body);
    await confirm({ password: PASSWORD });
    await addApp(person.browser, clock.now());
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await confirm({ code: "000000" })).status);
    assert.ok(statuses.includes(429), statuses.join());
    assert.equal((await person.browser.send("DELETE", "/v1/session")).status, 204);
    assert.equal((await confirm({ password: PASSWORD })).status, 401, "after signing out");
    const byKey = await app.api("POST", "/v1/session/confirm", { body: { password: PASSWORD } });
    assert.deepEqual(outcome(byKey), [404, "no_session"]);
  });
});

describe("every route that is about one's own sign-in or wants a confirmation", () => {
  const own = allRoutes().filter(
    ({ method, isPersonal, needsConfirmation }) => method !== "GET" && (isPersonal || needsConfirmation),
  );
  for (const route of own) {
    it(`refuses another site's page: ${route.method} ${route.path}`, async () => {
      const person = await addPerson(app, unique(), "owner");
      const prefixes = new Map(idsIn(route.params));
      const path = fillPath(route, (name) => `${prefixes.get(name)}_01k9zq4t3xe8k8y0v6d3m2n1pq`);
      const { headers, body } = bodyFor(route, exampleOf(route));
      for (const origin of ["https://evil.example", "null", undefined]) {
        const cookie = `__Host-postrider_session=${person.browser.token}`;
        const reply = await app.api(route.method, path, {
          key: null,
          ...(body !== undefined && { body }),
          headers: { ...headers, cookie, ...(origin && { origin }) },
        });
        assert.deepEqual(outcome(reply), [403, "origin_mismatch"], String(origin));
      }
      assert.equal((await person.browser.send("GET", "/v1/session")).status, 200);
    });

    if (!route.needsConfirmation) continue;
    it(`wants a confirmation: ${route.method} ${route.path}`, async () => {
      const person = await unconfirmed();
      if (route.ofInstance) await letOperate(person);
      const prefixes = new Map(idsIn(route.params));
      const path = fillPath(route, (name) => `${prefixes.get(name)}_01k9zq4t3xe8k8y0v6d3m2n1pq`);
      const reply = await person.browser.send(route.method, path, exampleOf(route));
      assert.deepEqual(outcome(reply), [403, "confirmation_required"]);
    });
  }

  it("are those that make keys and change factors, at least", () => {
    const names = own.filter((one) => one.needsConfirmation).map(({ method, path }) => `${method} ${path}`);
    for (const name of [
      "POST /v1/api_keys",
      "POST /v1/api_keys/:id/rotate",
      "POST /v1/factors",
      "POST /v1/factors/:id/activate",
      "DELETE /v1/factors/:id",
      "POST /v1/recovery_codes",
    ]) {
      assert.ok(names.includes(name), name);
    }
  });
});

/** Makes an operator of somebody with a second factor, without the confirmation that adding one would be. */
async function letOperate(person: Person): Promise<void> {
  await app.db.transaction(async (tx) => {
    const { id } = await tx.one<{ id: string }>(sql`select id from people where email = ${person.email}`);
    await addOperator({ sql: tx, clock }, id);
    await tx.execute(sql`
      insert into factors (person_id, id, kind, name, secret, created_at, updated_at, activated_at)
      values (${id}, gen_random_uuid(), 'totp', 'Phone', 'x', now(), now(), now())`);
  });
}
