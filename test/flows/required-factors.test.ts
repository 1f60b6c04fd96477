/** Accounts that want their people to have a second factor. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, joinAs, type Person, signIn } from "../support/people.ts";
import { addApp } from "../support/second-factors.ts";

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());

let count = 0;
const unique = () => `required${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const require_ = ({ browser }: Person, isRequired: boolean) =>
  browser.send("PATCH", "/v1/account", { require_two_factor: isRequired });

/** An account of its own whose owner has a factor and has switched it on. */
async function guarded(): Promise<{ key: string; owner: Person }> {
  const { key } = await app.addAccount();
  const owner = await addPerson(app, unique(), "owner", key);
  await addApp(owner.browser, clock.now());
  const on = await require_(owner, true);
  assert.deepEqual([on.status, on.body.require_two_factor], [200, true], on.text);
  return { key, owner };
}

describe("the switch", () => {
  it("is for people with a factor and a confirmation, and for no key", async () => {
    const { key } = await app.addAccount();
    const owner = await addPerson(app, unique(), "owner", key);
    assert.equal((await owner.browser.send("GET", "/v1/account")).body.require_two_factor, false);
    assert.deepEqual(outcome(await require_(owner, true)), [409, "no_second_factor"]);
    const byKey = await app.api("PATCH", "/v1/account", { key, body: { require_two_factor: true } });
    assert.deepEqual(outcome(byKey), [404, "no_session"]);
    const same = await app.api("PATCH", "/v1/account", { key, body: { require_two_factor: false } });
    assert.equal(same.status, 200, "what changes nothing is refused to nobody");
    const factor = await addApp(owner.browser, clock.now());
    clock.advance(15 * 60_000);
    assert.deepEqual(outcome(await require_(owner, true)), [403, "confirmation_required"]);
    const proof = { code: factor.code(clock.now()) };
    assert.equal((await owner.browser.send("POST", "/v1/session/confirm", proof)).status, 200);
    assert.equal((await require_(owner, true)).status, 200);
    assert.equal((await app.api("GET", "/v1/account", { key })).body.require_two_factor, true);
    clock.advance(15 * 60_000);
    assert.deepEqual(outcome(await require_(owner, false)), [403, "confirmation_required"]);
    const marketer = await addPerson(app, unique(), "marketer", key);
    assert.equal((await require_(marketer, false)).status, 403);
  });
});

describe("an account that wants a second factor", () => {
  it("shows nothing to members who have none, until they add one", async () => {
    const { key, owner } = await guarded();
    const member = await addPerson(app, unique(), "admin", key);
    const { browser } = member;
    for (const [method, path] of [
      ["GET", "/v1/account"],
      ["GET", "/v1/lists"],
      ["GET", "/v1/events"],
      ["POST", "/v1/lists"],
      ["PATCH", "/v1/account"],
    ] as const) {
      const reply = await browser.send(method, path, method === "GET" ? undefined : { name: "Mine" });
      assert.deepEqual(outcome(reply), [403, "two_factor_required"], `${method} ${path}`);
    }
    const { type } = (await browser.send("GET", "/v1/account")).body;
    assert.equal(
      (await fetch(new URL(new URL(type).pathname, app.baseUrl))).status,
      200,
      "a page tells of it",
    );
    assert.equal((await owner.browser.send("GET", "/v1/account")).status, 200);
    assert.equal((await app.api("GET", "/v1/account", { key })).status, 200, "keys go on");
    const again = await signIn(app, member.email);
    assert.equal(again.reply.status, 201, "they may sign in");
    const session = await again.browser.send("GET", "/v1/session");
    assert.equal(session.body.memberships[0].require_two_factor, true);
    assert.equal((await again.browser.send("DELETE", "/v1/session")).status, 204, "and out");
    assert.equal((await browser.send("GET", "/v1/factors")).status, 200);
    const factor = await addApp(browser, clock.now());
    assert.equal((await browser.send("GET", "/v1/account")).status, 200, "with a factor it is open at once");
    assert.equal((await browser.send("DELETE", `/v1/factors/${factor.id}`)).status, 204);
    assert.deepEqual(outcome(await browser.send("GET", "/v1/account")), [403, "two_factor_required"]);
  });

  it("says nothing about another account of the same person", async () => {
    const { key } = await guarded();
    const other = await app.addAccount();
    const person = await addPerson(app, unique(), "owner", other.key);
    const { browser } = await joinAs(app, person, key);
    const session = await browser.send("GET", "/v1/session");
    const statuses: [boolean, number][] = [];
    for (const { account_id, require_two_factor } of session.body.memberships) {
      const named = { "postrider-account": account_id };
      const { status } = await browser.send("GET", "/v1/account", undefined, named);
      statuses.push([require_two_factor, status]);
    }
    // Two that were made within a millisecond come in any order.
    const byRule = statuses.toSorted(([one], [other]) => Number(one) - Number(other));
    assert.deepEqual(byRule, [
      [false, 200],
      [true, 403],
    ]);
  });

  it("lets everybody in again when it is switched off", async () => {
    const { key, owner } = await guarded();
    const member = await addPerson(app, unique(), "viewer", key);
    assert.equal((await member.browser.send("GET", "/v1/account")).status, 403);
    assert.equal((await require_(owner, false)).status, 200);
    assert.equal((await member.browser.send("GET", "/v1/account")).status, 200);
  });
});
