/** Creates lists and subscribers for tests through the API, or by calling a function for what has no page yet. */
import assert from "node:assert/strict";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { confirm } from "../../src/subscribers/consent/consent.ts";
import type { Reply, TestApp } from "./app.ts";
import { until } from "./until.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of many shapes
export type Json = Record<string, any>;

export async function makeList(app: TestApp, body: Json = {}, key = app.key): Promise<string> {
  const made = await app.api("POST", "/v1/lists", { key, body: { name: "A list", ...body } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

/** Returns the list that every account starts with. */
export async function firstList(app: TestApp): Promise<string> {
  return (await app.api("GET", "/v1/lists")).body.data[0].id;
}

export async function addSubscriber(
  app: TestApp,
  listId: string,
  email: string,
  more: Json = {},
): Promise<Json> {
  const made = await app.api("POST", "/v1/subscribers", { body: { email, list_id: listId, ...more } });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

export async function readSubscriber(app: TestApp, id: string): Promise<Json> {
  const read = await app.api("GET", `/v1/subscribers/${id}`);
  assert.equal(read.status, 200, read.text);
  return read.body;
}

export function act(app: TestApp, id: string, action: string, body?: Json): Promise<Reply> {
  return app.api("POST", `/v1/subscribers/${id}/${action}`, body && { body });
}

export async function suppress(app: TestApp, email: string, reason: string): Promise<Json> {
  const made = await app.api("POST", "/v1/suppressions", { body: { email, reason } });
  assert.ok(made.status === 201 || made.status === 200, made.text);
  return made.body;
}

/** Does what the link in a confirmation mail will do. */
export async function confirmByMail(app: TestApp, id: string, clock = systemClock): Promise<void> {
  const log = createLog({ level: "silent", pretty: false });
  const accountId = fromPublicId("acc", app.accountId) ?? "";
  await app.db.transaction((tx) =>
    confirm({ sql: tx, accountId, actor: { kind: "system", id: null }, clock, log }, uuidOf("sub", id), {
      source: "confirmation mail",
      wording: null,
      ip: "192.0.2.7",
    }),
  );
}

export function uuidOf(prefix: string, id: string): string {
  const uuid = fromPublicId(prefix, id);
  assert.ok(uuid, `${id} is no ${prefix}`);
  return uuid;
}

/** Reads every page from the first to the last; `between` may change things on the way. */
export async function walk(
  app: TestApp,
  path: string,
  between: (page: number) => Promise<void> = async () => undefined,
): Promise<Json[]> {
  const found: Json[] = [];
  let cursor: string | null = "";
  for (let page = 0; cursor !== null; page++) {
    assert.ok(page < 500, `${path} has no end`);
    const query: string = cursor && `${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
    const { status, body, text } = await app.api("GET", `${path}${query}`);
    assert.equal(status, 200, text);
    assert.equal(body.has_more, body.next_cursor !== null);
    found.push(...body.data);
    cursor = body.next_cursor;
    if (cursor !== null) await between(page);
  }
  return found;
}

/** Returns an account's events since `cursor`, oldest first, and the cursor to continue from. */
export async function eventsSince(app: TestApp, cursor = ""): Promise<{ events: Json[]; cursor: string }> {
  await settled(app);
  const after = cursor && `&cursor=${cursor}`;
  const { body } = await app.api("GET", `/v1/events?sort=created_at&limit=200${after}`);
  if (!body.has_more) return { events: body.data, cursor: body.next_cursor };
  const rest = await eventsSince(app, body.next_cursor);
  return { events: [...body.data, ...rest.events], cursor: rest.cursor };
}

/**
 * Waits until events are shown, which is once every older transaction of the server is over; other tests have theirs
 * on the same server.
 */
export async function settled(app: TestApp): Promise<void> {
  const { mark } = await app.db.one<{ mark: string }>(sql`select pg_current_xact_id()::text as mark`);
  await until(async () => {
    const { isPast } = await app.db.one<{ isPast: boolean }>(
      sql`select pg_snapshot_xmin(pg_current_snapshot()) > ${mark}::xid8 as "isPast"`,
    );
    return isPast;
  });
}

/** Counts the rows, which the counters must agree with. */
export async function recount(app: TestApp, listId: string): Promise<Json> {
  const rows = await app.db.many<{ status: string; count: number }>(sql`
    select status, count(*) as count from subscribers where list_id = ${uuidOf("lst", listId)} group by status`);
  const none = { pending: 0, active: 0, unsubscribed: 0, bounced: 0, complained: 0 };
  const counts = { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
  return { ...counts, total: rows.reduce((sum, { count }) => sum + count, 0) };
}
