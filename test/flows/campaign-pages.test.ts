/** Campaigns are paged by `updated_at`: one that changes while somebody reads may come twice, and is never missed. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { type Json, makeList, uuidOf, walk } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
});
after(() => app.stop());

async function fill(count: number): Promise<{ listId: string; ids: string[] }> {
  const listId = await makeList(app);
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push((await makeCampaign(app, listId, { name: `N${at}` }))["id"]);
  return { listId, ids };
}

const rename = (id: string | undefined, name: string) =>
  app.api("PATCH", `/v1/campaigns/${id}`, { body: { name } });
const pathOf = (listId: string, sort = "updated_at") =>
  `/v1/campaigns?list_id=${listId}&limit=3&sort=${sort}`;
const idsOf = (rows: readonly Json[]) => rows.map(({ id }) => id);

it("come in the order of their last change, upwards and downwards", async () => {
  const { listId, ids } = await fill(5);
  await rename(ids[1], "Changed");
  const [first, second, ...rest] = ids;
  const order = [first, ...rest, second];
  assert.deepEqual(idsOf(await walk(app, pathOf(listId))), order);
  assert.deepEqual(idsOf(await walk(app, pathOf(listId, "%2Bupdated_at"))), order);
  assert.deepEqual(idsOf(await walk(app, pathOf(listId, "-updated_at"))), order.toReversed());
});

it("come again when they change meanwhile, and all come", async () => {
  const { listId, ids } = await fill(8);
  const seen = await walk(app, pathOf(listId), async (page) => {
    if (page < 2) await rename(ids[page], `Changed ${page}`);
  });
  assert.deepEqual([...new Set(idsOf(seen))].toSorted(), ids.toSorted());
  assert.equal(seen.filter(({ id }) => id === ids[0]).at(-1)?.["name"], "Changed 0");
  assert.ok(seen.length <= 10, `${seen.length} for 8 campaigns and 2 changes`);
});

it("are found when they were changed early and committed late", async () => {
  const { listId, ids } = await fill(2);
  const [slow = ""] = ids;
  const changed = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const done = app.db.transaction(async (tx) => {
    await tx.execute(sql`
      update campaigns set name = 'Late', updated_at = now()
      where account_id = ${uuidOf("acc", app.accountId)} and id = ${uuidOf("cmp", slow)}`);
    changed.resolve();
    await go.promise;
  });
  try {
    await changed.promise;
    for (let at = 0; at < 7; at++) await makeCampaign(app, listId);
    const seen = await walk(app, pathOf(listId), async (page) => {
      // By then the cursor is past the time of the late campaign.
      if (page === 1) go.resolve();
      if (page >= 1) await done;
    });
    assert.ok(
      seen.some(({ id, name }) => id === slow && name === "Late"),
      "the late change is there",
    );
    assert.equal(new Set(idsOf(seen)).size, 9);
  } finally {
    go.resolve();
    await done;
  }
});

it("are counted by status, those of a list or all, without those that are archived", async () => {
  const { listId, ids } = await fill(4);
  await app.db.execute(
    sql`update campaigns set archived_at = now() where id = ${uuidOf("cmp", ids[3] ?? "")}`,
  );
  await app.db.execute(sql`update campaigns set status = 'sent' where id = ${uuidOf("cmp", ids[0] ?? "")}`);
  const { body } = await app.api("GET", `/v1/campaigns/counts?list_id=${listId}`);
  const none = { scheduled: 0, sending: 0, paused: 0, canceled: 0, failed: 0 };
  assert.deepEqual(body, { object: "campaign_counts", total: 3, draft: 2, sent: 1, ...none });
  const all = await app.api("GET", "/v1/campaigns/counts");
  assert.ok(all.body.total > 3 && all.body.sent === 1, all.text);
  assert.equal((await app.api("GET", "/v1/campaigns/counts?list_id=lst_nonsense")).status, 404);
});

it("are listed by several statuses, and counted by the same filters as they are listed by", async () => {
  const { listId, ids } = await fill(4);
  for (const [at, status] of ["sent", "canceled", "failed"].entries())
    await app.db.execute(
      sql`update campaigns set status = ${status} where id = ${uuidOf("cmp", ids[at] ?? "")}`,
    );
  const named = async (query: string) =>
    idsOf((await app.api("GET", `/v1/campaigns?list_id=${listId}&sort=created_at&${query}`)).body.data);
  assert.deepEqual(await named("status=canceled&status=failed"), ids.slice(1, 3));
  assert.deepEqual(await named("status=draft"), ids.slice(3));
  assert.equal((await app.api("GET", "/v1/campaigns?status=sent&status=lost")).status, 400);
  const count = async (query: string) =>
    (await app.api("GET", `/v1/campaigns/counts?list_id=${listId}&${query}`)).body;
  assert.deepEqual([(await count("q=n1")).total, (await count("q=n1")).canceled], [1, 1]);
  assert.equal((await count("created_before=2020-01-01T00:00:00Z")).total, 0);
  await app.db.execute(
    sql`update campaigns set archived_at = now() where id = ${uuidOf("cmp", ids[0] ?? "")}`,
  );
  assert.deepEqual([(await count("")).total, (await count("archived=true")).sent], [3, 1]);
});

it("come with their numbers when these are asked for, and a cursor serves with and without", async () => {
  const { listId } = await fill(3);
  const path = `/v1/campaigns?list_id=${listId}&limit=2`;
  const plain = await app.api("GET", path);
  assert.deepEqual(
    plain.body.data.map((one: Json) => "stats" in one),
    [false, false],
  );
  const cursor = `&cursor=${plain.body.next_cursor}`;
  const { body } = await app.api("GET", `${path}&include_stats=true${cursor}`);
  assert.deepEqual(
    body.data.map((one: Json) => one["stats"]),
    [null],
    "what was never launched has none",
  );
});
