/**
 * These tests cover what a client can get wrong about lists and subscribers: each has its documented error, and
 * nothing is half done.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  eventsSince,
  firstList,
  type Json,
  readSubscriber,
} from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp();
  listId = await firstList(app);
});
after(() => app.stop());

let turn = 0;
const newAddress = () => `input${++turn}@example.com`;
const create = (body: unknown) => app.api("POST", "/v1/subscribers", { body });
const faultsOf = (reply: Reply): string[] =>
  reply.body.errors.map((one: Json) => `${one["pointer"] ?? one["parameter"]} ${one["code"]}`);
const exists = async (email: string) =>
  (await app.api("GET", `/v1/subscribers/search?email=${encodeURIComponent(email)}`)).body.data.length > 0;

/** Asserts that the request is refused with this answer, and that no event says that anything happened. */
async function refuses(work: () => Promise<Reply>, status: number, code: string): Promise<Reply> {
  const { cursor } = await eventsSince(app);
  const reply = await work();
  assert.deepEqual([reply.status, reply.body?.code], [status, code], reply.text.slice(0, 500));
  assert.match(String(reply.headers.get("content-type")), /^application\/problem\+json/);
  assert.deepEqual((await eventsSince(app, cursor)).events, []);
  return reply;
}

describe("a body", () => {
  it("with fields that there aren't is 422, each named, and nobody is added", async () => {
    const email = newAddress();
    const body = { email, list_id: listId, colour: "red", status: "active", consent: { when: "now" } };
    const reply = await refuses(() => create(body), 422, "validation_failed");
    assert.deepEqual(faultsOf(reply).toSorted(), [
      "/colour unknown_field",
      "/consent/when unknown_field",
      "/status unknown_field",
    ]);
    assert.equal(await exists(email), false);
  });

  it("that isn't an object, or isn't there, is 422", async () => {
    for (const body of [[], "text", 5, null, true]) {
      await refuses(() => create(JSON.stringify(body)), 422, "validation_failed");
    }
    const nothing = () =>
      app.api("POST", "/v1/subscribers", { headers: { "content-type": "application/json" } });
    assert.equal((await nothing()).status, 422);
  });

  it("of 10 MB is 413", async () => {
    const email = newAddress();
    const body = { email, list_id: listId, first_name: "x".repeat(10 * 1_024 * 1_024) };
    await refuses(() => create(body), 413, "body_too_large");
    assert.equal(await exists(email), false);
    const items = Array.from({ length: 1_000 }, () => ({ ...body, first_name: "x".repeat(10_000) }));
    const batch = () => app.api("POST", "/v1/subscribers/batch", { body: { subscribers: items } });
    await refuses(batch, 413, "body_too_large");
  });

  it("nested too deeply is 400, however deep", async () => {
    for (const depth of [40, 5_000, 200_000]) {
      const deep = `{"email":"deep@example.com","list_id":"${listId}","fields":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
      await refuses(() => create(deep), 400, "malformed_json");
    }
    await refuses(() => create("{"), 400, "malformed_json");
  });

  it("with a NUL or half a character is 422 with where, and nothing of it is done", async () => {
    const email = newAddress();
    for (const [text, pointer] of [
      [`{"email":"${email}","list_id":"${listId}","first_name":"a\\u0000b"}`, "/first_name"],
      [`{"email":"${email}","list_id":"${listId}","tags":["ok","\\ud800"]}`, "/tags/1"],
      [`{"email":"a\\u0000${email}","list_id":"${listId}"}`, "/email"],
    ] as const) {
      const reply = await refuses(() => create(text), 422, "validation_failed");
      assert.deepEqual(faultsOf(reply), [`${pointer} invalid_character`]);
    }
    assert.equal(await exists(email), false);
    const { id } = await addSubscriber(app, listId, email);
    const patch = () => app.api("PATCH", `/v1/subscribers/${id}`, { body: '{"last_name":"\\u0000"}' });
    await refuses(patch, 422, "validation_failed");
  });

  it("of another media type is 415", async () => {
    const headers = { "content-type": "text/plain" };
    const body = JSON.stringify({ email: newAddress(), list_id: listId });
    await refuses(() => app.api("POST", "/v1/subscribers", { body, headers }), 415, "unsupported_media_type");
  });

  it("of the wrong types is told each of them", async () => {
    const body = {
      email: 5,
      list_id: 7,
      first_name: {},
      tags: "a",
      fields: [],
      locale: 1,
      time_zone: "Mars/Base",
    };
    const reply = await refuses(() => create(body), 422, "validation_failed");
    assert.deepEqual(faultsOf(reply).toSorted(), [
      "/email invalid_type",
      "/fields invalid_type",
      "/first_name invalid_type",
      "/list_id invalid_type",
      "/locale invalid_type",
      "/tags invalid_type",
      "/time_zone invalid_time_zone",
    ]);
  });

  it("beyond a length is 422", async () => {
    const long = "x".repeat(201);
    const body = { email: newAddress(), list_id: listId, first_name: long, tags: ["y".repeat(65)] };
    const reply = await refuses(() => create(body), 422, "validation_failed");
    assert.deepEqual(faultsOf(reply).toSorted(), ["/first_name too_long", "/tags/0 too_long"]);
  });
});

describe("an address", () => {
  const bad = [
    "",
    "nobody",
    "a@b",
    "a b@example.com",
    "a@[192.0.2.1]",
    "a@localhost",
    "<a@example.com>",
    "a@example.com\r\nBcc: b@example.com",
    "a@example.com,b@example.com",
    `${"x".repeat(65)}@example.com`,
    `a@${"x".repeat(250)}.com`,
    `${"x".repeat(5_000)}@example.com`,
  ];
  for (const email of bad) {
    it(`${JSON.stringify(email.slice(0, 40))} is 422`, async () => {
      const reply = await refuses(() => create({ email, list_id: listId }), 422, "validation_failed");
      assert.deepEqual(faultsOf(reply), [email === "" ? "/email required" : "/email invalid_email"]);
    });
  }

  it("keeps its plus and dots, and is another with others", async () => {
    for (const email of ["f.o.o+a@example.com", "foo+a@example.com", "f.o.o@example.com"]) {
      assert.equal((await addSubscriber(app, listId, email))["email"], email);
    }
  });

  it("may be international on both sides of the @", async () => {
    for (const email of ["用户@例え.jp", "иван@пример.рф", "josé@bücher.example"]) {
      const made = await addSubscriber(app, listId, email);
      assert.equal(made["email"], email);
      assert.equal(await exists(email.toUpperCase()), true);
    }
  });
});

describe("text", () => {
  const texts = {
    emoji: "👩‍👩‍👧‍👦🎉",
    "right to left": "שלום עולם مرحبا",
    "of 4 bytes a character": "𝄞𠜎𐍈",
    "with direction marks": "a\u202eb\u200f",
    "of combining marks": "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
    "that looks like SQL": `'; drop table subscribers; --`,
    "that looks like HTML": `<script>alert("1")</script>`,
    "with line breaks": "one\r\ntwo\tthree",
  };
  for (const [what, text] of Object.entries(texts)) {
    it(`${what} comes back as it went in`, async () => {
      const made = await addSubscriber(app, listId, newAddress(), {
        first_name: text,
        tags: [text],
        consent: { wording: text },
      });
      const read = await readSubscriber(app, made["id"]);
      assert.deepEqual(
        [read["first_name"], read["tags"], read["consent"].wording],
        [text, [text.normalize("NFC")], text],
      );
      const found = await app.api("GET", `/v1/subscribers?tag=${encodeURIComponent(text)}`);
      assert.deepEqual(
        found.body.data.map((one: Json) => one["id"]),
        [made["id"]],
      );
    });
  }
});

describe("an id", () => {
  it("malformed, unknown or of another kind is 404 in the path, whatever the verb", async () => {
    const ids = [
      "x",
      "sub_",
      "sub_00000000000000000000000000",
      "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
      "sub_%00",
      "SUB_X",
    ];
    for (const id of ids) {
      const path = `/v1/subscribers/${id}`;
      for (const method of ["GET", "DELETE"]) assert.equal((await app.api(method, path)).status, 404, id);
      for (const action of ["unsubscribe", "resubscribe", "resend_confirmation", "forget"])
        assert.equal((await act(app, id, action)).status, 404, `${id} ${action}`);
      assert.equal((await app.api("PATCH", path, { body: {} })).status, 404, id);
      assert.equal((await act(app, id, "tags", {})).status, 404, id);
      assert.equal((await app.api("GET", `${path}/activity`)).status, 404, id);
    }
  });

  it("of a list, malformed or unknown, is 422 in a body", async () => {
    for (const id of ["", "x", "lst_00000000000000000000000000", "sub_01k9zq4t3xe8k8y0v6d3m2n1pq"]) {
      const reply = await refuses(
        () => create({ email: newAddress(), list_id: id }),
        422,
        "validation_failed",
      );
      assert.deepEqual(faultsOf(reply), ["/list_id not_found"], id);
    }
  });

  it("of another account's subscriber is 404", async () => {
    const other = await app.addAccount();
    const { id } = await addSubscriber(app, listId, newAddress());
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/activity"],
      ["POST", "/unsubscribe"],
      ["POST", "/forget"],
    ] as const) {
      const reply = await app.api(method, `/v1/subscribers/${id}${path}`, { key: other.key });
      assert.equal(reply.status, 404, path);
    }
    assert.equal((await readSubscriber(app, id))["status"], "active");
  });
});

describe("an action", () => {
  it("needs no body and no content type", async () => {
    const { id } = await addSubscriber(app, listId, newAddress());
    assert.equal((await act(app, id, "unsubscribe")).status, 200);
  });

  it("with fields or values that there aren't is 422 and does nothing", async () => {
    const { id } = await addSubscriber(app, listId, newAddress());
    for (const [action, body] of [
      ["unsubscribe", { scope: "world" }],
      ["unsubscribe", { list: 1 }],
      ["unsubscribe", { reason: "x".repeat(501) }],
      ["unsubscribe", { campaign_id: "cmp_x" }],
      ["resubscribe", { attested: true }],
      ["tags", { add: "x" }],
      ["tags", { set: ["x"] }],
      ["tags", { add: [" "] }],
    ] as const) {
      await refuses(() => act(app, id, action, body), 422, "validation_failed");
    }
    const now = await readSubscriber(app, id);
    assert.deepEqual([now["status"], now["tags"]], ["active", []]);
  });
});
