/** Who gets a transactional mail, what each of them sees of the others, and how it is taken back. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { caughtFor, postEmail, readEmail, sendEmail, untilStatus } from "../support/emails.ts";
import { addSubscriber, type Json, makeList, suppress, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let turn = 0;
const newAddress = (what = "person") => `${what}${++turn}@example.com`;
const recipientsOf = (email: Json) =>
  (email["recipients"] as Json[]).map(({ email: to, role, status, reason }) => [to, role, status, reason]);

describe("the recipients of a mail", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());

  test("get the same bytes, with the same Message-ID, To and Cc, and nobody sees Bcc", async () => {
    const [one, two, copied, hidden] = [newAddress(), newAddress(), newAddress("cc"), newAddress("bcc")];
    const { id } = await sendEmail(app, { to: [`One <${one}>`, two], cc: [copied], bcc: [hidden] });
    const email = await untilStatus(app, id, "sent");
    assert.deepEqual(recipientsOf(email), [
      [one, "to", "sent", null],
      [two, "to", "sent", null],
      [copied, "cc", "sent", null],
      [hidden, "bcc", "sent", null],
    ]);
    const raws = (await Promise.all([one, two, copied, hidden].map((to) => caughtFor(app, to)))).flat();
    assert.equal(raws.length, 4);
    assert.equal(new Set(raws).size, 1, "every copy is the same");
    const [raw = ""] = raws;
    assert.match(raw, new RegExp(`^To: One <${one}>,\\s+${two}\r$`, "m"));
    assert.match(raw, new RegExp(`^Cc: ${copied}\r$`, "m"));
    assert.ok(!raw.includes(hidden));
  });

  test("count once, with the role that they were first given", async () => {
    const to = newAddress();
    const { id } = await sendEmail(app, { to: [to, to.toUpperCase()], cc: [to], bcc: [to, newAddress()] });
    const email = await untilStatus(app, id, "sent");
    assert.deepEqual(
      (email["recipients"] as Json[]).map(({ role }) => role),
      ["to", "bcc"],
    );
    assert.equal((await caughtFor(app, to)).length, 1);
  });

  test("are 50 at most", async () => {
    const many = (count: number) => Array.from({ length: count }, () => newAddress());
    const refused = await postEmail(app, { to: many(20), cc: many(20), bcc: many(11) });
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual(refused.body.errors[0].code, "too_many");
    assert.equal((await postEmail(app, { to: many(51) })).status, 422);
    const { id } = await sendEmail(app, { to: many(20), cc: many(20), bcc: many(10) });
    await untilStatus(app, id, "sent");
  });

  test("who left a list or complained about a campaign get it; who bounced doesn't", async () => {
    const [left, complained, bounced] = [newAddress("left"), newAddress("complained"), newAddress("bounced")];
    const subscriber = await addSubscriber(app, await makeList(app), left);
    await app.api("POST", `/v1/subscribers/${subscriber["id"]}/unsubscribe`, { body: { scope: "all" } });
    await suppress(app, complained, "complaint");
    await suppress(app, bounced, "hard_bounce");
    const accepted = await sendEmail(app, { to: [left, complained], cc: [bounced] });
    assert.deepEqual(recipientsOf(accepted).at(-1), [bounced, "cc", "skipped", "hard_bounce"]);
    const email = await untilStatus(app, accepted["id"], "sent");
    assert.deepEqual(recipientsOf(email), [
      [left, "to", "sent", null],
      [complained, "to", "sent", null],
      [bounced, "cc", "skipped", "hard_bounce"],
    ]);
    assert.equal((await caughtFor(app, bounced)).length, 0);
  });

  test("all suppressed are refused, each with the reason", async () => {
    const [bounced, manual] = [newAddress("bounced"), newAddress("manual")];
    await suppress(app, bounced, "hard_bounce");
    await suppress(app, manual, "manual");
    const refused = await postEmail(app, { to: [bounced], bcc: [manual] });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.body.code, "recipients_suppressed");
    assert.deepEqual(
      refused.body.errors.map(({ pointer, detail }: Json) => [pointer, detail]),
      [
        ["/to/0", "this address is suppressed: hard_bounce"],
        ["/bcc/0", "this address is suppressed: manual"],
      ],
    );
  });

  test("who are erased leave nothing behind, and get nothing that isn't sent yet", async () => {
    const to = newAddress("erased");
    const subscriber = await addSubscriber(app, await makeList(app), to);
    const sent = await sendEmail(app, { to: [to], subject: "Secret words" });
    await untilStatus(app, sent["id"], "sent");
    const sendAt = new Date(Date.now() + 3_000).toISOString();
    const other = newAddress("other");
    await sendEmail(app, { to: [to], cc: [other], send_at: sendAt, subject: "Later" });
    const erased = await app.api("POST", `/v1/subscribers/${subscriber["id"]}/forget`);
    assert.ok(erased.status < 300, erased.text);
    const shown = await readEmail(app, sent["id"]);
    assert.deepEqual(recipientsOf(shown), [[null, "to", "sent", null]]);
    assert.equal(shown["subject"], "");
    const { kept } = await app.db.one<{ kept: number }>(sql`
      select count(*) as kept from email_contents c join emails e on e.content_id = c.id
      where e.id = ${uuidOf("msg", String(sent["id"]))} and c.body is not null`);
    assert.equal(kept, 0);
    await until(async () => (await caughtFor(app, other)).length === 1);
    assert.ok(!(await caughtFor(app, other))[0]?.includes(to));
    assert.equal((await caughtFor(app, to)).length, 0);
  });
});

describe("a mail for later", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

  test("is scheduled, leaves at its time, and is shown so", async () => {
    const to = newAddress("later");
    const sendAt = inMs(2_500);
    const accepted = await sendEmail(app, { to: [to], send_at: sendAt });
    assert.deepEqual([accepted["status"], accepted["send_at"]], ["scheduled", sendAt]);
    assert.equal((await readEmail(app, accepted["id"]))["status"], "scheduled");
    const email = await untilStatus(app, accepted["id"], "sent");
    const [recipient] = email["recipients"] as Json[];
    assert.ok(String(recipient?.["at"]) >= sendAt, "not before its time");
    assert.deepEqual(
      (email["timeline"] as Json[]).map(({ type }) => type),
      ["scheduled", "queued", "sent"],
    );
    assert.match((await caughtFor(app, to))[0] ?? "", new RegExp(`^Date: ${dateOf(sendAt)}`, "m"));
  });

  const dateOf = (time: string) => new Date(time).toUTCString().replace(/ GMT$/, "");

  test("is refused for a time that has passed, and for one in 31 days", async () => {
    assert.equal((await postEmail(app, { send_at: inMs(-1_000) })).body.code, "send_at_in_past");
    assert.equal((await postEmail(app, { send_at: inMs(31 * 24 * 3_600_000) })).body.code, "send_at_too_far");
    assert.equal((await postEmail(app, { send_at: inMs(29 * 24 * 3_600_000) })).status, 202);
  });

  test("canceled is never sent, and can't be canceled twice", async () => {
    const to = newAddress("canceled");
    const { id } = await sendEmail(app, { to: [to], send_at: inMs(1_500) });
    const canceled = await app.api("POST", `/v1/emails/${id}/cancel`);
    assert.equal(canceled.status, 200, canceled.text);
    assert.equal(canceled.body.status, "canceled");
    assert.equal((await app.api("POST", `/v1/emails/${id}/cancel`)).body.code, "email_not_cancelable");
    const { id: next } = await sendEmail(app, { to: [newAddress("next")], send_at: inMs(2_000) });
    await untilStatus(app, next, "sent");
    assert.equal((await caughtFor(app, to)).length, 0);
  });

  test("that has left can't be canceled", async () => {
    const { id } = await sendEmail(app);
    await untilStatus(app, id, "sent");
    const refused = await app.api("POST", `/v1/emails/${id}/cancel`);
    assert.deepEqual([refused.status, refused.body.code], [409, "email_not_cancelable"]);
  });
});
