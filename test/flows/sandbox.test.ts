import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { requireId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";
import { addPerson } from "../support/people.ts";

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

  test("mail to subscribers is seen by those who may read recipients, and tests by everybody", async () => {
    const [mail, tested] = [await makeFixture(app, app.key, "msg"), await makeFixture(app, app.key, "msg")];
    await app.db.execute(sql`
      update sandbox_messages set stream = 'campaign', contact_id = gen_random_uuid() where id = ${requireId("msg", mail, "message")}`);
    const seen = async (key: string) => {
      const { body } = await app.api("GET", "/v1/sandbox/messages", { key });
      const ids = body.data.map(({ id }: { id: string }) => id);
      const alone = await app.api("GET", `/v1/sandbox/messages/${mail}/raw`, { key });
      return [ids.includes(mail), ids.includes(tested), alone.status];
    };
    assert.deepEqual(await seen(app.key), [true, true, 200]);
    assert.deepEqual(await seen(await app.addKey(["campaigns:read"])), [true, true, 200]);
    const viewer = await addPerson(app, "viewer@example.com", "viewer");
    const page = await viewer.browser.send("GET", "/v1/sandbox/messages");
    const ids = page.body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual([ids.includes(mail), ids.includes(tested)], [false, true]);
    for (const path of ["", "/raw", "/html"])
      assert.equal((await viewer.browser.send("GET", `/v1/sandbox/messages/${mail}${path}`)).status, 404);
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
