import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { createLog } from "../../src/platform/log.ts";
import { suppressContact } from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  addSubscriber,
  firstList,
  type Json,
  makeList,
  readSubscriber,
  suppress,
  uuidOf,
  walk,
} from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await firstList(app);
});
after(() => app.stop());

let turn = 0;
const newAddress = () => `suppressed${++turn}@example.com`;
const create = (body: Json, key = app.key) => app.api("POST", "/v1/suppressions", { body, key });
const find = (email: string, key = app.key) =>
  app.api("GET", `/v1/suppressions?email=${encodeURIComponent(email)}`, { key });

describe("a suppression", () => {
  it("needs an address alone, and shows it as it was given, or as a subscriber has it", async () => {
    const email = newAddress();
    const made = await create({ email: ` ${email.toUpperCase()} ` });
    assert.equal(made.status, 201, made.text);
    const { id, contact_id, created_at, updated_at, ...rest } = made.body;
    assert.deepEqual(rest, {
      object: "suppression",
      email: email.toUpperCase(),
      reason: "manual",
      streams: ["campaign", "automation", "transactional"],
      source: "api",
    });
    assert.match(contact_id, /^con_/);
    assert.equal(created_at, updated_at);
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/suppressions/${id}`);
    assert.deepEqual((await app.api("GET", `/v1/suppressions/${id}`)).body, made.body);
    await addSubscriber(app, listId, email);
    assert.equal((await app.api("GET", `/v1/suppressions/${id}`)).body.email, email);
  });

  it("for a complaint stops no transactional mail, and for one about such a mail all mail", async () => {
    const email = newAddress();
    const complaint = await suppress(app, email, "complaint");
    assert.deepEqual(complaint["streams"], ["campaign", "automation"]);
    const contactId = uuidOf("con", String(complaint["contact_id"]));
    const about = { about: "transactional" } as const;
    await app.db.transaction(async (tx) => {
      const log = createLog({ level: "silent", pretty: false });
      const ctx = systemCtx({ clock: systemClock, log }, tx, uuidOf("acc", app.accountId));
      await suppressContact(ctx, contactId, "complaint", "test", about);
      await suppressContact(ctx, contactId, "complaint", "test");
    });
    const now = (await app.api("GET", `/v1/suppressions/${complaint["id"]}`)).body;
    assert.deepEqual(now.streams, ["campaign", "automation", "transactional"]);
    assert.equal(now.reason, "complaint");
  });

  it("twice is 409 with which one there is", async () => {
    const email = newAddress();
    const first = await suppress(app, email, "hard_bounce");
    const byHand = await create({ email, reason: "manual" });
    assert.deepEqual([byHand.status, byHand.body.reason], [200, "hard_bounce"], "which is kept beside it");
    for (const reason of ["hard_bounce", "manual"]) {
      const again = await create({ email, reason });
      assert.deepEqual(
        [again.status, again.body.code, again.body.suppression_id, again.body.reason],
        [409, "suppression_exists", first["id"], "hard_bounce"],
      );
    }
  });

  it("at once is one 201, and the rest 409", async () => {
    const email = newAddress();
    const replies = await Promise.all(Array.from({ length: 5 }, () => create({ email })));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
  });

  it("takes a graver reason, and keeps its id and time", async () => {
    const email = newAddress();
    const first = await suppress(app, email, "manual");
    const graver = await create({ email, reason: "complaint" });
    assert.deepEqual(
      [graver.status, graver.body.id, graver.body.created_at, graver.body.reason],
      [200, first["id"], first["created_at"], "complaint"],
    );
  });

  it("of a bad address, a reason that only we give, or an unknown field is 422", async () => {
    assert.equal((await create({ email: "nobody" })).body.errors[0].code, "invalid_email");
    assert.equal((await create({ email: newAddress(), reason: "erased" })).body.errors[0].pointer, "/reason");
    assert.equal((await create({ email: newAddress(), list_id: listId })).status, 422);
    assert.equal((await create({})).status, 422);
  });

  it("holds on every list, and moves their updated_at", async () => {
    const email = newAddress();
    const here = await addSubscriber(app, listId, email);
    const there = await addSubscriber(app, await makeList(app), email);
    const { id } = await suppress(app, email, "manual");
    for (const one of [here, there]) {
      const now = await readSubscriber(app, one["id"]);
      assert.deepEqual(
        [now["status"], now["sendable"], now["status_reason"]],
        ["active", false, "suppressed_manual"],
      );
      assert.ok(now["updated_at"] > one["updated_at"]);
    }
    assert.equal((await app.api("DELETE", `/v1/suppressions/${id}`)).status, 204);
    assert.equal((await app.api("DELETE", `/v1/suppressions/${id}`)).status, 404);
    assert.equal((await readSubscriber(app, here["id"]))["sendable"], true);
  });

  it("of one account is nothing to another", async () => {
    const email = newAddress();
    const { id } = await suppress(app, email, "manual");
    const other = await app.addAccount();
    const list = await makeList(app, {}, other.key);
    const body = { email, list_id: list };
    const made = await app.api("POST", "/v1/subscribers", { key: other.key, body });
    assert.equal(made.body.sendable, true);
    assert.deepEqual((await find(email, other.key)).body.data, []);
    assert.equal((await app.api("GET", `/v1/suppressions/${id}`, { key: other.key })).status, 404);
    assert.equal((await app.api("DELETE", `/v1/suppressions/${id}`, { key: other.key })).status, 404);
  });

  it("wants its own scope", async () => {
    const key = await app.addKey(["subscribers:read", "subscribers:write"]);
    assert.equal((await find("a@example.com", key)).status, 403);
    assert.equal((await create({ email: newAddress() }, key)).status, 403);
  });
});

describe("the page of suppressions", () => {
  it("has each once, newest first, by reason and by address, with the total", async () => {
    const { key } = await app.addAccount();
    const api: typeof app.api = (method, path, more) => app.api(method, path, { ...more, key });
    const other = { ...app, key, api };
    const ids: string[] = [];
    for (const reason of ["manual", "complaint", "manual", "hard_bounce", "manual"])
      ids.unshift((await suppress(other, newAddress(), reason))["id"]);
    const all = await walk(other, "/v1/suppressions?limit=2");
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    );
    const manual = await api("GET", "/v1/suppressions?reason=manual&include_total=true&limit=1");
    assert.deepEqual([manual.body.total, manual.body.data[0].id], [3, ids[0]]);
    const found = await find(`suppressed${turn}@EXAMPLE.com`, key);
    assert.deepEqual(
      found.body.data.map((one: Json) => one["id"]),
      [ids[0]],
    );
    assert.deepEqual((await find("nobody@example.com", key)).body.data, []);
  });

  it("says 400 to a bad address or reason", async () => {
    for (const query of ["email=nonsense", "email=", "reason=whim"]) {
      assert.equal((await app.api("GET", `/v1/suppressions?${query}`)).status, 400, query);
    }
  });
});
