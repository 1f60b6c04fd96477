/** What was counted by provider is asked for over HTTP, rolled up from hours to days, and told of where it is bad. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { watchProviders } from "../../src/deliverability/by-provider/watch.ts";
import { readProviderPoints } from "../../src/delivery/delivery.ts";
import { createFlowDirectory } from "../../src/delivery/reputation/flow-directory.ts";
import { rollUp } from "../../src/delivery/reputation/roll-up.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { assertSpansAgree } from "../support/reputation.ts";
import { uuidOf } from "../support/subscribers.ts";

const TRANSPORT = "01890000-0000-7000-8000-000000000001";
const NIL = "00000000-0000-0000-0000-000000000000";
const WORKERS = ["01890000-0000-7000-8000-0000000000aa", "01890000-0000-7000-8000-0000000000bb"];
const DAY_MS = 86_400_000;

describe("counts by provider, over HTTP", () => {
  let app: TestApp;
  let accountId: string;
  const flows: Record<string, number> = {};
  const dayAt = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  type Counts = Readonly<Record<string, number>>;

  /** Adds to the counts of a flow, at noon so many days ago, by two workers. */
  async function add(flow: string, daysAgo: number, counts: Counts): Promise<void> {
    const names = [
      "accepted",
      "refused",
      "deferred",
      "hard",
      "soft",
      "block",
      "complained",
      "opened",
      "clicked",
    ];
    const values = names.map((name) => counts[name] ?? 0);
    for (const [at, worker] of WORKERS.entries())
      await app.db.execute(sql`
        insert into mail_flow_hours (account_id, hour, flow_id, worker_id, accepted, refused, deferred, hard, soft, block, complained, opened, clicked)
        select ${accountId}, (${`${dayAt(daysAgo)}T12:00:00Z`}::timestamptz), ${flows[flow]}, ${worker}::uuid,
               v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]
        from (select ${values.map((value) => (at === 0 ? value : 0))}::int[] as v) as given`);
  }

  before(async () => {
    app = await createApp();
    accountId = uuidOf("acc", app.accountId);
    const directory = createFlowDirectory(app.db, { now: () => new Date(), monotonicMs: () => 0 });
    const names = [
      ["google", TRANSPORT, "news.example"],
      ["yahoo", TRANSPORT, "news.example"],
      ["yahoo", NIL, "other.example"],
    ] as const;
    for (const [provider, transportId, fromDomain] of names) {
      const flow = { provider, transportId, fromDomain };
      await directory.load(accountId, [flow, flow]);
      flows[`${provider} ${fromDomain}`] = directory.of(accountId, flow) as number;
    }
    await add("google news.example", 0, {
      accepted: 100,
      refused: 2,
      hard: 3,
      deferred: 4,
      opened: 30,
      clicked: 5,
    });
    await add("google news.example", 20, { accepted: 50, opened: 10 });
    await add("yahoo news.example", 20, { accepted: 40, soft: 1 });
    await add("yahoo other.example", 0, { accepted: 10, complained: 1 });
    await add("yahoo other.example", 390, { accepted: 7 });
    await add("yahoo other.example", 500, { accepted: 5 });
  });
  after(() => app.stop());

  const ask = async (query = "") => {
    const answer = await app.api("GET", `/v1/deliverability/providers${query}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as {
      from: string;
      to: string;
      totals: Record<string, unknown>;
      data: {
        provider: string;
        name: string;
        totals: Record<string, unknown>;
        points: Record<string, unknown>[];
      }[];
      senders: { transport_id: string | null; domain: string }[];
    };
  };
  const sentOf = ({ data }: Awaited<ReturnType<typeof ask>>) =>
    Object.fromEntries(data.map(({ provider, totals }) => [provider, totals["sent"]]));

  test("are those of the last 30 days by provider, the largest first, and complaints to Gmail are unknown", async () => {
    const { data, totals, senders, from, to } = await ask();
    assert.deepEqual([from, to], [dayAt(29), dayAt(0)]);
    assert.deepEqual(
      data.map(({ provider, name }) => [provider, name]),
      [
        ["google", "Gmail and Google Workspace"],
        ["yahoo", "Yahoo and AOL"],
      ],
    );
    const [google, yahoo] = data;
    assert.deepEqual(google?.totals, {
      sent: 150,
      delivered: 149,
      deferred: 4,
      bounces: { hard: 3, soft: 0, block: 0, total: 3 },
      complaints: null,
      opened: 40,
      clicked: 5,
    });
    assert.equal(yahoo?.totals["complaints"], 1);
    assert.equal(yahoo?.points.length, 2);
    assert.equal(yahoo?.points[0]?.["at"], `${dayAt(20)}T00:00:00.000Z`);
    assert.equal(totals["complaints"], 1);
    assert.deepEqual(senders, [
      { transport_id: null, domain: "other.example" },
      { transport_id: toPublicId("trn", TRANSPORT), domain: "news.example" },
    ]);
  });

  test("can be asked for by transport, domain, provider and interval", async () => {
    assert.deepEqual(sentOf(await ask(`?transport_id=${toPublicId("trn", TRANSPORT)}`)), {
      google: 150,
      yahoo: 40,
    });
    assert.deepEqual(sentOf(await ask(`?transport_id=${toPublicId("trn", NIL)}`)), { yahoo: 10 });
    const body = { name: "New", host: "smtp.example.com" };
    const unused = await app.api("POST", "/v1/transports", { body });
    assert.deepEqual(sentOf(await ask(`?transport_id=${unused.body.id}`)), {}, "it sent nothing yet");
    assert.deepEqual(sentOf(await ask("?domain=Other.example")), { yahoo: 10 });
    assert.deepEqual(sentOf(await ask("?provider=google")), { google: 150 });
    assert.deepEqual(sentOf(await ask(`?from=${dayAt(395)}&interval=month`)), { google: 150, yahoo: 57 });
    const hourly = await ask("?interval=hour");
    assert.equal(hourly.data[0]?.points[0]?.["at"], `${dayAt(0)}T12:00:00.000Z`);
  });

  test("refuse what can't be asked", async () => {
    const refused = [
      ["from=2026-02-31", "from", "invalid_day"],
      [`from=${dayAt(0)}&to=${dayAt(1)}`, "from", "invalid_range"],
      [`from=${dayAt(400)}`, "from", "invalid_range"],
      [`interval=hour&from=${dayAt(9)}`, "from", "invalid_range"],
      ["provider=nobody", "provider", "not_found"],
      ["transport_id=trn_01k9zq4t3xe8k8y0v6d3m2n1pq", "transport_id", "not_found"],
    ] as const;
    for (const [query, parameter, code] of refused) {
      const { status, body } = await app.api("GET", `/v1/deliverability/providers?${query}`);
      assert.equal(status, 400, query);
      const [fault] = (body as { errors: { parameter: string; code: string }[] }).errors;
      assert.deepEqual([fault?.parameter, fault?.code], [parameter, code], query);
    }
    assert.equal((await app.api("GET", "/v1/deliverability/providers?interval=year")).status, 400);
  });

  test("are the same after hours became days, a piece at a time, and what is too old is gone", async () => {
    const before = await ask(`?from=${dayAt(395)}`);
    const span = { from: dayAt(20), to: dayAt(20) };
    const read = () => readProviderPoints(app.db, accountId, span, "day", { transportId: TRANSPORT });
    const days = await read();
    await rollUp(app.db, new Date(), { aborted: false }, 2);
    assert.deepEqual(await ask(`?from=${dayAt(395)}`), before);
    assert.deepEqual(await read(), days);
    assert.deepEqual(
      days.map(({ provider, accepted }) => [provider, accepted]),
      [
        ["google", 50],
        ["yahoo", 40],
      ],
    );
    const { hours, days: rolled } = await app.db.one<{ hours: number; days: number }>(sql`
      select (select count(*) from mail_flow_hours where account_id = ${accountId}) as hours,
             (select count(*) from mail_flow_days where account_id = ${accountId}) as days`);
    assert.deepEqual([hours, rolled], [4, 3]);
    await assertSpansAgree(app.db);
    await add("google news.example", 20, { opened: 2 });
    await rollUp(app.db, new Date(), { aborted: false }, 2);
    assert.equal((await ask("?provider=google")).data[0]?.totals["opened"], 42);
    await assertSpansAgree(app.db);
  });

  test("are by the hour, week and month what they were before hours became days, however often and in whatever pieces", async () => {
    const intervals = ["hour", "day", "week", "month"] as const;
    const ranges = [0, 1, 3, 6, 7].flatMap((first) => [0, 2].map((last) => ({ first, last })));
    const whole = [...ranges, { first: 45, last: 0 }, { first: 80, last: 11 }, { first: 395, last: 1 }];
    const answers = async () => {
      const all: unknown[] = [];
      for (const interval of intervals)
        for (const { first, last } of interval === "hour" ? ranges : whole)
          if (first >= last)
            all.push((await ask(`?interval=${interval}&from=${dayAt(first)}&to=${dayAt(last)}`)).data);
      return all;
    };
    for (let daysAgo = 1; daysAgo < 70; daysAgo++) {
      await add("google news.example", daysAgo, { accepted: 2 * daysAgo + 1, deferred: 1 });
      if (daysAgo % 3 === 0) await add("yahoo other.example", daysAgo, { accepted: daysAgo + 1, soft: 1 });
    }
    const before = await answers();
    for (const piece of [3, 50, 2_000]) {
      await rollUp(app.db, new Date(), { aborted: false }, piece);
      assert.deepEqual(await answers(), before);
      await assertSpansAgree(app.db);
    }
    for (const daysAgo of [2, 5, 33]) await add("google news.example", daysAgo, { opened: 1, clicked: 1 });
    const later = await answers();
    await rollUp(app.db, new Date(), { aborted: false }, 2);
    assert.deepEqual(await answers(), later);
    await assertSpansAgree(app.db);
  });

  test("are the same at every moment while hours become days, also by two jobs at once", async () => {
    for (let daysAgo = 2; daysAgo < 40; daysAgo++) await add("google news.example", daysAgo, { accepted: 5 });
    const paths = ["week", "month", "day"].map((interval) => `?interval=${interval}&from=${dayAt(60)}`);
    const first = await Promise.all(paths.map(ask));
    let isOver = false;
    const folding = Promise.all([1, 2].map(() => rollUp(app.db, new Date(), { aborted: false }, 1))).then(
      () => {
        isOver = true;
      },
    );
    do assert.deepEqual(await Promise.all(paths.map(ask)), first);
    while (!isOver);
    await folding;
    await assertSpansAgree(app.db);
  });

  test("are added up to weeks and months also by a process that knows of days alone", async () => {
    await app.db.execute(sql`
      insert into mail_flow_days as known (account_id, day, flow_id, accepted)
      values (${accountId}, ${dayAt(100)}::date, ${flows["google news.example"]}, 4)
      on conflict (account_id, day, flow_id) do update set accepted = known.accepted + excluded.accepted`);
    await app.db.execute(sql`
      update mail_flow_days set accepted = accepted + 3 where account_id = ${accountId} and day = ${dayAt(100)}::date`);
    await assertSpansAgree(app.db);
    const sent = async () => sentOf(await ask(`?interval=month&from=${dayAt(390)}`))["google"] as number;
    const before = await sent();
    await app.db.execute(
      sql`delete from mail_flow_days where account_id = ${accountId} and day = ${dayAt(100)}::date`,
    );
    assert.equal(await sent(), before - 7);
    await assertSpansAgree(app.db);
  });

  test("open an alert at the provider where mail fares badly, and close it when that is over", async () => {
    const log = createLog({ level: "silent", pretty: false });
    const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
    const watch = () => app.db.transaction((tx) => watchProviders(systemCtx({ clock, log }, tx, accountId)));
    const alerts = async () => {
      const { body } = await app.api("GET", "/v1/deliverability/alerts?kind=provider");
      return (body as { data: { title: string; status: string; severity: string; detail: string }[] }).data;
    };
    await watch();
    assert.deepEqual(await alerts(), []);
    // Yesterday's noon, at which the tests before this one counted, is within the last day only until today's noon.
    await app.db.execute(sql`
      delete from mail_flow_hours
      where account_id = ${accountId} and flow_id = ${flows["google news.example"]} and accepted <> 100`);
    await app.db.execute(sql`
      update mail_flow_hours set deferred = 60, hour = date_trunc('hour', now())
      where account_id = ${accountId} and flow_id = ${flows["google news.example"]} and accepted = 100`);
    await watch();
    await watch();
    const [alert, ...others] = await alerts();
    assert.deepEqual(others, []);
    assert.deepEqual([alert?.status, alert?.severity], ["open", "critical"]);
    assert.match(alert?.title ?? "", /^Gmail and Google Workspace: your mail from news\.example/);
    assert.match(alert?.detail ?? "", /60 of 162 attempts \(37\.04%\) were put off/);
    await app.db.execute(sql`
      update mail_flow_hours set deferred = 0
      where account_id = ${accountId} and flow_id = ${flows["google news.example"]} and accepted = 100`);
    await watch();
    assert.equal((await alerts())[0]?.status, "closed");
  });
});
