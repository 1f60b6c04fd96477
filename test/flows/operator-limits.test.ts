/** What operators allow an account: who may say so, where it is seen, and that nobody is added beyond it by any way in. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { INSTANCE } from "../../src/platform/http/audit.ts";
import { createLog } from "../../src/platform/log.ts";
import { changePeople } from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeForm, sendForm, untilTaken } from "../support/forms.ts";
import { importFile } from "../support/imports.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";

let app: TestApp;
let operator: string;
let accountId: string;
let path: string;
before(async () => {
  app = await createApp();
  operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock: systemClock }, "Billing"));
  accountId = (await app.api("GET", "/v1/account")).body.id;
  path = `/v1/instance/accounts/${accountId}`;
});
after(() => app.stop());

const change = (body: Json, headers: Record<string, string> = {}) =>
  app.api("PATCH", path, { key: operator, body, headers });
async function allow(limit: number | null): Promise<void> {
  const changed = await change({ subscriber_limit: limit });
  assert.equal(changed.status, 200, changed.text);
}
async function count(): Promise<number> {
  return (await app.api("GET", path, { key: operator })).body.subscribers;
}
const add = (listId: string, email: string, query = "") =>
  app.api("POST", `/v1/subscribers${query}`, { body: { email, list_id: listId } });

describe("the limits of an account", () => {
  test("are set by operators, seen by its people, and stand in both logs", async () => {
    const { body: before } = await app.api("GET", path, { key: operator });
    assert.deepEqual([before.daily_mail_limit, before.subscriber_limit], [null, null]);
    const changed = await change({ name: "Brook", daily_mail_limit: 500, subscriber_limit: 9 });
    assert.equal(changed.status, 200, changed.text);
    const seen = await app.api("GET", "/v1/account");
    for (const { name, daily_mail_limit, subscriber_limit } of [changed.body, seen.body])
      assert.deepEqual([name, daily_mail_limit, subscriber_limit], ["Brook", 500, 9]);
    assert.equal(seen.body.updated_by.kind, "system");
    const rows = await app.db.many<Json>(sql`
      select account_id, actor_kind, fields from audit_log where action = 'account.limited' order by actor_kind`);
    assert.deepEqual(
      rows.map((row) => row.account_id).toSorted(),
      [INSTANCE, uuidOf("acc", accountId)].toSorted(),
    );
    for (const { fields } of rows)
      assert.deepEqual(fields.toSorted(), ["daily_mail_limit", "name", "subscriber_limit"]);
    await change({ daily_mail_limit: null, subscriber_limit: null });
  });

  test("are changed by nobody who read them before somebody else did", async () => {
    const read = await app.api("GET", path, { key: operator });
    const etag = read.headers.get("etag") ?? "";
    assert.equal((await change({ daily_mail_limit: 7 }, { "if-match": etag })).status, 200);
    assert.equal((await change({ daily_mail_limit: 8 }, { "if-match": etag })).status, 412);
    assert.equal((await change({ daily_mail_limit: null })).body.daily_mail_limit, null);
  });

  test("are whole numbers or null", async () => {
    for (const body of [
      { daily_mail_limit: -1 },
      { daily_mail_limit: 1.5 },
      { subscriber_limit: "5" },
      { subscriber_limit: 2_000_000_000 },
      { name: " " },
      { holds: [] },
    ])
      assert.equal((await change(body)).status, 422, JSON.stringify(body));
    const unknown = await app.api("PATCH", "/v1/instance/accounts/acc_01k9zq4t3xe8k8y0v6d3m2n1pq", {
      key: operator,
      body: { daily_mail_limit: 5 },
    });
    assert.equal(unknown.status, 404);
    assert.equal(
      (await app.api("PATCH", path, { body: { daily_mail_limit: 5 } })).status,
      404,
      "its own key",
    );
    assert.equal((await app.api("PATCH", "/v1/account", { body: { subscriber_limit: 5 } })).status, 422);
  });
});

describe("beyond the limit of subscribers", () => {
  test("nobody is added by the API, and who is there may be changed", async () => {
    const listId = await makeList(app);
    await allow((await count()) + 1);
    assert.equal((await add(listId, "one@example.com")).status, 201);
    const refused = await add(listId, "two@example.com");
    assert.deepEqual([refused.status, refused.body.code], [409, "subscriber_limit_reached"]);
    assert.equal(refused.body.limit, await count());
    assert.equal((await add(listId, "ONE@example.com", "?on_conflict=update")).status, 200);
    assert.equal((await app.api("POST", "/v1/sample_data")).body.code, "subscriber_limit_reached");
    await allow(null);
    assert.equal((await add(listId, "two@example.com")).status, 201);
  });

  test("a batch takes the first ones, and says of each other that it was refused", async () => {
    const listId = await makeList(app);
    await add(listId, "known@example.com");
    await allow((await count()) + 2);
    const emails = ["a", "known", "b", "c", "a", "d"].map((name) => `${name}@batch.example`);
    emails[1] = "known@example.com";
    const { body } = await app.api("POST", "/v1/subscribers/batch", {
      body: { subscribers: emails.map((email) => ({ email, list_id: listId })), on_conflict: "skip" },
    });
    assert.deepEqual(
      body.results.map(({ status, error }: Json) => error?.code ?? status),
      [201, 200, 201, "subscriber_limit_reached", 200, "subscriber_limit_reached"],
    );
    await allow(null);
  });

  test("an import takes the first new rows, names the others as failed, and goes on changing who is there", async () => {
    const listId = await makeList(app);
    await add(listId, "known@example.com");
    await allow((await count()) + 2);
    const file =
      "email,first_name\na@file.example,A\nb@file.example,B\nc@file.example,C\nknown@example.com,K\n";
    const made = await importFile(app, { list_id: listId, on_conflict: "update" }, file);
    const { created, updated, failed, skipped } = made.counts;
    assert.deepEqual([created, updated, failed, skipped], [2, 1, 1, 0], JSON.stringify(made));
    const faults = await app.api("GET", `/v1/imports/${made.id}/errors`);
    assert.match(faults.text, /\r\n4,,subscriber_limit_reached,[^\r]+,c@file\.example,C\r\n$/);
    await allow(null);
  });

  test("a dry run of an import says the same beforehand", async () => {
    const listId = await makeList(app);
    await add(listId, "there@example.com");
    await allow((await count()) + 2);
    const file = "email\na@dry.example\nb@dry.example\nc@dry.example\nthere@example.com\n";
    const made = await importFile(app, { list_id: listId, on_conflict: "update", dry_run: true }, file);
    const { created, updated, failed, skipped } = made.counts;
    assert.deepEqual([created, updated, failed, skipped], [2, 1, 1, 0], JSON.stringify(made));
    await allow(null);
  });

  test("both runs of a file of several batches say the same, of whoever is in it twice too", async () => {
    const listId = await makeList(app);
    await add(listId, "there@example.com");
    await allow((await count()) + 1_500);
    // Lines this long are read some 500 at a time, so that more than 2,000 of them are several batches.
    const line = (n: number) => `person${n}@large.example,${"x".repeat(100)}\n`;
    const people = Array.from({ length: 2_600 }, (_, n) => line(n));
    const file = `email,last_name\n${people.join("")}there@example.com,\n${line(3)}${line(1_700)}`;
    const options = { list_id: listId, on_conflict: "skip" };
    for (const dryRun of [true, false]) {
      const made = await importFile(app, { ...options, dry_run: dryRun }, file);
      const { total, created, updated, skipped, failed } = made.counts;
      const counted = { total, created, updated, skipped, failed };
      // The one whom there was no room for is refused again; the one who was taken is skipped.
      const expected = { total: 2_603, created: 1_500, updated: 0, skipped: 2, failed: 1_101 };
      assert.deepEqual(counted, expected, dryRun ? "the dry run" : "the real run");
    }
    await allow(null);
  });

  test("somebody made up is simulated all the same, and the limit holds afterwards", async () => {
    const listId = await makeList(app);
    await allow(await count());
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "list_joined" }] },
      nodes: { end: { type: "end" } },
    };
    const made = await app.api("POST", "/v1/automations", { body: { name: "Full", list_id: listId, draft } });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/automations/${made.body.id}/simulate`;
    const simulated = await app.api("POST", path, { body: { person: {} } });
    assert.equal(simulated.status, 200, simulated.text);
    const body = { email: "one.more@example.com", list_id: listId };
    assert.equal((await app.api("POST", "/v1/subscribers", { body })).body.code, "subscriber_limit_reached");
    await allow(null);
  });

  test("a form answers as always, and adds nobody", async () => {
    const listId = await makeList(app);
    const form = await makeForm(app, listId, { double_opt_in: false });
    await allow(await count());
    const sent = await sendForm(app, form.id, { email: "form@example.com", "agree-to-mail": "yes" });
    assert.equal(sent.status, 200);
    await untilTaken(app);
    const found = await app.api("GET", `/v1/subscribers?list_id=${listId}`);
    assert.deepEqual(found.body.data, []);
    await allow(null);
  });

  async function move(id: string, to: string): Promise<void> {
    const { address_hash: hash } = await app.db.one<{ address_hash: Buffer }>(sql`
      select c.address_hash from contacts c join subscribers s on s.contact_id = c.id where s.id = ${uuidOf("sub", id)}`);
    const log = createLog({ level: "silent", pretty: false });
    await app.db.transaction((tx) =>
      changePeople(
        systemCtx({ clock: systemClock, log }, tx, uuidOf("acc", accountId)),
        () => hash,
        { type: "list", action: "move", listId: uuidOf("lst", to) },
        [uuidOf("sub", id)],
        "aut_test",
      ),
    );
  }
  const statusOf = async (id: string) => (await app.api("GET", `/v1/subscribers/${id}`)).body.status;

  test("an automation moves nobody off their list who can't be added to the other one", async () => {
    const [from, to] = [await makeList(app), await makeList(app)];
    const person = await add(from, "moves@example.com");
    await allow(await count());
    await move(person.body.id, to);
    assert.equal(await statusOf(person.body.id), "active");
    await allow(null);
    await move(person.body.id, to);
    assert.equal(await statusOf(person.body.id), "unsubscribed");
    assert.equal((await app.api("GET", `/v1/subscribers?list_id=${to}`)).body.data.length, 1);
  });

  test("nor off their list who has left the other one before, which they don't come back to", async () => {
    const [from, to] = [await makeList(app), await makeList(app)];
    const here = (await add(from, "stays@example.com")).body.id;
    const there = (await add(to, "stays@example.com")).body.id;
    assert.equal((await app.api("POST", `/v1/subscribers/${there}/unsubscribe`)).status, 200);
    await move(here, to);
    assert.deepEqual([await statusOf(here), await statusOf(there)], ["active", "unsubscribed"]);
  });

  test("of many at once exactly as many are added as there is room for", async () => {
    const listId = await makeList(app);
    const room = 7;
    await allow((await count()) + room);
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, n) => add(listId, `rush${n}@example.com`).then(({ status }) => status)),
    );
    assert.equal(answers.filter((status) => status === 201).length, room, answers.join(" "));
    assert.equal(answers.filter((status) => status === 409).length, 25 - room);
    await allow(null);
  });
});
