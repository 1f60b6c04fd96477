/** The caps of a transport around midnight of UTC, where the machine and the database live by clocks of their own that are set forward and back. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTransportCaps } from "../../src/delivery/pacing/transport-caps.ts";
import { readWarmup } from "../../src/delivery/warmup/plans.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { uuidOf } from "../support/subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
const zone = process.env["TZ"];
let app: TestApp;
/** A database whose days begin 13 hours and three quarters before those of UTC. */
let elsewhere: Db;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  const url = new URL(app.databaseUrl);
  url.searchParams.set("options", "-c TimeZone=Pacific/Chatham");
  elsewhere = createDb({
    connection: url.href,
    poolSize: 3,
    applicationName: "test",
    log,
    statementTimeoutMs: 30_000,
  });
});
after(async () => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
  await elsewhere.close();
  await app.stop();
});

/** In Berlin the clocks are set on these days; the last one is like any other, in a machine that lives by UTC. */
const nights = [
  { name: "before the clocks are set forward", zone: "Europe/Berlin", evening: "2027-03-27" },
  { name: "after the clocks were set forward", zone: "Europe/Berlin", evening: "2027-03-28" },
  { name: "after the clocks were set back", zone: "Europe/Berlin", evening: "2027-10-31" },
  { name: "like any other", zone: "UTC", evening: "2027-12-31" },
];

for (const night of nights)
  test(`a right of the evening is none after midnight, in a night ${night.name}`, async () => {
    process.env["TZ"] = night.zone;
    const accountId = uuidOf("acc", app.accountId);
    const made = await app.api("POST", "/v1/transports", {
      body: { name: "Ours", host: "smtp.example.com", max_per_day: 5, streams: ["campaign"] },
    });
    assert.equal(made.status, 201, made.text);
    const transportId = uuidOf("trn", made.body.id);
    const transport = { accountId, transportId, hasPlan: true, hasMost: true };
    let now = new Date(`${night.evening}T12:00:00Z`);
    const clock = { now: () => now, monotonicMs: () => performance.now() };
    await app.db.execute(sql`
      insert into warmup_plans (account_id, transport_id, start_per_day, growth, target_per_day, began_at, updated_at)
      values (${accountId}, ${transportId}, 4, 1.5, 100, ${now}, ${now})`);
    const caps = createTransportCaps({ db: elsewhere, clock });
    const take = () =>
      caps.take(
        transport,
        false,
        Array.from({ length: 6 }, () => "google"),
      );

    now = new Date(`${night.evening}T23:59:59.999Z`);
    const evening = await take();
    const rights = evening.filter((one) => typeof one !== "string");
    assert.deepEqual([rights.length, evening.at(-1)], [4, "provider_used_up"]);
    assert.ok(rights.every((one) => one.isValid()));
    const [used] = rights;
    used?.spend();
    const midnight = new Date(now.getTime() + 1);
    now = midnight;
    assert.ok(rights.every((one) => !one.isValid()));
    for (const right of rights) right.end();
    await caps.giveBack(transport);
    const next = (await take()).filter((one) => typeof one !== "string");
    assert.equal(next.length, 4, "as many as the day before, of which little was used");

    const days = await elsewhere.many(sql`
      select day::text, provider, allowed, drawn from transport_days
      where account_id = ${accountId} and transport_id = ${transportId} order by day, provider`);
    const morning = midnight.toISOString().slice(0, 10);
    assert.deepEqual(
      days.map((one) => ({ ...one })),
      [
        { day: night.evening, provider: "*", allowed: 5, drawn: 1 },
        { day: night.evening, provider: "google", allowed: 4, drawn: 1 },
        { day: morning, provider: "*", allowed: 5, drawn: 4 },
        { day: morning, provider: "google", allowed: 4, drawn: 4 },
      ],
    );
    const shown = await elsewhere.transaction((tx) =>
      readWarmup(systemCtx({ clock, log }, tx, accountId), transportId),
    );
    assert.deepEqual(
      shown.providers.map(({ days: own }) => own.map(({ day, sent }) => [day, sent])),
      [
        [
          [night.evening, 1],
          [morning, 4],
        ],
      ],
    );
    // A clock that is set back over midnight finds what is left of the evening's cap, and no more.
    now = new Date(midnight.getTime() - 1);
    assert.equal((await take()).filter((one) => typeof one !== "string").length, 3);
  });
