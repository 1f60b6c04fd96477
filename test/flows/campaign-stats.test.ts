/** These tests cover a campaign's numbers by recipient domain, and by the hour or the day. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { raw } from "sql-template-tag";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, suppress, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const of = async (id: string, path: string): Promise<Json> => {
  const reply = await app.api("GET", `/v1/campaigns/${id}/stats${path}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};

async function sendTo(addresses: readonly string[]): Promise<{ id: string; listId: string; people: Json[] }> {
  const listId = await makeList(app);
  const people: Json[] = [];
  for (const address of addresses) people.push(await addSubscriber(app, listId, address));
  const { id } = await makeCampaign(app, listId);
  assert.equal((await act(app, id, "send")).status, 202);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  return { id, listId, people };
}

const sum = (rows: readonly Json[], what: string) =>
  rows.reduce(
    (all, row) => all + (what.startsWith("bounces.") ? row["bounces"][what.slice(8)] : row[what]),
    0,
  );

describe("statistics by domain", () => {
  it("tell what became of the mail at each, the largest first", async () => {
    await suppress(app, "gone@large.example", "manual");
    const { id } = await sendTo([
      "ada@large.example",
      "bob@LARGE.example",
      "gone@large.example",
      "bounce@large.example",
      "eve@bücher.example",
      "zoe@bücher.example",
      "ida@small.example",
    ]);
    const { object, campaign_id, data, other } = await of(id, "/domains");
    assert.deepEqual([object, campaign_id], ["campaign_domains", id]);
    assert.deepEqual(
      data.map((row: Json) => [row["domain"], row["recipients"], row["sent"], row["failed"], row["skipped"]]),
      [
        ["large.example", 4, 2, 1, 1],
        ["xn--bcher-kva.example", 2, 2, 0, 0],
        ["small.example", 1, 1, 0, 0],
      ],
    );
    const [large] = data;
    assert.deepEqual(large.bounces, { hard: 1, soft: 0, block: 0, total: 1 });
    assert.deepEqual([large.queued, large.delivered, large.deferred], [0, 2, 0]);
    assert.deepEqual([large.rates.delivery, large.rates.bounce], [2 / 3, 1 / 3]);
    assert.equal(other.recipients, 0);
  });

  it("tell what became of the mail at each provider, whatever their customers' domains are called", async () => {
    await app.db.execute(sql`
      insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
      values ('workspace.example', 'mx', array['aspmx.l.google.com', 'alt1.aspmx.l.google.com'], now(), now() - interval '1 day'),
        ('own.example', 'mx', array['mx.own.example'], now(), now() + interval '1 day')`);
    const { id } = await sendTo([
      "ada@gmail.com",
      "bounce@workspace.example",
      "bob@workspace.example",
      "eve@yahoo.com",
      "ida@own.example",
    ]);
    for (const limit of [1, 200]) {
      const { data, providers } = await of(id, `/domains?limit=${limit}`);
      assert.deepEqual([data[0].domain, data[0].provider], ["workspace.example", "google"]);
      assert.deepEqual(
        providers.map((row: Json) => [row["provider"], row["name"], row["domains"], row["recipients"]]),
        [
          ["google", "Gmail and Google Workspace", 2, 3],
          ["yahoo", providers[1].name, 1, 1],
        ],
      );
      const [google] = providers;
      assert.deepEqual([google.sent, google.failed, google.delivered, google.bounces.hard], [2, 1, 2, 1]);
      assert.deepEqual([google.rates.delivery, google.rates.bounce], [2 / 3, 1 / 3]);
    }
    const { data } = await of(id, "/domains");
    const own = data.find(({ domain }: Json) => domain === "own.example");
    assert.equal(own.provider, null);
  });

  it("sum up to the campaign's, whatever the limit, and count the rest together", async () => {
    const names = ["a", "b", "c", "d"];
    const { id } = await sendTo(names.flatMap((name) => [`x@${name}.example`, `bounce@${name}.example`]));
    const whole = await of(id, "");
    for (const limit of [1, 2, 3, 4, 200]) {
      const { data, other } = await of(id, `/domains?limit=${limit}`);
      assert.equal(data.length, Math.min(limit, 4));
      for (const what of ["recipients", "sent", "failed", "unknown", "queued", "bounces.hard"])
        assert.equal(sum([...data, other], what), sum([whole], what), `${what} with ${limit}`);
    }
    for (const limit of ["0", "201", "x"]) {
      const refused = await app.api("GET", `/v1/campaigns/${id}/stats/domains?limit=${limit}`);
      assert.deepEqual([refused.status, refused.body.errors[0].parameter], [400, "limit"]);
    }
  });

  it("stay when subscribers and list are gone", async () => {
    const { id, listId, people } = await sendTo(["ada@stay.example", "bob@stay.example", "eve@go.example"]);
    const sourceId = uuidOf("cmp", id);
    await until(async () => {
      const rows = await app.db.many(sql`select from source_domains where source_id = ${sourceId}`);
      return rows.length === 2;
    });
    const { data, as_of } = await of(id, "/domains");
    assert.deepEqual(
      data.map((row: Json) => [row["domain"], row["sent"]]),
      [
        ["stay.example", 2],
        ["go.example", 1],
      ],
    );
    await app.api("DELETE", `/v1/subscribers/${people[0]?.["id"]}`);
    assert.equal((await app.api("POST", `/v1/subscribers/${people[2]?.["id"]}/forget`)).status, 202);
    await app.api("DELETE", `/v1/lists/${listId}?force=true`);
    assert.deepEqual(await of(id, "/domains"), { ...(await of(id, "/domains")), data, as_of });
  });

  it("are there while it is sent, and count who was deleted meanwhile among the others", async () => {
    const unsent = await createApp({ settings: { ROLES: "api,jobs" } });
    try {
      const listId = await makeList(unsent);
      const person = await addSubscriber(unsent, listId, "ada@run.example");
      await addSubscriber(unsent, listId, "bob@run.example");
      const { id } = await makeCampaign(unsent, listId);
      const read = async (): Promise<Json> =>
        (await unsent.api("GET", `/v1/campaigns/${id}/stats/domains`)).body;
      const draft = await read();
      assert.deepEqual([draft["data"], draft["other"].recipients], [[], 0]);
      await act(unsent, id, "send");
      await until(async () => (await read())["data"][0]?.recipients === 2);
      const running = await read();
      assert.deepEqual([running["data"][0].domain, running["data"][0].queued], ["run.example", 2]);
      await unsent.api("DELETE", `/v1/subscribers/${person["id"]}`);
      await until(async () => {
        const { data, other } = await read();
        return data[0].recipients === 1 && other.recipients === 1 && other.queued === 1;
      });
    } finally {
      await unsent.stop();
    }
  });

  it("of another account's campaign, or of none, are 404", async () => {
    const { key } = await app.addAccount();
    const { id } = await makeCampaign(app, await makeList(app));
    for (const path of ["domains", "timeseries"]) {
      const foreign = await app.api("GET", `/v1/campaigns/${id}/stats/${path}`, { key });
      assert.equal(foreign.status, 404, path);
      const none = await app.api("GET", `/v1/campaigns/cmp_01k9zq4t3xe8k8y0v6d3m2n1pq/stats/${path}`);
      assert.equal(none.status, 404, path);
    }
  });
});

describe("statistics by time", () => {
  const COUNTED = [
    "sent",
    "failed",
    "unknown",
    "bounces.hard",
    "bounces.soft",
    "bounces.block",
    "unsubscribes",
  ];

  it("sum up to the campaign's, and to the ledger's own times", async () => {
    await suppress(app, "gone@time.example", "manual");
    const addresses = ["ada", "bob", "bounce", "defer", "gone"].map((name) => `${name}@time.example`);
    const { id, people } = await sendTo(addresses);
    await app.api("POST", `/v1/subscribers/${people[0]?.["id"]}/unsubscribe`, { body: { campaign_id: id } });
    const whole = await of(id, "");
    const ledger = await app.db.many<{ at: Date; count: number }>(sql`
      select date_bin('15 minutes', changed_at, 'epoch') as at, count(*) as count from deliveries
      where source_id = ${uuidOf("cmp", id)} group by 1`);
    for (const interval of ["hour", "day"]) {
      const series = await of(id, `/timeseries?interval=${interval}&time_zone=Asia/Kathmandu`);
      assert.deepEqual(
        [series["interval"], series["time_zone"], series["has_more"]],
        [interval, "Asia/Kathmandu", false],
      );
      for (const what of COUNTED) assert.equal(sum(series["data"], what), sum([whole], what), what);
      assert.equal(sum(series["data"], "skipped"), whole["skipped"].total);
      for (const { at } of ledger)
        assert.ok(
          series["data"].some(
            (one: Json) => one["start"] <= at.toISOString() && at.toISOString() < one["end"],
          ),
        );
    }
  });

  /** Writes what a worker counted long ago. */
  async function counted(
    rows: readonly (readonly [at: string, what: string, count: number])[],
  ): Promise<string> {
    const listId = await makeList(app);
    const { id } = await makeCampaign(app, listId);
    await app.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at)
      values (${uuidOf("acc", app.accountId)}, ${uuidOf("cmp", id)}, ${uuidOf("cmp", id)}, 'campaign', 'finished',
        ${uuidOf("cmp", id)}, ${uuidOf("lst", listId)},
        'resend', now())`);
    for (const [at, what, count] of rows) {
      await app.db.execute(sql`
        insert into counters_by_time (account_id, source_id, worker_id, what, at, count)
        values (${uuidOf("acc", app.accountId)}, ${uuidOf("cmp", id)}, gen_random_uuid(), ${what}, ${at}, ${count})`);
    }
    return id;
  }

  it("have days as they are in the time zone, and hours with nothing in them", async () => {
    const id = await counted([
      ["2026-10-24T22:45:00Z", "sent", 1],
      ["2026-10-24T23:00:00Z", "sent", 2],
      ["2026-10-25T23:45:00Z", "sent", 4],
      ["2026-10-25T23:45:00Z", "failed", 8],
      ["2026-10-25T23:45:00Z", "bounce.soft", 8],
      ["2026-10-26T00:00:00Z", "skipped.canceled", 16],
    ]);
    const days = await of(id, "/timeseries?interval=day&time_zone=Europe/London");
    assert.deepEqual(
      days["data"].map((one: Json) => [
        one["start"],
        one["sent"],
        one["failed"],
        one["bounces"].total,
        one["skipped"],
      ]),
      [
        ["2026-10-23T23:00:00.000Z", 1, 0, 0, 0],
        ["2026-10-24T23:00:00.000Z", 6, 8, 8, 0],
        ["2026-10-26T00:00:00.000Z", 0, 0, 0, 16],
      ],
    );
    const hours = await of(id, "/timeseries?time_zone=Europe/London");
    assert.equal(hours["data"].length, 27);
    assert.deepEqual(
      hours["data"].filter((one: Json) => one["sent"] > 0).map((one: Json) => [one["start"], one["sent"]]),
      [
        ["2026-10-24T22:00:00.000Z", 1],
        ["2026-10-24T23:00:00.000Z", 2],
        ["2026-10-25T23:00:00.000Z", 4],
      ],
    );
    for (const [at, one] of hours["data"].entries())
      if (at > 0) assert.equal(one.start, hours["data"][at - 1].end, "without a gap");
  });

  it("are of the account's time zone unless it is said", async () => {
    const id = await counted([["2026-11-14T23:30:00Z", "sent", 1]]);
    await app.api("PATCH", "/v1/account", { body: { time_zone: "Asia/Tokyo" } });
    const { time_zone, data } = await of(id, "/timeseries?interval=day");
    await app.api("PATCH", "/v1/account", { body: { time_zone: "UTC" } });
    assert.deepEqual([time_zone, data[0].start], ["Asia/Tokyo", "2026-11-14T15:00:00.000Z"]);
  });

  it("are bounded: so many buckets and then has_more, or a range, which may not be wider", async () => {
    const id = await counted([
      ["2026-01-01T00:00:00Z", "sent", 1],
      ["2026-06-01T00:00:00Z", "sent", 2],
    ]);
    const first = await of(id, "/timeseries?time_zone=UTC");
    assert.deepEqual([first["data"].length, first["has_more"], sum(first["data"], "sent")], [1_000, true, 1]);
    const next = await of(id, "/timeseries?time_zone=UTC&from=2026-05-31T12:00:00Z");
    assert.deepEqual([next["data"].length, next["has_more"], sum(next["data"], "sent")], [13, false, 2]);
    const range = "from=2026-01-01T00:30:00Z&to=2026-01-01T02:00:00Z";
    assert.deepEqual(
      (await of(id, `/timeseries?time_zone=UTC&${range}`))["data"].map((one: Json) => one["sent"]),
      [1, 0, 0],
    );
    const wide = await app.api(
      "GET",
      `/v1/campaigns/${id}/stats/timeseries?from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z`,
    );
    assert.deepEqual(
      [wide.status, wide.body.errors[0].parameter, wide.body.errors[0].code],
      [400, "to", "too_many"],
    );
  });

  it("of a draft are empty, and of what isn't there are 400", async () => {
    const { id } = await makeCampaign(app, await makeList(app));
    assert.deepEqual((await of(id, "/timeseries"))["data"], []);
    for (const query of ["interval=week", "time_zone=Nowhere/Land", "from=yesterday", "colour=red"]) {
      const reply = await app.api("GET", `/v1/campaigns/${id}/stats/timeseries?${query}`);
      assert.deepEqual(
        [reply.status, reply.body.errors[0].parameter],
        [400, query.split("=")[0]],
        reply.text,
      );
    }
  });

  it("of what was sent before they were kept come from the ledger", async () => {
    const { id } = await sendTo(["ada@old.example", "bounce@old.example"]);
    const series = await of(id, "/timeseries");
    await app.db.execute(sql`delete from counters_by_time`);
    const migration = readFileSync("migrations/0024_campaign_numbers.sql", "utf8");
    const [statement = ""] =
      /^insert into counters_by_time .*\nselect [\s\S]*?;$/m.exec(
        migration.slice(migration.indexOf("create trigger")),
      ) ?? [];
    await app.db.execute(raw(statement));
    const { data } = await of(id, "/timeseries");
    for (const what of [...COUNTED, "skipped"])
      assert.equal(sum(data, what), sum(series["data"], what), what);
    assert.deepEqual([sum(data, "sent"), sum(data, "bounces.hard")], [1, 1]);
  });

  it("go when what was counted goes", async () => {
    const { id } = await sendTo(["ada@again.example"]);
    assert.equal(sum((await of(id, "/timeseries"))["data"], "sent"), 1);
    await app.db.execute(sql`delete from counters where source_id = ${uuidOf("cmp", id)}`);
    assert.deepEqual((await of(id, "/timeseries"))["data"], []);
  });
});
