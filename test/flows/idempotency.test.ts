import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql, type Tx } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { BLOCKED, untilBlocking } from "../support/blocked.ts";
import { createTestClock } from "../support/clock.ts";

const HOUR_MS = 3_600_000;
const clock = createTestClock();
let app: TestApp;
before(async () => {
  app = await createApp({ clock });
});
after(() => app.stop());

let count = 0;
const newName = () => `Name ${++count}`;

function post(
  idempotencyKey: string,
  name: string,
  more: { key?: string; app?: TestApp } = {},
): Promise<Reply> {
  return (more.app ?? app).api("POST", "/v1/api_keys", {
    ...(more.key && { key: more.key }),
    body: { name, scopes: ["account:read"] },
    headers: { "idempotency-key": idempotencyKey },
  });
}

async function keysNamed(name: string): Promise<number> {
  return (await app.db.many(sql`select id from api_keys where name = ${name}`)).length;
}

const isReplay = (reply: Reply) => reply.headers.get("idempotency-replayed") === "true";

/** Holds up whatever wants to add a row to the account. */
const blockAccount = (work: (tx: Tx) => Promise<void>) =>
  app.db.transaction(async (tx) => {
    await tx.execute(sql`select from accounts for update`);
    await work(tx);
  });

test("a replay has the first status, body and headers, with the secret left out, and does nothing", async () => {
  const name = newName();
  const first = await post("order-1", name);
  assert.equal(first.status, 201);
  assert.ok(first.body.key && !isReplay(first));
  const again = await post("order-1", name);
  assert.equal(again.status, 201);
  assert.ok(isReplay(again));
  assert.deepEqual(again.body, { ...first.body, key: null });
  for (const header of ["location", "etag", "content-type"]) {
    assert.equal(again.headers.get(header), first.headers.get(header), header);
  }
  assert.equal(await keysNamed(name), 1);
});

test("the order of fields and white space don't make another request of it", async () => {
  const send = (body: string) =>
    app.api("POST", "/v1/api_keys", { body, headers: { "idempotency-key": "spelling" } });
  const first = await send('{"name":"Spelt","scopes":["account:read"]}');
  const again = await send('\n{ "scopes": ["account:read"],\n "name": "\\u0053pelt" }');
  assert.ok(isReplay(again));
  assert.equal(again.body.id, first.body.id);
});

test("another body, query or path under the key answers 422, and is not done", async () => {
  const listId = (await app.api("POST", "/v1/lists", { body: { name: "Reused" } })).body.id;
  const add = (path: string, email: string) =>
    app.api("POST", path, { body: { email, list_id: listId }, headers: { "idempotency-key": "reused" } });
  const first = await add("/v1/subscribers", "ada@example.com");
  assert.equal(first.status, 201, first.text);
  const others: Record<string, () => Promise<Reply>> = {
    body: () => add("/v1/subscribers", "bob@example.com"),
    query: () => add("/v1/subscribers?on_conflict=skip", "ada@example.com"),
    path: () =>
      app.api("POST", `/v1/subscribers/${first.body.id}/unsubscribe`, {
        body: {},
        headers: { "idempotency-key": "reused" },
      }),
  };
  for (const [what, send] of Object.entries(others)) {
    const reply = await send();
    assert.deepEqual([reply.status, reply.body.code], [422, "idempotency_key_reused"], what);
  }
  const page = await app.api("GET", `/v1/subscribers?list_id=${listId}`);
  assert.deepEqual(
    page.body.data.map(({ email, status }: Record<string, string>) => `${email} ${status}`),
    ["ada@example.com active"],
  );
  const again = await add("/v1/subscribers", "ada@example.com");
  assert.deepEqual(
    [again.status, isReplay(again)],
    [201, true],
    "the same body, query and path is the same request",
  );
});

test("another path of the same shape and body is another request", async () => {
  const ids: string[] = [];
  for (const name of ["One", "Two"])
    ids.push((await app.api("POST", "/v1/invitations", { body: { email: `${name}@example.com` } })).body.id);
  const link = (id?: string) =>
    app.api("POST", `/v1/invitations/${id}/resend`, { headers: { "idempotency-key": "link" } });
  assert.equal((await link(ids[0])).status, 200);
  const other = await link(ids[1]);
  assert.deepEqual([other.status, other.body.code], [422, "idempotency_key_reused"]);
});

test("of twenty requests at once under one key, one does the work", async () => {
  const name = newName();
  const replies = await Promise.all(Array.from({ length: 20 }, () => post("at-once", name)));
  const done = replies.filter((reply) => reply.status === 201);
  assert.equal(done.filter((reply) => !isReplay(reply)).length, 1);
  assert.equal(new Set(done.map((reply) => reply.body.id)).size, 1);
  const others = replies.filter((reply) => reply.status !== 201);
  assert.deepEqual(
    new Set(others.map((reply) => reply.body.code)),
    new Set(others.length ? ["idempotency_in_flight"] : []),
  );
  assert.equal(await keysNamed(name), 1);
});

test("while the first is in flight the second answers 409 at once", async () => {
  const name = newName();
  let first: Promise<Reply> | undefined;
  await blockAccount(async (tx) => {
    first = post("in-flight", name);
    await untilBlocking(tx);
    const second = await post("in-flight", name);
    assert.deepEqual([second.status, second.body.code], [409, "idempotency_in_flight"]);
  });
  assert.equal((await first)?.status, 201);
  assert.ok(isReplay(await post("in-flight", name)));
});

test("a killed transaction leaves neither effect nor answer, and its key is free", async () => {
  const name = newName();
  let first: Promise<Reply> | undefined;
  await blockAccount(async (tx) => {
    first = post("killed", name);
    await untilBlocking(tx);
    await tx.execute(sql`select pg_terminate_backend(pid) from (${BLOCKED}) as blocked`);
    assert.equal((await first)?.status, 503);
  });
  assert.equal(await keysNamed(name), 0);
  const again = await post("killed", name);
  assert.deepEqual([again.status, isReplay(again)], [201, false]);
});

test("a refusal isn't kept: the same key may do it right afterwards", async () => {
  const name = newName();
  assert.equal((await post("second-try", "")).status, 422);
  const lacking = await app.addKey(["api_keys:write"]);
  assert.equal((await post("second-try", name, { key: lacking })).status, 403);
  const right = await post("second-try", name);
  assert.deepEqual([right.status, isReplay(right)], [201, false]);
});

test("another account may use the same key", async () => {
  const name = newName();
  const other = await app.addAccount();
  await post("shared", name);
  const theirs = await post("shared", name, { key: other.key });
  assert.deepEqual([theirs.status, isReplay(theirs)], [201, false]);
});

test("the account's other API keys get the replay too", async () => {
  const name = newName();
  await post("colleague", name);
  assert.ok(isReplay(await post("colleague", name, { key: await app.addKey(["full"]) })));
});

test("an answer is kept for 24 hours and no longer", async () => {
  const name = newName();
  await post("day", name);
  clock.advance(24 * HOUR_MS - 1);
  assert.ok(isReplay(await post("day", name)));
  clock.advance(1);
  const anew = await post("day", name);
  assert.deepEqual([anew.status, isReplay(anew)], [201, false]);
  assert.equal(await keysNamed(name), 2);
});

test("what is stored shows neither the key, nor the request, nor the answer", async () => {
  const made = await post("someone@example.com", "Zebra crossing");
  const rows = await app.db.many<{ bytes: Buffer }>(
    sql`select key_hash || fingerprint || answer as bytes from idempotency_answers`,
  );
  assert.ok(rows.length > 0);
  const stored = Buffer.concat(rows.map((row) => row.bytes)).toString("latin1");
  for (const secret of ["someone", "example.com", "Zebra", made.body.id, made.body.key, "api_key"]) {
    assert.ok(!stored.includes(secret), secret);
  }
});

test("a key of 255 printable characters is good; a longer, empty or other one answers 400", async () => {
  assert.equal((await post("k".repeat(255), newName())).status, 201);
  for (const bad of ["k".repeat(256), "", "é", "tab\there"]) {
    const reply = await post(bad, newName());
    assert.deepEqual([reply.status, reply.body.errors[0].parameter], [400, "Idempotency-Key"], bad);
  }
});

test("only POST heeds the key", async () => {
  const headers = { "idempotency-key": "patched" };
  for (const name of ["One", "Two"]) {
    const reply = await app.api("PATCH", "/v1/account", { body: { name }, headers });
    assert.deepEqual([reply.status, reply.body.name, isReplay(reply)], [200, name, false]);
  }
});

test("a retry across a rotation of SECRET_KEY is still a replay", async () => {
  const name = newName();
  const [oldKey, newKey] = [
    "the secret key of before with 32 letters and more",
    "the secret key of now with 32 letters and more",
  ];
  const before = await createApp({ settings: { SECRET_KEY: oldKey } });
  try {
    const first = await post("rotated", name, { app: before });
    assert.equal(first.status, 201, first.text);
    const settings = { SECRET_KEY: `${newKey},${oldKey}` };
    const rotated = await createApp({ databaseUrl: before.databaseUrl, settings });
    try {
      const again = await post("rotated", name, { app: rotated });
      assert.deepEqual([again.status, isReplay(again), again.body.id], [201, true, first.body.id]);
      const other = await post("rotated", newName(), { app: rotated });
      assert.equal(other.body.code, "idempotency_key_reused");
    } finally {
      await rotated.stop();
    }
  } finally {
    await before.stop();
  }
});
