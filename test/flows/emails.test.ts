/** Transactional mail is accepted by the API and sent by the engine, into the sandbox. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { caughtFor, MAIL, postEmail, readEmail, sendEmail, untilStatus } from "../support/emails.ts";
import type { Json } from "../support/subscribers.ts";

describe("a transactional mail", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());

  test("is accepted, sent, and shown with its recipient and its timeline", async () => {
    const accepted = await postEmail(app);
    assert.equal(accepted.status, 202, accepted.text);
    const { id } = accepted.body;
    assert.match(accepted.headers.get("location") ?? "", new RegExp(`/v1/emails/${id}$`));
    assert.equal(accepted.body.status, "queued");
    assert.deepEqual(accepted.body.to, ["Ada Lovelace <ada@example.com>"]);
    const email = await untilStatus(app, id, "sent");
    const [recipient] = email["recipients"] as Json[];
    assert.equal(recipient?.["email"], "ada@example.com");
    assert.equal(recipient?.["role"], "to");
    assert.equal(recipient?.["status"], "sent");
    assert.deepEqual(
      (email["timeline"] as Json[]).map(({ type, email }) => [type, email]),
      [
        ["queued", null],
        ["sent", "ada@example.com"],
      ],
    );
    const [raw = ""] = await caughtFor(app, "ada@example.com");
    assert.match(raw, /^To: Ada Lovelace <ada@example\.com>\r$/m);
    assert.match(raw, /^From: Acme <billing@acme\.example>\r$/m);
    assert.match(raw, /^Subject: Your receipt\r$/m);
    assert.match(raw, /\r\n\r\nThank you\.\r\n$/);
    assert.doesNotMatch(raw, /List-Unsubscribe/);
  });

  test("is sent twice to the same person without being taken for one", async () => {
    const [one, other] = await Promise.all([
      sendEmail(app, { to: ["twice@example.com"], subject: "One" }),
      sendEmail(app, { to: ["twice@example.com"], subject: "Other" }),
    ]);
    await untilStatus(app, one["id"], "sent");
    await untilStatus(app, other["id"], "sent");
    assert.equal((await caughtFor(app, "twice@example.com")).length, 2);
  });

  test("is sent once for an idempotency key, however often and at once it is asked for", async () => {
    const to = ["once@example.com"];
    const headers = { "idempotency-key": "receipt 4711" };
    const replies = await Promise.all([1, 2, 3].map(() => postEmail(app, { to }, headers)));
    const again = await postEmail(app, { to }, headers);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    for (const { status, body } of replies) {
      if (status === 202) assert.equal(body.id, again.body.id);
      else assert.equal(body.code, "idempotency_in_flight");
    }
    await untilStatus(app, again.body.id, "sent");
    assert.equal((await caughtFor(app, "once@example.com")).length, 1);
    assert.equal(
      (await postEmail(app, { to, subject: "Other" }, headers)).body.code,
      "idempotency_key_reused",
    );
  });

  test("of another account isn't found", async () => {
    const { id } = await sendEmail(app);
    const other = await app.addAccount();
    assert.equal((await app.api("GET", `/v1/emails/${id}`, { key: other.key })).status, 404);
    assert.equal((await readEmail(app, id))["id"], id);
  });

  test("needs the scope to send, and the other to be read", async () => {
    const reader = await app.addKey(["emails:read"]);
    const refused = await app.api("POST", "/v1/emails", { key: reader, body: MAIL });
    assert.equal(refused.body.required_scope, "emails:send");
    const sender = await app.addKey(["emails:send"]);
    const sent = await app.api("POST", "/v1/emails", { key: sender, body: MAIL });
    assert.equal(sent.status, 202, sent.text);
    assert.equal((await app.api("GET", `/v1/emails/${sent.body.id}`, { key: sender })).status, 403);
    assert.equal((await app.api("GET", `/v1/emails/${sent.body.id}`, { key: reader })).status, 200);
  });

  test("is seen in the sandbox by those alone who may read such mail", async () => {
    const { id } = await sendEmail(app, { to: ["secret@sandbox.example"] });
    await untilStatus(app, id, "sent");
    const path = "/v1/sandbox/messages?to=secret@sandbox.example&include_total=true";
    const both = await app.api("GET", path, { key: await app.addKey(["campaigns:read", "emails:read"]) });
    assert.equal(both.body.total, 1);
    assert.equal(both.body.data[0].email_id, id, "it says of which mail it is a copy");
    const one = await app.addKey(["campaigns:read"]);
    const hidden = await app.api("GET", path, { key: one });
    assert.deepEqual([hidden.status, hidden.body.data, hidden.body.total], [200, [], 0]);
    for (const part of ["", "/raw", "/html"]) {
      const shown = `/v1/sandbox/messages/${both.body.data[0].id}${part}`;
      assert.equal((await app.api("GET", shown, { key: one })).status, 404, part);
      assert.equal((await app.api("GET", shown)).status, 200, part);
    }
  });

  test("is shown as it was made in a page where nothing runs, to those who may read it", async () => {
    const html = "<p>Thank you, <script>alert(1)</script> Ada.</p>";
    const { id } = await sendEmail(app, { html });
    const path = `/v1/emails/${id}/html`;
    const shown = await app.api("GET", path);
    assert.equal(shown.status, 200, shown.text);
    const policy = shown.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^sandbox; default-src 'none'; img-src data: 'self' /);
    assert.doesNotMatch(policy, /allow-|script-src/);
    assert.ok(shown.text.includes(html));
    const all = await app.api("GET", `${path}?pictures=all`);
    assert.match(all.headers.get("content-security-policy") ?? "", /img-src https: http: data:/);
    const { id: plain } = await sendEmail(app, { text: "1 < 2" });
    assert.match((await app.api("GET", `/v1/emails/${plain}/html`)).text, /<pre [^>]+>1 &lt; 2<\/pre>/);
    const sender = await app.addKey(["emails:send"]);
    assert.equal((await app.api("GET", path, { key: sender })).status, 403);
    const other = await app.addAccount();
    assert.equal((await app.api("GET", path, { key: other.key })).status, 404);
  });
});
