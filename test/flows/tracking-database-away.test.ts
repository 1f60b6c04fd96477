/** While the database is away, links work, and what was answered is counted once when it is back. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign } from "../support/campaigns.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PEOPLE = 30;
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
let links: { pixel: string; link: string; unsubscribe: string }[];
let sourceId: string;

before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  app = await createApp({ databaseUrl: database.url, settings: { DATABASE_URL: proxy.url } });
  const listId = await makeList(app);
  for (let n = 0; n < PEOPLE; n++) await addSubscriber(app, listId, `p${n}@away.example`);
  const { id } = await makeCampaign(app, listId, { html: '<p><a href="https://example.com/x">x</a></p>' });
  assert.equal((await act(app, id, "send")).status, 202);
  const read = () =>
    app.db.many<{ raw: Buffer }>(sql`select raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`);
  await until(async () => (await read()).length === PEOPLE);
  ({ id: sourceId } = await app.db.one<{ id: string }>(
    sql`select id from sources where owner_id = ${uuidOf("cmp", id)}`,
  ));
  links = await Promise.all(
    (await read()).map(async ({ raw }) => {
      const { html = "", headers } = await PostalMime.parse(raw);
      return {
        pixel: /src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1] ?? "",
        link: /href="([^"]*\/c\/[^"]*)"/.exec(html)?.[1] ?? "",
        unsubscribe: (headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "").slice(1, -1),
      };
    }),
  );
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

const get = (url: string) => fetch(url, { redirect: "manual", headers: { "user-agent": BROWSER } });

async function counted(): Promise<{ opens: number; clicks: number }> {
  const row = await app.db.maybeOne<{ opens: number; clicks: number }>(
    sql`select opens::int, clicks::int from engagement_sums where source_id = ${sourceId} and part = ''`,
  );
  return row ?? { opens: 0, clicks: 0 };
}

const hits = { opens: 0, clicks: 0 };

/** Hits pixels and links at random for so long; every one of them must be answered. */
async function hitFor(ms: number): Promise<void> {
  const endMs = Date.now() + ms;
  const go = async () => {
    while (Date.now() < endMs) {
      const one = links[Math.floor(Math.random() * links.length)];
      assert.ok(one);
      const isClick = Math.random() < 0.5;
      const answer = await get(isClick ? one.link : one.pixel);
      assert.equal(answer.status, isClick ? 302 : 200);
      await answer.arrayBuffer();
      hits[isClick ? "clicks" : "opens"]++;
      await sleep(20);
    }
  };
  await Promise.all(Array.from({ length: 8 }, go));
}

test("nothing that was answered is lost or counted twice, and unsubscribes are carried out first", async () => {
  // A link that was followed once is known.
  await hitFor(500);
  await proxy.cut();
  const hitting = hitFor(6_000);
  await sleep(1_000);
  const leaving = links
    .slice(0, 20)
    .map(({ unsubscribe }) =>
      fetch(unsubscribe, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) }),
    );
  const answers = await Promise.all(leaving);
  assert.ok(answers.every(({ status }) => status === 202));
  await hitting;
  await proxy.restore();
  const left = () =>
    app.db.one<{ count: number }>(
      sql`select count(*)::int as count from subscribers where status = 'unsubscribed'`,
    );
  await until(async () => (await left()).count === 20);
  await hitFor(500);
  await until(async () => (await counted()).clicks >= hits.clicks);
  await sleep(2_000);
  const { opens, clicks } = await counted();
  assert.equal(clicks, hits.clicks);
  // Whoever clicked and never fetched the pixel has one open; here everybody did both, many times.
  assert.equal(opens, hits.opens);
});

test("a database that hangs and answers late stores nothing twice", async () => {
  proxy.hold();
  const hitting = hitFor(4_000);
  await hitting;
  proxy.release();
  await until(async () => (await counted()).clicks >= hits.clicks);
  await sleep(6_000);
  assert.deepEqual(await counted(), hits);
});

test("an unsubscribe on disk that is older than a consent changes nothing", async () => {
  const one = links[21];
  assert.ok(one);
  await proxy.cut();
  const answer = await fetch(one.unsubscribe, {
    method: "POST",
    body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
  });
  assert.equal(answer.status, 202);
  // Everybody who is still there consents, in a database that the service can't see yet.
  await app.db.execute(
    sql`update subscribers set consented_at = now() + interval '1 second' where status = 'active'`,
  );
  const active = () =>
    app.db.one<{ count: number }>(
      sql`select count(*)::int as count from subscribers where status = 'active'`,
    );
  const before = (await active()).count;
  await proxy.restore();
  await sleep(4_000);
  assert.equal((await active()).count, before);
});

test("the page of an unsubscribe says that it is away, and still offers the button", async () => {
  await proxy.cut();
  const page = await get(links[25]?.unsubscribe ?? "");
  assert.equal(page.status, 503);
  assert.match(await page.text(), /<form method="post"/);
  await proxy.restore();
});
