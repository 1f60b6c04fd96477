/** What falls due waits for what happened before it, whatever clocks do; and where it can't wait any longer, somebody is told. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { closeOldWaves } from "../../src/automations/executing/executing.ts";
import { createCaughtUpTo, feedAccount } from "../../src/automations/feed/feed.ts";
import { closeLate } from "../../src/automations/runs/runs.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { advance, assertBalanced, executorOf, makeLive, RUN_TOOLS, runsOf } from "../support/automations.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { addSubscriber, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const mail = { type: "email", subject: "You left something", html: "<p>Hello</p>", next: "end" };
const REMINDER = {
  entry: { on: [{ type: "event", name: "cart.left" }], reentry: { mode: "every_time" } },
  exit: [{ event: "order.placed", as: "goal" }],
  nodes: { wait: { type: "wait", for: "PT1H", next: "mail" }, mail },
};

async function listOf(app: TestApp): Promise<string> {
  return makeFixture(app, app.key, "lst");
}

async function add(app: TestApp, listId: string, name: string): Promise<string> {
  return String((await addSubscriber(app, listId, `${name}@example.com`))["id"]);
}

async function track(app: TestApp, subscriber: string, name: string): Promise<void> {
  const told = await app.api("POST", "/v1/track", { body: { subscriber_id: subscriber, name } });
  assert.equal(told.status, 202, told.text);
}

async function feed(app: TestApp, clock: Clock, log = createLog({ level: "silent", pretty: false })) {
  await settled(app);
  const tools = { db: app.db, clock, log, ...RUN_TOOLS };
  await feedAccount(tools, uuidOf("acc", app.accountId));
  while ((await feedAccount(tools, uuidOf("acc", app.accountId))) === "again");
}

async function mailsOf(app: TestApp, id: string): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*)::int as count from deliveries d join automation_waves w using (account_id, source_id) where w.automation_id = ${id}`);
  return count;
}

/** Their hour is over so soon. */
function dueIn(app: TestApp, id: string, ms: number): Promise<number> {
  return app.db.execute(sql`
    update automation_runs set arrived_at = now() - interval '1 hour' + make_interval(secs => ${ms / 1_000}),
      due_at = now() + make_interval(secs => ${ms / 1_000}) where automation_id = ${id} and node = 'wait'`);
}

describe("an order that is unread while a reminder falls due", () => {
  let app: TestApp;
  let listId: string;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api" } });
    listId = await listOf(app);
  });
  after(() => app.stop());

  const waiting = async (name: string) => {
    const { id, automationId } = await makeLive(app, listId, REMINDER);
    await feed(app, systemClock);
    const person = await add(app, listId, name);
    await track(app, person, "cart.left");
    await feed(app, systemClock);
    assert.equal(await advance(app, systemClock, id), 1);
    return { id, person, path: `/v1/automations/${automationId}` };
  };

  it("keeps it from being sent, and ends the run once it is read", async () => {
    const { id, person } = await waiting("ann");
    const caughtUpTo = createCaughtUpTo(systemClock);
    await dueIn(app, id, 400);
    await track(app, person, "order.placed");
    await sleep(700);
    assert.equal(await advance(app, systemClock, id, { caughtUpTo }), 0);
    assert.equal((await runsOf(app, id))[0]?.state, "active");
    await feed(app, systemClock);
    assert.equal(await advance(app, systemClock, id, { caughtUpTo }), 0);
    assert.equal((await runsOf(app, id))[0]?.ended_as, "goal");
    assert.equal(await mailsOf(app, id), 0);
    await assertBalanced(app, id);
  });

  it("keeps it from being sent after a pause in which the reminder fell due before the order", async () => {
    const { id, person, path } = await waiting("zoe");
    const caughtUpTo = createCaughtUpTo(systemClock);
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    await dueIn(app, id, -1_000);
    await track(app, person, "order.placed");
    const resumed = await app.api("POST", `${path}/resume`, { body: { overdue: "run" } });
    assert.equal(resumed.status, 200, resumed.text);
    assert.equal(await advance(app, systemClock, id, { caughtUpTo }), 0);
    await feed(app, systemClock);
    assert.equal(await advance(app, systemClock, id, { caughtUpTo }), 0);
    assert.equal((await runsOf(app, id))[0]?.ended_as, "goal");
    assert.equal(await mailsOf(app, id), 0);
    await assertBalanced(app, id);
  });

  it("is passed where it can't be read for five minutes, which is said once and alerted", async () => {
    const { id, person } = await waiting("bob");
    const others = await Promise.all(["cy", "dee"].map((name) => add(app, listId, name)));
    for (const one of others) await track(app, one, "cart.left");
    await feed(app, systemClock);
    await advance(app, systemClock, id);
    await dueIn(app, id, 400);
    await track(app, person, "order.placed");
    const clock = createTestClock();
    const lines: string[] = [];
    const log = createLog({
      level: "warn",
      pretty: false,
      destination: { write: (line: string) => void lines.push(line) },
    });
    const tools = executorOf(app, clock, { log, caughtUpTo: createCaughtUpTo(clock) });
    clock.advance(4 * MINUTE_MS);
    assert.equal(await advance(app, clock, id, tools), 0);
    clock.advance(2 * MINUTE_MS);
    assert.equal(await advance(app, clock, id, tools), 3);
    assert.equal(await advance(app, clock, id, tools), 0);
    assert.equal(await mailsOf(app, id), 3);
    const said = lines.filter((line) => line.includes("go on without events that are late"));
    assert.equal(said.length, 1, lines.join(""));
    const alerts = async () =>
      (await app.api("GET", "/v1/deliverability/alerts?kind=automations_late")).body.data;
    assert.equal((await alerts())[0]?.status, "open");
    await closeLate(tools);
    assert.equal((await alerts())[0]?.status, "open", "the order is still unread");
    await feed(app, systemClock);
    await closeLate(tools);
    assert.equal((await alerts())[0]?.status, "closed");
  });

  it("may be a moment old before its transaction can be seen", async () => {
    const clock = createTestClock();
    const caught = await createCaughtUpTo(clock)(app.db, uuidOf("acc", app.accountId));
    assert.ok(caught && caught.getTime() <= clock.now().getTime() - 100, String(caught));
  });

  it("is gone where the feed was away for longer than events are kept, and that is alerted", async () => {
    await waiting("eve");
    await app.db.execute(sql`update automation_feeds set read_at = now() - interval '40 days'`);
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    await feed(app, systemClock, createLog({ level: "error", pretty: false, destination }));
    await feed(app, systemClock, createLog({ level: "error", pretty: false, destination }));
    assert.equal(lines.length, 1, lines.join(""));
    const [alert] = (await app.api("GET", "/v1/deliverability/alerts?kind=automations_late&status=open")).body
      .data;
    assert.deepEqual(
      [alert.status, alert.severity, alert.title],
      ["open", "critical", "Automations missed events"],
    );
  });
});

describe("the running service", () => {
  it("mails nobody who ordered before their reminder was due, though a transaction keeps the order from being read", async () => {
    const app = await createApp();
    try {
      const listId = await listOf(app);
      const { id } = await makeLive(app, listId, REMINDER);
      const person = await add(app, listId, "ann");
      await until(async () => {
        const { found } = await app.db.one<{ found: boolean }>(
          sql`select exists (select from automation_feed_starts where automation_id = ${id}) as found`,
        );
        return found;
      });
      await track(app, person, "cart.left");
      await until(async () => (await runsOf(app, id))[0]?.woken_by === "time");
      const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const open = app.db.transaction(async (tx) => {
        await tx.one(sql`select pg_current_xact_id()::text as xid`);
        begun.resolve();
        await mayEnd.promise;
      });
      await begun.promise;
      await dueIn(app, id, 1_000);
      await track(app, person, "order.placed");
      await sleep(3_000);
      const [run] = await runsOf(app, id);
      mayEnd.resolve();
      await open;
      assert.deepEqual([run?.node, run?.state], ["wait", "active"]);
      await until(async () => (await runsOf(app, id))[0]?.state !== "active");
      assert.equal((await runsOf(app, id))[0]?.ended_as, "goal");
      assert.equal(await mailsOf(app, id), 0);
    } finally {
      await app.stop();
    }
  });
});

describe("a clock that is set by three days", () => {
  let clock: TestClock;
  let app: TestApp;
  let listId: string;
  before(async () => {
    clock = createTestClock();
    app = await createApp({ clock, settings: { ROLES: "api" } });
    listId = await listOf(app);
  });
  after(() => app.stop());

  const states = async (id: string) =>
    new Map(
      (await runsOf(app, id)).map((run) => [
        run.subscriber_id,
        `${run.state} ${run.ended_as ?? run.woken_by}`,
      ]),
    );

  it("back lets people in, wakes and ends as before, and again when it is where it was", async () => {
    const { id } = await makeLive(app, listId, {
      ...REMINDER,
      nodes: {
        listen: {
          type: "wait_for",
          on: [{ type: "event", name: "page.read" }],
          timeout: "P7D",
          // biome-ignore lint/suspicious/noThenProperty: it is the name of a way
          then: "mail",
          else: "end",
        },
        mail,
      },
    });
    await feed(app, clock);
    const [ann, bob, cy, dee] = (await Promise.all(
      ["ann", "bob", "cy", "dee"].map((name) => add(app, listId, `back-${name}`)),
    )) as [string, string, string, string];
    clock.advance(1_000);
    for (const one of [ann, cy]) await track(app, one, "cart.left");
    clock.advance(MINUTE_MS);
    await feed(app, clock);
    assert.equal(await advance(app, clock, id), 2);
    clock.step(-3 * DAY_MS);
    await track(app, bob, "cart.left");
    await track(app, ann, "page.read");
    await track(app, cy, "order.placed");
    clock.advance(1_000);
    await feed(app, clock);
    const of = async (person: string) => (await states(id)).get(uuidOf("sub", person));
    assert.equal(await of(bob), "active arrival");
    assert.equal(await of(ann), "active event");
    assert.equal(await of(cy), "exited goal");
    assert.equal(await advance(app, clock, id), 2);
    assert.equal(await of(ann), "completed completed");
    assert.equal(await mailsOf(app, id), 1);
    clock.step(3 * DAY_MS - 30_000);
    await track(app, dee, "cart.left");
    clock.advance(1_000);
    await feed(app, clock);
    assert.equal(await of(dee), "active arrival");
    await assertBalanced(app, id);
  });

  it("back leaves no wave open that was opened before, and mail goes into a new one", async () => {
    const { id } = await makeLive(app, listId, { ...REMINDER, nodes: { mail } });
    await feed(app, clock);
    const waves = () =>
      app.db.many<{ is_closed: boolean }>(sql`
        select closed_at is not null as is_closed from automation_waves where automation_id = ${id} order by opened_at`);
    const mailTo = async (name: string) => {
      const person = await add(app, listId, name);
      clock.advance(1_000);
      await track(app, person, "cart.left");
      clock.advance(1_000);
      await feed(app, clock);
      assert.equal(await advance(app, clock, id), 1);
    };
    await mailTo("wave-ann");
    clock.step(-3 * DAY_MS);
    await mailTo("wave-bob");
    await closeOldWaves(executorOf(app, clock));
    assert.deepEqual(await waves(), [{ is_closed: false }, { is_closed: true }]);
    clock.step(3 * DAY_MS);
    await closeOldWaves(executorOf(app, clock));
    assert.ok((await waves()).every((one) => one.is_closed));
    assert.equal(await mailsOf(app, id), 2);
  });

  it("forward passes nothing over that happened before, and that is read a moment later", async () => {
    const { id } = await makeLive(app, listId, REMINDER);
    await feed(app, clock);
    const person = await add(app, listId, "forward");
    clock.advance(1_000);
    await track(app, person, "cart.left");
    clock.advance(1_000);
    await feed(app, clock);
    const tools = { caughtUpTo: createCaughtUpTo(clock) };
    clock.advance(1_000);
    assert.equal(await advance(app, clock, id, tools), 1);
    await track(app, person, "order.placed");
    await settled(app);
    clock.step(3 * DAY_MS);
    assert.equal(await advance(app, clock, id, tools), 0, "the order is not read yet");
    await feed(app, clock);
    assert.equal(await advance(app, clock, id, tools), 0);
    assert.equal((await runsOf(app, id))[0]?.ended_as, "goal");
    assert.equal(await mailsOf(app, id), 0);
  });
});
