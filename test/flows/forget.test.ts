/**
 * These tests erase a person. They use an embedded database, whose log lies in the data directory too: afterwards
 * every row of every table and every file but PostgreSQL's own is searched for the address.
 */
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { inflateRawSync } from "node:zlib";
import { type RunningApp, startApp } from "../../src/app.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Reply, RequestOptions } from "../support/app.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const EMAIL = "Zephyrine.Quillfeather+news@Example.com";
/** No other data contains this word. */
const TRACE = /quillfeather/i;

const dataDir = mkdtempSync(join(tmpdir(), "postrider-forget-"));
const logs: string[] = [];
let running: RunningApp;
let db: Db;
before(async () => {
  const settings = { PORT: "0", DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: "1000000" };
  const { config } = loadConfig(settings, "no .env in tests");
  const destination = { write: (line: string) => void logs.push(line) };
  const log = createLog({ level: "trace", pretty: false, destination });
  running = await startApp({ config, log, clock: systemClock });
  db = running.app.db;
});
after(async () => {
  await running.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function api(method: string, path: string, { body, headers }: RequestOptions = {}): Promise<Reply> {
  const response = await fetch(`${running.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${running.firstStart?.key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text ? JSON.parse(text) : undefined,
  };
}

const post = async (path: string, body?: Json, key?: string): Promise<Reply> => {
  const headers = key ? { "idempotency-key": key } : {};
  return api("POST", path, { ...(body && { body }), headers });
};
const mustPost = async (path: string, body?: Json, key?: string): Promise<Json> => {
  const reply = await post(path, body, key);
  assert.ok(reply.status < 300, `${path}: ${reply.text}`);
  return reply.body;
};

/** Returns where the address still is: tables, the planner's statistics, kept answers, files, log lines. */
async function findTraces(): Promise<string[]> {
  const tables = await db.many<{ name: string }>(sql`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
    order by 1`);
  assert.ok(tables.length > 20, "every table is looked at");
  assert.ok(tables.some(({ name }) => name.startsWith("graphile_worker.")));
  assert.ok(tables.some(({ name }) => /^public\.events_/.test(name)));
  const found: string[] = [];
  for (const { name } of [...tables, { name: "pg_stats" }]) {
    const rows = await db.many(sql([`select * from ${name} as t`]));
    if (rows.some((row) => TRACE.test(render(row)))) found.push(name);
  }
  for (const text of await openAnswers()) if (TRACE.test(text)) found.push("a kept answer");
  for (const file of globSync("**/*", { cwd: dataDir, exclude: ["pg/**"] })) {
    const path = join(dataDir, file);
    if (statSync(path).isFile() && TRACE.test(readFileSync(path, "latin1"))) found.push(file);
  }
  if (logs.some((line) => TRACE.test(line))) found.push("the log");
  return [...new Set(found)];
}

/** Joins every column of a row, with bytes as characters. */
function render(row: Json): string {
  return Object.values(row)
    .map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : JSON.stringify(value)))
    .join("\n");
}

async function openAnswers(): Promise<string[]> {
  const rows = await db.many<{ account_id: string; key_hash: Buffer; answer: Buffer }>(
    sql`select account_id, key_hash, answer from idempotency_answers where answer <> ''`,
  );
  return rows.map(({ account_id, key_hash, answer }) => {
    const context = `${account_id}:${key_hash.toString("hex")}`;
    const opened = running.app.secrets.open("idempotency-answer", answer, context);
    assert.ok(opened !== undefined, "a kept answer can be opened");
    return opened.startsWith("{") ? opened : inflateRawSync(Buffer.from(opened, "base64")).toString();
  });
}

describe("a forgotten person", () => {
  let subscriber: Json;
  const first = () => ({
    email: EMAIL,
    list_id: running.firstStart?.listId,
    first_name: "Zephyrine",
    last_name: "Quillfeather",
    tags: ["beta", `customer ${EMAIL}`],
    fields: { note: `write to ${EMAIL}` },
    source: `quillfeather's form`,
    consent: { wording: `I, ${EMAIL}, agree.`, source: "Quillfeather's desk", ip: "192.0.2.7" },
  });

  before(async () => {
    await mustPost("/v1/fields", { key: "note", type: "text" });
    const other = (await mustPost("/v1/lists", { name: "Other", double_opt_in: true }))["id"];
    subscriber = await mustPost("/v1/subscribers", first(), `create ${EMAIL}`);
    await mustPost(
      "/v1/subscribers",
      { email: "somebody.else@example.com", list_id: other, tags: ["beta"] },
      "else",
    );
    const there = await mustPost("/v1/subscribers", { email: EMAIL.toUpperCase(), list_id: other }, "there");
    const items = [{ email: EMAIL, list_id: other, first_name: "Quillfeather" }];
    await mustPost("/v1/subscribers/batch", { subscribers: items, on_conflict: "update" }, "batch");
    await mustPost("/v1/subscribers/batch", { subscribers: items }, "batch of errors");
    const path = `/v1/subscribers/${subscriber["id"]}`;
    const letter = {
      name: "Letter",
      list_id: running.firstStart?.listId,
      subject: "Hello {{ first_name }}",
      html: "<p>Dear {{ last_name }}</p>",
    };
    const { id: campaign } = await mustPost("/v1/campaigns", letter);
    await mustPost(`/v1/campaigns/${campaign}/test`, { to: [EMAIL] });
    await mustPost(`/v1/campaigns/${campaign}/send`);
    await until(async () => (await api("GET", `/v1/campaigns/${campaign}`)).body.status === "sent");
    await mustPost(`${path}/tags`, { add: ["more"] }, "tags");
    for (const action of [
      { type: "set_field", field: "last_name", value: "Quillfeather-Nibb" },
      { type: "add_tags", tags: [`met ${EMAIL}`] },
    ]) {
      const change = await mustPost("/v1/bulk_changes", { ids: [subscriber["id"]], action }, action.type);
      const changePath = `/v1/bulk_changes/${change["id"]}`;
      await until(async () => (await api("GET", changePath)).body.status === "completed");
    }
    await api("PATCH", path, { body: { locale: "en", email: EMAIL.toLowerCase() } });
    await mustPost(`${path}/unsubscribe`, { scope: "all", reason: `no more to ${EMAIL}` }, "leave");
    await mustPost(`/v1/subscribers/${there["id"]}/unsubscribe`, { reason: `none to ${EMAIL}` }, "leave too");
    await mustPost(`${path}/resubscribe`, { consent: { attested: true, wording: EMAIL } }, "back");
    await mustPost("/v1/suppressions", { email: EMAIL, reason: "hard_bounce" }, "bounce");
    // Errors are logged, and addresses occur in the URLs of requests.
    await api("GET", `/v1/subscribers/search?email=${encodeURIComponent(EMAIL)}`);
    await api("GET", `/v1/subscribers/search?email=${EMAIL}&${EMAIL}=1`);
    await post("/v1/subscribers", { ...first(), [EMAIL]: EMAIL });
    await post(`/v1/subscribers/${encodeURIComponent(EMAIL)}`, { email: EMAIL });
    await db.execute(sql`analyze`);
  });

  it("is in many places before", async () => {
    const found = await findTraces();
    for (const place of [
      "public.subscribers",
      "public.consents",
      "public.tags",
      "public.opt_outs",
      "public.sandbox_messages",
      "public.bulk_changes",
      "public.bulk_change_rows",
      "a kept answer",
    ])
      assert.ok(found.includes(place), `${place} in ${found}`);
    assert.ok(!found.includes("the log") && !found.includes("pg_stats"), `${found}`);
    assert.ok(
      found.every((place) => !/events|graphile/.test(place)),
      `${found}`,
    );
  });

  it("is answered 202, the same again under the same key, and after that 404", async () => {
    const path = `/v1/subscribers/${subscriber["id"]}/forget`;
    const reply = await post(path, undefined, "forget");
    assert.deepEqual(
      [reply.status, reply.body],
      [
        202,
        {
          object: "erasure",
          id: reply.body.id,
          contact_id: subscriber["contact_id"],
          subscribers_removed: 2,
          created_at: reply.body.created_at,
          updated_at: reply.body.created_at,
        },
      ],
    );
    assert.match(reply.body.id, /^ers_/);
    assert.equal((await post(path, undefined, "forget")).headers.get("idempotency-replayed"), "true");
    assert.equal((await post(path)).status, 404);
    assert.equal((await api("GET", `/v1/subscribers/${subscriber["id"]}`)).status, 404);
  });

  it("is in no table, no kept answer, no file and no log afterwards", async () => {
    assert.deepEqual(await findTraces(), []);
    assert.ok(
      (await openAnswers()).some((text) => text.includes("somebody.else@example.com")),
      "others' are kept",
    );
  });

  it("doesn't come back by the retry of a request from before", async () => {
    for (const [path, body, key] of [
      ["/v1/subscribers", first(), `create ${EMAIL}`],
      ["/v1/suppressions", { email: EMAIL, reason: "hard_bounce" }, "bounce"],
    ] as const) {
      const reply = await post(path, body, key);
      assert.deepEqual([reply.status, reply.body.code], [422, "idempotency_key_reused"], path);
    }
    const found = await api("GET", `/v1/subscribers/search?email=${encodeURIComponent(EMAIL)}`);
    assert.deepEqual(found.body.data, []);
    assert.deepEqual(await findTraces(), []);
  });

  it("has only an entry without a name that keeps the address suppressed", async () => {
    const { body } = await api("GET", `/v1/suppressions?email=${encodeURIComponent(EMAIL)}`);
    assert.equal(body.data.length, 1);
    const [{ reason, email, contact_id }] = body.data;
    assert.deepEqual([reason, email, contact_id], ["erased", null, subscriber["contact_id"]]);
  });

  it("added again, alone or in a batch, is taken and never mailed", async () => {
    const again = await mustPost("/v1/subscribers", { email: EMAIL, list_id: running.firstStart?.listId });
    assert.deepEqual([again["sendable"], again["status_reason"]], [false, "suppressed_erased"]);
    assert.deepEqual([again["first_name"], again["tags"], again["fields"]], [null, [], {}]);
    const list = (await mustPost("/v1/lists", { name: "Third" }))["id"];
    const items = [{ email: EMAIL, list_id: list }];
    const { results } = await mustPost("/v1/subscribers/batch", { subscribers: items });
    const one = (await api("GET", `/v1/subscribers/${results[0].subscriber.id}`)).body;
    assert.deepEqual([one.sendable, one.status_reason], [false, "suppressed_erased"]);
  });

  it("leaves everybody else as they were", async () => {
    const { body } = await api("GET", "/v1/subscribers/search?email=somebody.else@example.com");
    assert.deepEqual(body.data[0].tags, ["beta"]);
  });
});
