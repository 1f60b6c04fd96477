import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";

describe("the sandbox", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());

  test("a caught message can be found by its recipient, read, and had byte for byte", async () => {
    const id = await makeFixture(app, app.key, "msg");
    await makeFixture(app, app.key, "msg");
    const page = await app.api("GET", "/v1/sandbox/messages?include_total=true&limit=1");
    assert.equal(page.status, 200, page.text);
    assert.equal(page.body.total, 2);
    assert.equal(page.body.has_more, true);
    const one = await app.api("GET", `/v1/sandbox/messages/${id}`);
    assert.equal(one.body.subject, "Grüße");
    assert.equal(one.body.text.trim(), "Hello");
    assert.deepEqual(one.body.headers.slice(0, 2), [
      { name: "From", value: "news@example.org" },
      { name: "Subject", value: "Grüße" },
    ]);
    const found = await app.api("GET", `/v1/sandbox/messages?to=${one.body.to.toUpperCase()}`);
    assert.deepEqual(
      found.body.data.map((message: { id: string }) => message.id),
      [id],
    );
    const raw = await app.api("GET", `/v1/sandbox/messages/${id}/raw`);
    assert.match(raw.headers.get("content-type") ?? "", /^message\/rfc822/);
    assert.match(raw.text, /^From: news@example\.org\r\nSubject: =\?utf-8\?Q/);
  });

  test("emptied, it has nothing; another account's messages stay", async () => {
    const other = await app.addAccount();
    const kept = await makeFixture(app, other.key, "msg");
    assert.equal((await app.api("DELETE", "/v1/sandbox/messages")).status, 204);
    assert.deepEqual((await app.api("GET", "/v1/sandbox/messages")).body.data, []);
    assert.equal((await app.api("GET", `/v1/sandbox/messages/${kept}`)).status, 404);
    assert.equal((await app.api("GET", `/v1/sandbox/messages/${kept}`, { key: other.key })).status, 200);
  });
});
