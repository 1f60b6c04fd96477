/** How lists grow, by day: whatever happens to subscribers, the days equal a recount. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { thinGrowth } from "../../src/subscribers/lists/growth-thinning.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  act,
  addSubscriber,
  type Json,
  makeList,
  recount,
  suppress,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs" } });
});
after(() => app.stop());

const growth = async (query = ""): Promise<Json> => {
  const reply = await app.api("GET", `/v1/stats/growth${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const today = async (query = "") => {
  const { gained, lost, active } = (await growth(query))["data"].at(-1);
  return [gained, lost, active];
};

describe("growth", () => {
  it("counts who begins to be active and who ceases to be, each time, and nothing else", async () => {
    const listId = await makeList(app);
    const of = `?list_id=${listId}`;
    const add = (name: string, more: Json = {}) => addSubscriber(app, listId, `${name}@growth.example`, more);
    const [ada, bea, chi, dil] = [await add("ada"), await add("bea"), await add("chi"), await add("dil")];
    assert.deepEqual(await today(of), [4, 0, 4]);
    await app.api("PATCH", `/v1/subscribers/${ada["id"]}`, { body: { first_name: "Ada" } });
    assert.deepEqual(await today(of), [4, 0, 4], "an edit is no growth");
    await act(app, bea["id"], "unsubscribe");
    assert.deepEqual(await today(of), [4, 1, 3]);
    await act(app, bea["id"], "resubscribe", { consent: { attested: true, source: "telephone" } });
    assert.deepEqual(await today(of), [5, 1, 4]);
    await app.api("DELETE", `/v1/subscribers/${chi["id"]}`);
    assert.deepEqual(await today(of), [5, 2, 3]);
    await suppress(app, "dil@growth.example", "hard_bounce");
    const { active } = await recount(app, listId);
    const [gained, lost, shown] = await today(of);
    assert.deepEqual([gained - lost, shown], [active, active], "it equals a recount");
    assert.ok(dil);
  });

  it("counts people who must confirm once they have", async () => {
    const listId = await makeList(app, { double_opt_in: true });
    await addSubscriber(app, listId, "waiting@growth.example");
    assert.deepEqual(await today(`?list_id=${listId}`), [0, 0, 0]);
  });

  it("counts a statement that changes many both ways", async () => {
    const listId = await makeList(app);
    const subscribers = Array.from({ length: 50 }, (_, n) => ({
      email: `many-${n}@growth.example`,
      list_id: listId,
    }));
    await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    const list = uuidOf("lst", listId);
    await app.db.execute(sql`
      update subscribers set status = 'unsubscribed' where list_id = ${list} and email_key like 'many-1%'`);
    assert.deepEqual(await today(`?list_id=${listId}`), [50, 11, 39]);
    await app.db.execute(sql`
      update subscribers set status = case status when 'active' then 'unsubscribed' else 'active' end where list_id = ${list}`);
    assert.deepEqual(await today(`?list_id=${listId}`), [61, 50, 11]);
  });

  it("has the days of the account's time zone, or of another, each quarter in its own day", async () => {
    const listId = await makeList(app);
    await addSubscriber(app, listId, "here@growth.example");
    const [account, list] = [uuidOf("acc", app.accountId), uuidOf("lst", listId)];
    await app.db.execute(sql`delete from list_growth where list_id = ${list}`);
    await app.db.execute(sql`
      insert into list_growth (account_id, at, list_id, shard, gained, lost)
      select ${account}, (now() at time zone 'Pacific/Auckland')::date::timestamp at time zone 'Pacific/Auckland'
             + n * interval '15 minutes', ${list}, 0, case n when 0 then 1 else 7 end, case n when 0 then 0 else 7 end
      from generate_series(-1, 0) as n`);
    const ofZone = await growth(`?list_id=${listId}&days=3&time_zone=Pacific/Auckland`);
    const days: Json[] = ofZone["data"];
    assert.deepEqual(
      days.map(({ gained, lost, active }) => [gained, lost, active]),
      [
        [0, 0, 0],
        [7, 7, 0],
        [1, 0, 1],
      ],
    );
    assert.deepEqual([ofZone["gained"], ofZone["lost"], ofZone["active"]], [8, 7, 1]);
    const local = new Intl.DateTimeFormat("sv-SE", { timeZone: "Pacific/Auckland" });
    assert.equal(days.at(-1)?.["date"], local.format(new Date(ofZone["as_of"])));
    await app.api("PATCH", "/v1/account", { body: { time_zone: "Pacific/Auckland" } });
    assert.deepEqual((await growth(`?list_id=${listId}&days=3`))["data"], days);
  });

  it("stays the same to the quarter when its table is thinned", async () => {
    const listId = await makeList(app);
    const [account, list] = [uuidOf("acc", app.accountId), uuidOf("lst", listId)];
    // Every second quarter of four days, the last of them today, and one that is too old to be asked for.
    await app.db.execute(sql`
      insert into list_growth (account_id, list_id, at, shard, gained, lost)
      select ${account}::uuid, ${list}::uuid, date_bin('15 minutes', now(), 'epoch') - n * interval '30 minutes', shard, n + shard, shard
      from generate_series(0, 191) as n, generate_series(0, 31) as shard
      union all
      select ${account}::uuid, ${list}::uuid, date_bin('15 minutes', now(), 'epoch') - interval '400 days', 3, 5, 5`);
    const zones = ["UTC", "Asia/Kathmandu", "Pacific/Chatham", "America/St_Johns"];
    const shown = () =>
      Promise.all(
        zones.map(async (zone) => (await growth(`?list_id=${listId}&days=366&time_zone=${zone}`))["data"]),
      );
    const rows = () =>
      app.db.one<{ count: number; oldest: number }>(sql`
        select count(*) as count, extract(days from now() - min(at))::int as oldest from list_growth where list_id = ${list}`);
    const before = await shown();
    assert.deepEqual(await rows(), { count: 192 * 32 + 1, oldest: 400 });
    await thinGrowth(app.db, new AbortController().signal);
    assert.deepEqual(await shown(), before);
    const { count, oldest } = await rows();
    assert.equal(oldest, 3);
    assert.ok(count >= 143 + 48 * 32 && count <= 144 + 49 * 32, `${count} rows are left`);
  });

  it("leaves out a list that is deleted, refuses one that isn't there, and has no other account's", async () => {
    const before = await growth();
    const listId = await makeList(app);
    await addSubscriber(app, listId, "brief@growth.example");
    assert.equal((await growth())["active"], before["active"] + 1);
    await app.api("DELETE", `/v1/lists/${listId}?force=true`);
    assert.deepEqual((await growth())["data"], before["data"]);
    const gone = sql`select from list_growth where list_id = ${uuidOf("lst", listId)}`;
    await until(async () => (await app.db.many(gone)).length === 0);
    assert.deepEqual((await growth())["data"], before["data"]);
    assert.equal((await app.api("GET", `/v1/stats/growth?list_id=${listId}`)).status, 404);
    const { key } = await app.addAccount();
    const theirs = await app.api("GET", "/v1/stats/growth?days=2", { key });
    assert.deepEqual([theirs.body.active, theirs.body.data.length], [0, 2]);
    for (const bad of ["days=0", "days=367", "time_zone=Mars/Base"])
      assert.equal((await app.api("GET", `/v1/stats/growth?${bad}`)).status, 400, bad);
  });
});
