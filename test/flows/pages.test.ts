import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";

const clock = createTestClock();
let app: TestApp;
before(async () => {
  app = await createApp({ clock });
  // Many keys are created within one millisecond, so the position must consist of more than the time.
  for (let i = 0; i < 7; i++) {
    await app.addKey(["account:read"]);
    if (i % 3 === 0) clock.advance(1);
  }
});
after(() => app.stop());

const ids = (page: { data: { id: string }[] }) => page.data.map((item) => item.id);

async function wholeList(): Promise<string[]> {
  return ids((await app.api("GET", "/v1/api_keys?limit=200")).body);
}

async function firstCursor(): Promise<string> {
  return (await app.api("GET", "/v1/api_keys?limit=2")).body.next_cursor;
}

test("a walk in small pages sees everything once, newest first, while rows are added", async () => {
  const before = await wholeList();
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/v1/api_keys?limit=2${cursor ? `&cursor=${cursor}` : ""}`;
    const { body } = await app.api("GET", path);
    assert.equal(body.object, "list");
    assert.equal(body.has_more, body.next_cursor !== null);
    assert.ok(body.data.length === 2 || !body.has_more);
    seen.push(...ids(body));
    cursor = body.next_cursor;
    await app.addKey(["account:read"]);
    clock.advance(1);
  } while (cursor);
  assert.deepEqual(seen, before);
  const times = (await app.api("GET", "/v1/api_keys?limit=200")).body.data.map(
    (item: { created_at: string }) => item.created_at,
  );
  assert.deepEqual(times, times.toSorted().toReversed());
});

test("a walk skips nothing and repeats nothing when rows it has seen go away", async () => {
  const before = await wholeList();
  const first = await app.api("GET", "/v1/api_keys?limit=3");
  assert.equal((await app.api("DELETE", `/v1/api_keys/${before[2]}`)).status, 204);
  const rest = await app.api("GET", `/v1/api_keys?limit=200&cursor=${first.body.next_cursor}`);
  assert.deepEqual([...ids(first.body), ...ids(rest.body)], before);
});

test("a page has 50 by default, and a page that holds all has no cursor", async () => {
  const { body, headers } = await app.api("GET", "/v1/api_keys?limit=200");
  assert.deepEqual([body.has_more, body.next_cursor, headers.get("link")], [false, null, null]);
  for (let i = body.data.length; i < 51; i++) await app.addKey(["account:read"]);
  assert.equal((await app.api("GET", "/v1/api_keys")).body.data.length, 50);
});

test("the Link header leads to the next page, with the same parameters", async () => {
  const first = await app.api("GET", "/v1/api_keys?include_total=true&limit=2");
  const link = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.get("link")))?.[1] ?? "";
  const url = new URL(link);
  assert.equal(url.origin, app.baseUrl);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    include_total: "true",
    limit: "2",
    cursor: first.body.next_cursor,
  });
  const second = await app.api("GET", url.pathname + url.search);
  assert.deepEqual([...ids(first.body), ...ids(second.body)], (await wholeList()).slice(0, 4));
});

test("a total is there when it is asked for", async () => {
  const all = (await wholeList()).length;
  assert.equal((await app.api("GET", "/v1/api_keys?limit=1&include_total=true")).body.total, all);
  assert.ok(!("total" in (await app.api("GET", "/v1/api_keys?limit=1")).body));
  assert.ok(!("total" in (await app.api("GET", "/v1/api_keys?limit=1&include_total=false")).body));
});

test("the page's size may change on the way", async () => {
  const reply = await app.api("GET", `/v1/api_keys?limit=1&cursor=${await firstCursor()}`);
  assert.deepEqual(ids(reply.body), (await wholeList()).slice(2, 3));
});

test("a cursor of another account, another list or another filter, or a changed one, answers 400", async () => {
  const cursor = await firstCursor();
  const other = await app.addAccount();
  const events = (await app.api("GET", "/v1/events?limit=1")).body.next_cursor;
  const changed = cursor.slice(0, -1) + (cursor.endsWith("A") ? "B" : "A");
  const cases: [string, string][] = [
    [other.key, `/v1/api_keys?cursor=${cursor}`],
    [app.key, `/v1/events?cursor=${cursor}`],
    [app.key, `/v1/api_keys?cursor=${events}`],
    [app.key, `/v1/api_keys?cursor=${changed}`],
    [app.key, `/v1/api_keys?cursor=${cursor.slice(0, -1)}`],
    [app.key, `/v1/api_keys?cursor=${cursor}x`],
    [app.key, `/v1/api_keys?cursor=`],
    [app.key, `/v1/api_keys?cursor=${"A".repeat(900)}`],
  ];
  for (const [key, path] of cases) {
    const { status, body } = await app.api("GET", path, { key });
    assert.deepEqual([status, body.code], [400, "invalid_cursor"], path);
  }
});
