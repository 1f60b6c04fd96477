/** The owners of the first account are told what is wrong with the instance, and nobody else is. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, setUpOwner } from "../support/people.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import type { Json } from "../support/subscribers.ts";

const HEALTH = "/v1/instance/health";
/** The relay repeats the password that it refuses, as some do. */
const PASSWORD = "zqx wrong horse";

let app: TestApp;
let relay: Relay;
before(async () => {
  relay = await startRelay();
  const SMTP_URL = `smtp://postrider:${encodeURIComponent(PASSWORD)}@127.0.0.1:${relay.port}?verify=false`;
  app = await createApp({ settings: { SMTP_URL } });
});
after(async () => {
  await app.stop();
  await relay.close();
});

test("an owner of the first account reads what doctor says, without its secrets", async () => {
  const owner = await setUpOwner(app);
  const instance = await owner.send("GET", "/v1/instance");
  assert.equal(instance.body.may_read_health, true);
  assert.equal(instance.body.submission, null);
  const { status, body, text } = await owner.send("GET", HEALTH);
  assert.equal(status, 200, text);
  const checks = new Map<string, Json>(body.checks.map((one: Json) => [one["name"], one]));
  // The database of the tests is one without fsync, which is told as well.
  const wrong = body.checks.filter((one: Json) => one["status"] === "fail" && one["group"] === "network");
  assert.deepEqual(
    wrong.map((one: Json) => one["name"]),
    ["relay"],
  );
  assert.match(checks.get("relay")?.["finding"], /answers “535 .*” at auth/);
  assert.match(checks.get("relay")?.["remedy"], /refuses user name and password/);
  const reached = `only this machine can reach ${app.baseUrl}, `;
  assert.ok(
    checks.get("public address")?.["finding"].startsWith(reached),
    "it asks at the port it listens on",
  );
  assert.match(checks.get("workers")?.["finding"], /at work: .*jobs/);
  assert.equal(checks.get("migrations")?.["status"], "ok");
  assert.match(body.report, /^✗ relay /m);
  assert.match(body.report, /\n\n\d things? (is|are) wrong/);
  const secrets = [PASSWORD, Buffer.from(PASSWORD).toString("base64"), "a secret key for tests"];
  for (const secret of secrets) assert.ok(!text.includes(secret), secret);
});

test("two who ask at once get one look at it, and so does who asks right afterwards", async () => {
  const [one, other] = await Promise.all([app.api("GET", HEALTH), app.api("GET", HEALTH)]);
  const again = await app.api("GET", HEALTH);
  assert.deepEqual([one.status, other.status, again.status], [200, 200, 200]);
  assert.equal(one.body.checked_at, other.body.checked_at);
  assert.equal(again.body.checked_at, one.body.checked_at);
});

test("a member, a key without the scope, another account's owner and a stranger are refused", async () => {
  const { browser } = await addPerson(app, "member@example.com");
  const asMember = await browser.send("GET", HEALTH);
  assert.deepEqual([asMember.status, asMember.body.required_scope], [403, "instance:read"]);
  assert.equal((await browser.send("GET", "/v1/instance")).body.may_read_health, false);

  const narrow = await app.api("GET", HEALTH, { key: await app.addKey(["account:read", "account:write"]) });
  assert.deepEqual([narrow.status, narrow.body.required_scope], [403, "instance:read"]);

  const { key } = await app.addAccount();
  const { browser: neighbour } = await addPerson(app, "neighbour@example.com", "owner", key);
  const asNeighbour = await neighbour.send("GET", HEALTH);
  assert.deepEqual([asNeighbour.status, asNeighbour.body.code], [403, "operator_only"]);
  assert.ok(!("checks" in asNeighbour.body));
  assert.equal((await neighbour.send("GET", "/v1/instance")).body.may_read_health, false);
  assert.equal((await app.api("GET", HEALTH, { key: null })).status, 401);
});
