/** The warm-up of a transport over HTTP: made, changed, paused, resumed, ended, and refused where it makes no sense. */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { drawFromDay, openDay, removeOldTransportDays } from "../../src/delivery/warmup/day-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { uuidOf } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
});
after(() => app.stop());

const plan = { start_per_day: 200, growth: 1.5, target_per_day: 50_000 };

async function addTransport(key?: string): Promise<string> {
  const body = { name: "Ours", host: "smtp.example.com", streams: ["campaign"] };
  const made = await app.api("POST", "/v1/transports", { body, ...(key && { key }) });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

it("is made, seen, changed, paused, resumed and ended", async () => {
  const id = await addTransport();
  const path = `/v1/transports/${id}/warmup`;
  assert.equal((await app.api("GET", path)).status, 404);
  const made = await app.api("PUT", path, { body: plan });
  assert.equal(made.status, 200, made.text);
  const { began_at, updated_at, ...rest } = made.body;
  assert.ok(began_at && updated_at);
  assert.deepEqual(rest, {
    object: "warmup",
    transport_id: id,
    status: "running",
    ...plan,
    paused_at: null,
    providers: [],
  });
  assert.deepEqual((await app.api("GET", path)).body, made.body);
  assert.equal((await app.api("GET", `/v1/transports/${id}`)).body.has_warmup, true);
  const paused = await app.api("POST", `${path}/pause`);
  assert.equal(paused.body.status, "paused");
  assert.deepEqual((await app.api("POST", `${path}/pause`)).body, paused.body, "twice is once");
  const changed = await app.api("PUT", path, { body: { ...plan, growth: 1.2 } });
  assert.deepEqual(
    [changed.body.growth, changed.body.status, changed.body.began_at],
    [1.2, "paused", began_at],
  );
  assert.equal((await app.api("POST", `${path}/resume`)).body.paused_at, null);
  assert.equal((await app.api("DELETE", path)).status, 204);
  for (const [method, where] of [
    ["GET", path],
    ["DELETE", path],
    ["POST", `${path}/pause`],
    ["POST", `${path}/resume`],
  ] as const)
    assert.equal((await app.api(method, where)).status, 404, where);
  assert.equal((await app.api("GET", `/v1/transports/${id}`)).body.has_warmup, false);
});

it("that is made anew shows the day that had begun, whose caps stay", async () => {
  const id = await addTransport();
  const path = `/v1/transports/${id}/warmup`;
  await app.api("PUT", path, { body: plan });
  const today = systemClock.now().toISOString().slice(0, 10);
  const place = { accountId: uuidOf("acc", app.accountId), transportId: uuidOf("trn", id), day: today };
  await openDay(app.db, place, ["google"]);
  await app.api("DELETE", path);
  const anew = await app.api("PUT", path, { body: { ...plan, start_per_day: 50 } });
  const shown = anew.body.providers.map((one: { provider: string; per_day: number; days: unknown[] }) => [
    one.provider,
    one.per_day,
    one.days.length,
  ]);
  assert.deepEqual(shown, [["google", 200, 1]]);
});

it("says why a day allows what it does, and what the next one will", async () => {
  const id = await addTransport();
  const path = `/v1/transports/${id}/warmup`;
  await app.api("PUT", path, { body: plan });
  const place = { accountId: uuidOf("acc", app.accountId), transportId: uuidOf("trn", id) };
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const stepOf = async () => {
    const [google] = (await app.api("GET", path)).body.providers;
    return [google.per_day, google.reason, google.next];
  };
  /** What became of a day's mail. */
  const tell = (day: string, drawn: number, hard: number, deferred: number) =>
    app.db.execute(sql`
      update transport_days set drawn = ${drawn}, hard = ${hard}, deferred = ${deferred}
      where transport_id = ${place.transportId} and day = ${day}::date`);
  await openDay(app.db, { ...place, day: dayIn(0) }, ["google"]);
  assert.deepEqual(await stepOf(), [200, "first_day", { per_day: 200, reason: "too_little_sent" }]);
  await tell(dayIn(0), 200, 0, 0);
  assert.deepEqual(await stepOf(), [200, "first_day", { per_day: 300, reason: "good_day" }]);
  await openDay(app.db, { ...place, day: dayIn(1) }, ["google"]);
  await tell(dayIn(1), 300, 9, 0);
  assert.deepEqual(await stepOf(), [300, "good_day", { per_day: 300, reason: "hard_bounces" }]);
  await openDay(app.db, { ...place, day: dayIn(2) }, ["google"]);
  await tell(dayIn(2), 250, 0, 50);
  assert.deepEqual(await stepOf(), [300, "hard_bounces", { per_day: 300, reason: "deferrals" }]);
  await app.api("POST", `${path}/pause`);
  assert.deepEqual((await stepOf())[2], { per_day: 300, reason: "paused" });
});

it("that is edited in the middle of a day keeps that day's caps, and the next follows the new plan", async () => {
  const id = await addTransport();
  const path = `/v1/transports/${id}/warmup`;
  const put = async (change: object) => {
    const answer = await app.api("PUT", path, { body: { ...plan, ...change } });
    assert.equal(answer.status, 200, answer.text);
  };
  const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const on = (days: number) => ({
    accountId: uuidOf("acc", app.accountId),
    transportId: uuidOf("trn", id),
    day: dayIn(days),
  });
  const draw = async (days: number, provider: string, count: number) => {
    await openDay(app.db, on(days), [provider]);
    const drawn = await drawFromDay(app.db, on(days), {
      wanted: new Map([[provider, count]]),
      isUrgent: false,
    });
    return drawn.get(provider)?.granted;
  };
  await put({});
  assert.equal(await draw(0, "google", 150), 150);
  await put({ start_per_day: 10, growth: 1.2, target_per_day: 100 });
  assert.equal(await draw(0, "google", 1_000), 50, "the rest of the day that had begun");
  assert.equal(await draw(0, "yahoo", 1_000), 10, "a provider whose day hadn't");
  await put({ start_per_day: 5_000, growth: 1.9 });
  assert.deepEqual([await draw(0, "google", 9), await draw(0, "yahoo", 9)], [0, 0]);
  await app.api("POST", `${path}/pause`);
  assert.equal(await draw(1, "google", 9_000), 5_000, "never less than the new plan's first day");
  await put({ start_per_day: 10, target_per_day: 100 });
  assert.equal(await draw(2, "google", 9_000), 100, "nor more than its end");
  assert.equal(await draw(1, "google", 1), 0, "and a clock that goes back finds the day as it was");
});

it("refuses a plan that doesn't grow, grows too fast, or ends before it begins", async () => {
  const path = `/v1/transports/${await addTransport()}/warmup`;
  const refused: readonly [object, string][] = [
    [{ growth: 0 }, "/growth"],
    [{ growth: 1 }, "/growth"],
    [{ growth: 2 }, "/growth"],
    [{ growth: 2.5 }, "/growth"],
    [{ growth: -1.5 }, "/growth"],
    [{ growth: "NaN" }, "/growth"],
    [{ growth: Number.NaN }, "/growth"],
    [{ start_per_day: 0 }, "/start_per_day"],
    [{ start_per_day: 1.5 }, "/start_per_day"],
    [{ start_per_day: 10_000_001 }, "/start_per_day"],
    [{ target_per_day: 199 }, "/target_per_day"],
    [{ more: 1 }, "/more"],
  ];
  for (const [wrong, pointer] of refused) {
    const answer = await app.api("PUT", path, { body: { ...plan, ...wrong } });
    assert.equal(answer.status, 422, answer.text);
    assert.equal(answer.body.errors[0].pointer, pointer, answer.text);
  }
  assert.equal((await app.api("GET", path)).status, 404);
  for (const most of [0, -1, 1.5, "many"]) {
    const body = { max_per_day: most };
    assert.equal((await app.api("PATCH", path.replace("/warmup", ""), { body })).status, 422);
  }
});

it("says on about how many days a campaign would leave", async () => {
  const { accountId, key } = await app.addAccount();
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await app.api(method, path, { key, ...(body !== undefined && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const id = await addTransport(key);
  const list = await ask("POST", "/v1/lists", { name: "Readers" });
  for (const n of Array.from({ length: 12 }).keys())
    await ask("POST", "/v1/subscribers", {
      list_id: list.id,
      email: `reader${n}@gmail.com`,
    });
  const campaign = { name: "News", list_id: list.id, subject: "News", html: "<p>News</p>" };
  const { id: campaignId } = await ask("POST", "/v1/campaigns", campaign);
  const days = async () => (await ask("GET", `/v1/campaigns/${campaignId}/audience`)).takes_days;
  assert.equal(await days(), null);
  await ask("PATCH", `/v1/transports/${id}`, { max_per_day: 5 });
  assert.equal(await days(), 3);
  await ask("PATCH", `/v1/transports/${id}`, { max_per_day: null });
  await ask("PUT", `/v1/transports/${id}/warmup`, { start_per_day: 4, growth: 1.5, target_per_day: 100 });
  assert.equal(await days(), 3, "4, 6, 9");
  for (const n of Array.from({ length: 12 }).keys())
    await ask("POST", "/v1/subscribers", { list_id: list.id, email: `worker${n}@company.example` });
  assert.equal(await days(), 3, "others have a cap of their own");
  await app.db.execute(sql`
    insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
    values ('company.example', 'mx', '{aspmx.l.google.com}', now(), now() + interval '1 day')`);
  assert.equal(await days(), 4, "4, 6, 9 and 13 of 24, for they are at Google too");
  await app.db.execute(sql`update accounts set daily_mail_limit = 2 where account_id = ${accountId}`);
  assert.equal(await days(), 12, "two a day");
  await ask("DELETE", `/v1/transports/${id}/warmup`);
  assert.equal(await days(), 12);
});

it("keeps its days for 13 months", async () => {
  const id = await addTransport();
  await app.api("PUT", `/v1/transports/${id}/warmup`, { body: plan });
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const of = { accountId: uuidOf("acc", app.accountId), transportId: uuidOf("trn", id) };
  for (const days of [397, 396, 30]) await openDay(app.db, { ...of, day: dayAgo(days) }, ["google"]);
  await removeOldTransportDays(app.db, new Date());
  const left = await app.db.many<{ day: string }>(
    sql`select day::text from transport_days where transport_id = ${of.transportId} order by day`,
  );
  assert.deepEqual(
    left.map(({ day }) => day),
    [dayAgo(396), dayAgo(30)],
  );
});

it("belongs to its account, and goes with its transport", async () => {
  const id = await addTransport();
  const path = `/v1/transports/${id}/warmup`;
  const { key } = await app.addAccount();
  assert.equal((await app.api("PUT", path, { body: plan, key })).status, 404);
  assert.equal((await app.api("PUT", path, { body: plan })).status, 200);
  assert.equal((await app.api("GET", path, { key })).status, 404);
  assert.equal((await app.api("DELETE", `/v1/transports/${id}`)).status, 204);
  assert.equal((await app.api("GET", path)).status, 404);
  assert.equal((await app.api("PUT", path, { body: plan })).status, 404);
});
