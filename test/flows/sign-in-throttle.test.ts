import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, PASSWORD } from "../support/people.ts";

const SECOND = 1_000;

let app: TestApp;
let other: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock, settings: { TRUST_PROXY: "1" } });
  other = await createApp({ clock, settings: { TRUST_PROXY: "1" }, databaseUrl: app.databaseUrl });
});
after(async () => {
  await other.stop();
  await app.stop();
});

function attempt(email: string, ip: string, on = app, password = "a wrong password"): Promise<Reply> {
  const headers = { "x-forwarded-for": ip };
  return on.api("POST", "/v1/session", { key: null, body: { email, password }, headers });
}

async function fail(times: number, email: string, ip: string): Promise<void> {
  for (let i = 0; i < times; i++) assert.equal((await attempt(email, ip)).status, 401);
}

test("the sixth attempt must wait, known address or not, and then longer and longer", async () => {
  await addPerson(app, "known@example.com");
  const seen: unknown[] = [];
  for (const [email, ip] of [
    ["known@example.com", "192.0.2.1"],
    ["unknown@example.com", "192.0.2.2"],
  ] as const) {
    await fail(5, email, ip);
    for (const seconds of [1, 2, 4]) {
      const refused = await attempt(email, ip);
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get("retry-after"), String(seconds));
      const { request_id: _id, ...body } = refused.body;
      seen.push(body);
      clock.advance(seconds * SECOND);
      await fail(1, email, ip);
    }
  }
  assert.deepEqual(seen.slice(0, 3), seen.slice(3));
});

test("the right password is refused too while one must wait, and opens afterwards", async () => {
  await addPerson(app, "waits@example.com");
  await fail(5, "waits@example.com", "192.0.2.10");
  assert.equal((await attempt("waits@example.com", "192.0.2.10", app, PASSWORD)).status, 429);
  assert.equal(
    (await attempt("waits@example.com", "192.0.2.11", app, PASSWORD)).status,
    201,
    "from elsewhere",
  );
  clock.advance(SECOND);
  assert.equal((await attempt("waits@example.com", "192.0.2.10", app, PASSWORD)).status, 201);
  await fail(5, "waits@example.com", "192.0.2.10");
});

test("attempts at once through two processes get no more tries than one after the other", async () => {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => attempt("parallel@example.com", "192.0.2.20", i % 2 ? app : other)),
  );
  const count = (status: number) => replies.filter((reply) => reply.status === status).length;
  assert.equal(count(401), 5);
  assert.equal(count(429), 35);
  assert.ok(replies.every((reply) => reply.status !== 429 || Number(reply.headers.get("retry-after")) >= 1));
});
