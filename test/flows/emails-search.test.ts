/** Mails are found by whom they went to, by what was given with them, by how they stand and by time. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { sendEmail, untilStatus } from "../support/emails.ts";
import { type Json, suppress } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("a search for mails", () => {
  let app: TestApp;
  const ids: Record<string, string> = {};
  before(async () => {
    app = await createApp();
    await suppress(app, "gone@search.example", "hard_bounce");
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const mails: Record<string, Json> = {
      receipt: { to: ["ada@search.example"], subject: "Your receipt, Ada", tags: ["receipt", "shop"] },
      reset: { to: ["bo@search.example"], cc: ["ada@search.example"], subject: "Reset", tags: ["reset"] },
      partly: {
        to: ["bo@search.example"],
        bcc: ["gone@search.example"],
        metadata: { order: "4711", shop: "x" },
      },
      scheduled: { to: ["ada@search.example"], send_at: later, metadata: { order: "4712" } },
      canceled: { to: ["bo@search.example"], send_at: later },
      bounced: { to: ["bo@search.example"], subject: "Bounced" },
      failed: { to: ["bo@search.example"] },
      complained: { to: ["bo@search.example"] },
      deferred: { to: ["bo@search.example"] },
    };
    for (const [name, more] of Object.entries(mails)) {
      ids[name] = String((await sendEmail(app, { subject: "Hello", ...more }))["id"]);
      await app.db.one(sql`select 1 as slept from pg_sleep(0.002)`);
    }
    await app.api("POST", `/v1/emails/${ids["canceled"]}/cancel`);
    for (const name of ["receipt", "reset", "partly", "bounced", "failed", "complained", "deferred"])
      await untilStatus(app, ids[name], "sent");
    await pretend("bounced", "failed", "hard_bounce");
    await pretend("failed", "failed", "unrenderable");
    await pretend("deferred", "deferred", null);
    await app.db.execute(sql`
      insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at)
      select account_id, source_id, 'complaint', contact_id, now(), now() from deliveries
      where contact_id::text like ${`${await prefixOf("complained")}%`}`);
  });
  after(() => app.stop());

  /** Writes what a server's reply would have led to. */
  async function pretend(name: string, state: string, why: string | null): Promise<void> {
    const like = `${await prefixOf(name)}%`;
    await app.db.execute(
      sql`update deliveries set state = ${state}, why = ${why} where contact_id::text like ${like}`,
    );
    await app.db.execute(
      state === "deferred"
        ? sql`insert into retries (account_id, source_id, contact_id, due_at)
            select account_id, source_id, contact_id, now() + interval '1 hour' from deliveries where contact_id::text like ${like}`
        : sql`insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
            select account_id, source_id, state, contact_id, attempt, why, now() from deliveries where contact_id::text like ${like}`,
    );
  }

  async function prefixOf(name: string): Promise<string> {
    const rows = await app.db.many<{ id: string }>(sql`select id from emails order by id`);
    const at = Object.keys(ids).indexOf(name);
    return String(rows[at]?.id).slice(0, -2);
  }

  async function found(query: string): Promise<string[]> {
    const page = await app.api("GET", `/v1/emails?${query}`);
    assert.equal(page.status, 200, page.text);
    const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
    return page.body.data.map(({ id }: { id: string }) => names.get(id));
  }

  const cases: readonly (readonly [query: string, names: string])[] = [
    ["to=ada@search.example", "scheduled reset receipt"],
    ["to=ADA@search.example&tag=reset", "reset"],
    ["to=nobody@search.example", ""],
    ["tag=receipt", "receipt"],
    ["metadata[order]=4711", "partly"],
    ["metadata[order]=4711&metadata[shop]=x", "partly"],
    ["metadata[order]=4711&metadata[shop]=y", ""],
    ["metadata[order]=471", ""],
    ["subject=receipt", "receipt"],
    ["subject=ADA%20your", "receipt"],
    ["subject=ada%20bo", ""],
    ["status=scheduled", "scheduled"],
    ["status=canceled", "canceled"],
    ["status=skipped", "partly"],
    ["status=bounced", "bounced"],
    ["status=failed", "failed"],
    ["status=complained", "complained"],
    ["status=deferred", "deferred"],
    ["status=queued", ""],
    ["status=unknown", ""],
    ["status=sent", "complained partly reset receipt"],
    ["status=sent&tag=shop", "receipt"],
    ["status=bounced&subject=bounced", "bounced"],
    ["status=bounced&to=bo@search.example", "bounced"],
    ["status=complained&to=bo@search.example", "complained"],
    ["status=skipped&metadata[order]=4711", "partly"],
    ["status=scheduled&to=ada@search.example", "scheduled"],
    ["status=failed&to=ada@search.example", ""],
  ];
  for (const [query, names] of cases) {
    test(`by ${query} finds ${names || "none"}`, async () => {
      assert.deepEqual(await found(query), names ? names.split(" ") : []);
      const page = await app.api("GET", `/v1/emails?${query}&include_total=true&limit=1`);
      assert.equal(page.body.total, names ? names.split(" ").length : 0);
    });
  }

  test("goes through all pages without leaving any out", async () => {
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await app.api("GET", `/v1/emails?limit=2${cursor}`);
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      if (!page.body.has_more) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    assert.deepEqual(seen, Object.values(ids).toReversed());
  });

  test("by time leaves the moment itself out", async () => {
    const { created_at: at } = (await app.api("GET", `/v1/emails/${ids["partly"]}`)).body;
    const time = encodeURIComponent(at);
    assert.equal((await found(`created_before=${time}`)).join(" "), "reset receipt");
    assert.equal((await found(`created_after=${time}`)).at(-1), "scheduled");
  });

  test("refuses what is no address, no word, no status and no filter", async () => {
    for (const query of ["to=x", "subject=%21", "status=zebra", "zebra=1", "metadata=1", "metadata[]=1"]) {
      const reply = await app.api("GET", `/v1/emails?${query}`);
      assert.deepEqual([reply.status, reply.body.code], [400, "invalid_query"], query);
    }
  });

  test("finds nothing of another account", async () => {
    const other = await app.addAccount();
    const page = await app.api("GET", "/v1/emails?to=ada@search.example", { key: other.key });
    assert.deepEqual(page.body.data, []);
    await until(async () => (await found("to=ada@search.example")).length === 3);
  });
});
