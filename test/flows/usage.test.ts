/** Usage is read over HTTP: in days of the account's time zone, by campaign, with its cost, and by nobody else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { addUsage, assertUsageAgrees } from "../support/usage.ts";

/** The 16th of November, at noon in Berlin. */
const clock = createTestClock(new Date("2026-11-16T11:00:00Z"));

describe("usage, over HTTP", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ clock, settings: { RELAY_PRICE_PER_1000: "0.10", RELAY_PRICE_CURRENCY: "EUR" } });
  });
  after(() => app.stop());

  /** An account in this time zone, which is old, and a function that asks for its usage. */
  async function accountIn(timeZone: string) {
    const { accountId, key } = await app.addAccount();
    await app.db.execute(sql`
      update accounts set time_zone = ${timeZone}, created_at = '2024-01-01' where account_id = ${accountId}`);
    const ask = async (path = "") => {
      const reply = await app.api("GET", `/v1/usage${path}`, { key });
      assert.equal(reply.status, 200, reply.text);
      return reply.body as Json;
    };
    return { accountId, key, ask };
  }

  test("is nothing where nothing was sent", async () => {
    const { ask } = await accountIn("UTC");
    const usage = await ask();
    assert.deepEqual(usage, {
      object: "usage",
      from: "2026-11-01",
      to: "2026-11-30",
      time_zone: "UTC",
      starts_at: "2026-11-01T00:00:00.000Z",
      ends_at: "2026-12-01T00:00:00.000Z",
      as_of: "2026-11-16T11:00:00.000Z",
      sent: 0,
      sandbox: 0,
      by_stream: { campaign: 0, transactional: 0, automation: 0 },
      by_via: { instance: 0, own: 0 },
      cost: { amount: "0.00", currency: "EUR", per_1000: "0.10" },
      month: {
        from: "2026-11-01",
        to: "2026-11-30",
        sent: 0,
        cost: { amount: "0.00", currency: "EUR", per_1000: "0.10" },
        forecast: { sent: 0, cost: { amount: "0.00", currency: "EUR", per_1000: "0.10" } },
      },
      allowance: null,
    });
    const series = await ask("/timeseries");
    assert.deepEqual(
      [series["data"].length, series["data"].every(({ sent }: Json) => sent === 0)],
      [30, true],
    );
    assert.deepEqual((await ask("/campaigns")).data, []);
  });

  test("is summed up by stream and by whose server it left by; the sandbox is free", async () => {
    const { accountId, ask } = await accountIn("UTC");
    await addUsage(app.db, accountId, { "2026-11-02T10:00:00Z": 1_000 }, { workerId: newId(clock) });
    await addUsage(app.db, accountId, { "2026-11-02T10:00:00Z": 234 }, { workerId: newId(clock) });
    await addUsage(app.db, accountId, { "2026-11-03T10:00:00Z": 60 }, { stream: "transactional" });
    await addUsage(app.db, accountId, { "2026-11-03T10:00:00Z": 6 }, { stream: "automation", via: "own" });
    await addUsage(app.db, accountId, { "2026-11-03T10:00:00Z": 500 }, { via: "sandbox" });
    const usage = await ask();
    assert.deepEqual([usage["sent"], usage["sandbox"]], [1_300, 500]);
    assert.deepEqual(usage["by_stream"], { campaign: 1_234, transactional: 60, automation: 6 });
    assert.deepEqual(usage["by_via"], { instance: 1_294, own: 6 });
    assert.equal(usage["cost"].amount, "0.13");
    // 14.54 days are left of it, and 1,300 were sent in the last 28.
    assert.equal(usage["month"].forecast.sent, 1_975);
    assert.equal(usage["month"].forecast.cost.amount, "0.1975");
    const earlier = await ask("?from=2026-10-01&to=2026-10-31");
    assert.deepEqual([earlier["sent"], earlier["month"].sent], [0, 1_300]);
  });

  test("follows the account's time zone where clocks change", async () => {
    const { accountId, ask } = await accountIn("Europe/Berlin");
    await addUsage(app.db, accountId, {
      // The last and the first hour of a month, in Berlin.
      "2026-10-31T22:00:00Z": 1,
      "2026-10-31T23:00:00Z": 2,
      // 25 hours of a day: it begins at 22:00 and ends at 23:00.
      "2026-10-24T21:00:00Z": 10,
      "2026-10-24T22:00:00Z": 20,
      "2026-10-25T22:00:00Z": 40,
      "2026-10-25T23:00:00Z": 80,
    });
    assert.equal((await ask("?from=2026-10-01&to=2026-10-31"))["sent"], 151);
    assert.equal((await ask())["sent"], 2);
    const series = await ask("/timeseries?interval=day&from=2026-10-24&to=2026-10-26");
    assert.deepEqual(
      series["data"].map(({ at, sent }: Json) => [at, sent]),
      [
        ["2026-10-23T22:00:00.000Z", 10],
        ["2026-10-24T22:00:00.000Z", 60],
        ["2026-10-25T23:00:00.000Z", 80],
      ],
    );
    const hours = await ask("/timeseries?interval=hour&from=2026-10-25&to=2026-10-25");
    assert.deepEqual([hours["data"].length, hours["data"][0].sent, hours["data"][24].sent], [25, 20, 40]);
    const months = await ask("/timeseries?interval=month");
    assert.deepEqual([months["data"].length, months["data"][10].sent, months["data"][11].sent], [12, 151, 2]);
    assert.equal(months["data"][11].at, "2026-10-31T23:00:00.000Z");
  });

  test("puts an hour into the day in which it begins, where a zone is off by half an hour", async () => {
    const { accountId, ask } = await accountIn("Asia/Kolkata");
    await addUsage(app.db, accountId, { "2026-11-09T18:00:00Z": 1, "2026-11-09T19:00:00Z": 2 });
    const { data } = await ask("/timeseries?from=2026-11-09&to=2026-11-10");
    assert.deepEqual(
      data.map(({ sent }: Json) => sent),
      [1, 2],
    );
    assert.equal((await ask("?from=2026-11-09&to=2026-11-09"))["sent"], 1);
  });

  test("adds up to the same by hour, by day, by month and as a whole", async () => {
    const { accountId, ask } = await accountIn("America/St_Johns");
    const hours = Array.from({ length: 30 * 24 }, (_, n) => [
      new Date(Date.parse("2026-10-20T00:00:00Z") + n * 3_600_000).toISOString(),
      (n * 7) % 13,
    ]);
    await addUsage(app.db, accountId, Object.fromEntries(hours));
    const range = "from=2026-10-21&to=2026-11-15";
    const { sent, cost } = await ask(`?${range}`);
    assert.ok(sent > 1_000);
    for (const interval of ["hour", "day", "month"]) {
      const { data } = await ask(`/timeseries?interval=${interval}&${range}`);
      assert.equal(
        data.reduce((sum: number, one: Json) => sum + one["sent"], 0),
        sent,
        interval,
      );
      const nanos = data.reduce(
        (sum: bigint, one: Json) => sum + BigInt(Math.round(Number(one["cost"].amount) * 1e9)),
        0n,
      );
      assert.equal(nanos, BigInt(Math.round(Number(cost.amount) * 1e9)), interval);
    }
  });

  test("by campaign is what its stats say, page by page", async () => {
    const listId = await makeList(app);
    for (const name of ["ada", "bea", "cleo"]) await addSubscriber(app, listId, `${name}@usage.example`);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      clock.advance(60_000);
      ids.unshift(await sendCampaign(app, listId, { name: `News ${n}` }));
    }
    await makeCampaign(app, listId);
    await assertUsageAgrees(app.db, uuidOf("acc", app.accountId));
    const page = async (query: string) => (await app.api("GET", `/v1/usage/campaigns${query}`)).body as Json;
    const first = await page("?limit=2&include_total=true");
    assert.deepEqual([first["data"].length, first["has_more"], first["total"]], [2, true, 3]);
    const rest = await page(`?limit=2&cursor=${first["next_cursor"]}`);
    const all = [...first["data"], ...rest["data"]];
    assert.deepEqual(
      all.map(({ campaign_id }) => campaign_id),
      ids,
    );
    for (const one of all) {
      const stats = (await app.api("GET", `/v1/campaigns/${one.campaign_id}/stats`)).body;
      assert.equal(one.sent + one.sandbox, stats.sent);
      assert.deepEqual([one.object, one.sandbox, one.cost.amount], ["campaign_usage", 3, "0.00"]);
    }
    // Of campaigns that left by a server, all is charged.
    await app.db.execute(sql`
      update sources set transport_id = '00000000-0000-0000-0000-000000000000' where owner_id = ${uuidOf("cmp", ids[0] ?? "")}`);
    const [charged] = (await page("?limit=1"))["data"];
    assert.deepEqual([charged.sent, charged.sandbox, charged.cost.amount], [3, 0, "0.0003"]);
    assert.deepEqual((await page("?from=2026-10-01&to=2026-10-31"))["data"], []);
    const usage = (await app.api("GET", "/v1/usage")).body;
    assert.deepEqual([usage.sent, usage.sandbox], [0, 9], "what the sandbox caught stays free");
  });

  test("of another account isn't shown, and an operator sees that of each", async () => {
    const [one, other] = [await accountIn("UTC"), await accountIn("Europe/Berlin")];
    await addUsage(app.db, one.accountId, { "2026-11-02T10:00:00Z": 77 });
    assert.equal((await other.ask())["sent"], 0);
    const instanceKey = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
    const path = `/v1/instance/accounts/${toPublicId("acc", one.accountId)}/usage`;
    const seen = await app.api("GET", `${path}?from=2026-11-01&to=2026-11-02`, { key: instanceKey });
    assert.deepEqual([seen.status, seen.body.sent], [200, 77]);
    assert.equal((await app.api("GET", path, { key: one.key })).status, 404);
    const unknown = `/v1/instance/accounts/${toPublicId("acc", newId(clock))}/usage`;
    assert.equal((await app.api("GET", unknown, { key: instanceKey })).status, 404);
  });

  test("is for keys with its scope alone", async () => {
    const reader = await app.addKey(["usage:read"]);
    assert.equal((await app.api("GET", "/v1/usage", { key: reader })).status, 200);
    const other = await app.addKey(["campaigns:read"]);
    assert.equal((await app.api("GET", "/v1/usage", { key: other })).status, 403);
  });

  test("refuses days that are none, ranges that are too long, and what it doesn't know", async () => {
    const CASES: readonly (readonly [path: string, parameter: string])[] = [
      ["?from=2026-02-30", "from"],
      ["?from=yesterday", "from"],
      ["?to=2026-13-01", "to"],
      ["?from=2026-11-02&to=2026-11-01", "from"],
      ["?from=2026-12-01", "from"],
      ["?from=2020-01-01&to=2026-11-01", "from"],
      ["?month=2026-11", "month"],
      ["/timeseries?interval=week", "interval"],
      ["/timeseries?interval=hour&from=2026-09-01", "from"],
      ["/timeseries?interval=day&from=2025-01-01", "from"],
      ["/timeseries?interval=month&from=2020-01-01", "from"],
      ["/campaigns?limit=0", "limit"],
      ["/campaigns?from=2020-01-01", "from"],
    ];
    for (const [path, parameter] of CASES) {
      const reply = await app.api("GET", `/v1/usage${path}`);
      assert.deepEqual([reply.status, reply.body.errors?.[0]?.parameter], [400, parameter], path);
    }
    const cursor = await app.api("GET", "/v1/usage/campaigns?cursor=abc");
    assert.deepEqual([cursor.status, cursor.body.code], [400, "invalid_cursor"]);
  });
});

describe("usage without a price", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ clock });
  });
  after(() => app.stop());

  test("has no cost", async () => {
    const { cost, month } = (await app.api("GET", "/v1/usage")).body;
    assert.deepEqual([cost, month.cost, month.forecast.cost], [null, null, null]);
    const { data } = (await app.api("GET", "/v1/usage/timeseries")).body;
    assert.equal(data[0].cost, null);
  });
});
