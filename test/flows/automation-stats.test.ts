/** What an automation counts: its mails as a campaign does, who reaches goals, and how the ways of a split compare. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { closeUnreadable } from "../../src/automations/runs/runs.ts";
import { MIGRATIONS } from "../../src/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { openStream } from "../support/event-stream.ts";
import { hit, mailedAnHourAgo } from "../support/hits.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const mail = (next: string) => ({
  type: "email",
  subject: "Hello",
  html: '<p>Hello <a href="https://example.com">there</a> <a href="{{ unsubscribe_url }}">Leave</a></p>',
  next,
});
const happens = (name: string, then: string) => ({
  type: "wait_for",
  on: [{ type: "event", name }],
  timeout: "P14D",
  then,
  else: "end",
});

async function start(listId: string, nodes: Json, exit: Json[] = []): Promise<{ path: string; id: string }> {
  const entry = { on: [{ type: "list_joined" }], reentry: { mode: "once" } };
  const draft = {
    format: 1,
    start: Object.keys(nodes)[0],
    entry,
    exit,
    nodes: { ...nodes, end: { type: "end" } },
  };
  const made = await app.api("POST", "/v1/automations", {
    body: { name: "Counted", list_id: listId, draft },
  });
  assert.deepEqual(made.body.faults, [], made.text);
  const path = `/v1/automations/${made.body.id}`;
  const started = await app.api("POST", `${path}/start`);
  assert.equal(started.status, 200, started.text);
  return { path, id: uuidOf("aut", made.body.id) };
}

const standing = async (id: string, node: string) =>
  (
    await app.db.one<{ count: number }>(sql`
      select count(*)::int as count from automation_runs
      where automation_id = ${id} and node = ${node} and state = 'active'`)
  ).count;

async function track(subscriberId: string, name: string): Promise<void> {
  const reply = await app.api("POST", "/v1/track", { body: { subscriber_id: subscriberId, name } });
  assert.equal(reply.status, 202, reply.text);
}

/** Who entered is inside, completed or exited; and the same at each step. */
async function readStats(path: string) {
  const { status, body, text } = await app.api("GET", `${path}/stats`);
  assert.equal(status, 200, text);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, one) => all + one, 0);
  assert.equal(body.entered, body.active + body.completed + sum(body.exited));
  for (const one of body.nodes)
    assert.equal(one.entered, one.waiting + sum(one.left) + sum(one.exited), one.node);
  for (const one of body.mails)
    assert.equal(
      one.recipients,
      one.queued + one.sent + one.failed + one.unknown + one.skipped.total,
      one.node,
    );
  return body;
}

describe("a version that can't be read any more", () => {
  it("is told with the automation and by an alert, until another is published", async () => {
    const listId = await makeList(app);
    const { path, id } = await start(listId, { later: { type: "wait", for: "P1D", next: "end" } });
    const alert = async () =>
      (await app.api("GET", "/v1/deliverability/alerts?kind=automation_unreadable")).body.data[0];
    await addSubscriber(app, listId, "stuck@example.com");
    await until(async () => (await standing(id, "later")) === 1);
    const read = async () => (await app.api("GET", path)).body;
    assert.deepEqual((await read()).version_faults, []);
    await app.db.execute(sql`
      insert into automation_versions (account_id, automation_id, number, graph, published_at)
      select account_id, automation_id, 2, '{"format": 1, "start": "gone", "nodes": {}}', now()
      from automation_versions where automation_id = ${id} and number = 1`);
    await app.db.execute(sql`update automations set version = 2 where id = ${id}`);
    const { version_faults: faults, faults: ofDraft } = await read();
    assert.deepEqual(ofDraft, []);
    assert.ok(faults.length > 0 && faults.every((one: Json) => /^\/graph/.test(String(one["pointer"]))));
    // Whoever meets it tells: the feed when somebody comes, the executor when somebody is due.
    assert.equal(await alert(), undefined);
    await addSubscriber(app, listId, "comes@example.com");
    await until(async () => (await alert()) !== undefined);
    const { status, severity, subject, data } = await alert();
    assert.deepEqual(
      { status, severity, subject, version: data.version },
      { status: "open", severity: "critical", subject: toPublicId("aut", id), version: 2 },
    );
    await app.db.execute(
      sql`update alerts set status = 'closed', closed_at = now() where kind = 'automation_unreadable'`,
    );
    await app.db.execute(
      sql`update automation_runs set version = 2, due_at = now() where automation_id = ${id}`,
    );
    await until(async () => (await alert()).status === "open");
    const tools = { db: app.db, clock: systemClock, log: createLog({ level: "silent", pretty: false }) };
    await closeUnreadable(tools);
    assert.equal((await alert()).status, "open");
    const published = await app.api("POST", `${path}/publish`);
    assert.equal(published.status, 200, published.text);
    assert.deepEqual((await read()).version_faults, []);
    await closeUnreadable(tools);
    assert.equal((await alert()).status, "closed");
    // Those who stay in the version that can't be read still stand there.
    await app.db.execute(
      sql`update automation_versions set people = 'stay' where automation_id = ${id} and number = 3`,
    );
    await app.db.execute(
      sql`update alerts set status = 'open', closed_at = null where kind = 'automation_unreadable' and id = ${uuidOf("alr", (await alert()).id)}`,
    );
    await closeUnreadable(tools);
    assert.equal((await alert()).status, "open");
  });
});

describe("the stream of an automation's statistics", () => {
  it("says all numbers at once, again whenever they change, and ends with the automation", async () => {
    const listId = await makeList(app);
    const { path } = await start(listId, { later: { type: "wait", for: "P1D", next: "end" } });
    const key = await app.addKey(["automations:read"]);
    const stream = await openStream(`${app.baseUrl}${path}/stats/stream`, { authorization: `Bearer ${key}` });
    const told = () =>
      [...stream.text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(
        ([, name, data]) => [name, JSON.parse(data ?? "")] as const,
      );
    await until(() => told().length === 1);
    await addSubscriber(app, listId, "watched@example.com");
    await until(() => told().at(-1)?.[1].entered === 1);
    const [name, { as_of: _then, ...numbers }] = told().at(-1) ?? ["", {}];
    const { as_of: _now, ...asked } = await readStats(path);
    assert.deepEqual([name, numbers], ["stats", asked]);
    await app.api("POST", `${path}/cancel`);
    await until(() => stream.hasEnded);
    assert.deepEqual([told().at(-1)?.[0], told().at(-1)?.[1].status], ["done", "archived"]);
  });

  it("is opened by whoever may read automations, of one that is there", async () => {
    const { path } = await start(await makeList(app), { later: { type: "wait", for: "P1D", next: "end" } });
    const key = await app.addKey(["campaigns:read"]);
    assert.equal((await app.api("GET", `${path}/stats/stream`, { key })).status, 403);
    const other = "/v1/automations/aut_01h2xcejqtf2nbrexx3vqjhp41/stats/stream";
    assert.equal((await app.api("GET", other)).status, 404);
  });
});

describe("the statistics of an automation", () => {
  it("are zeros before anybody enters, and name goals and splits", async () => {
    const { path } = await start(await makeList(app), {
      halves: {
        type: "split",
        ways: [
          { percent: 90, next: "reached" },
          { percent: 10, next: "end" },
        ],
      },
      reached: { type: "goal", name: "Reached", next: "end" },
    });
    const { goals, splits, mails } = await readStats(path);
    const none = { reached: 0, conversion: 0 };
    assert.deepEqual(goals, { ...none, data: [{ node: "reached", name: "Reached", ...none }] });
    assert.deepEqual(splits, [
      {
        node: "halves",
        ways: [
          { way: "0", percent: 90, taken: 0, ...none },
          { way: "1", percent: 10, taken: 0, ...none },
        ],
      },
    ]);
    assert.deepEqual(mails, []);
  });

  it("have a campaign's numbers for each e-mail step", async () => {
    const listId = await makeList(app);
    const { path, id } = await start(listId, {
      hello: mail("later"),
      later: { type: "wait", for: "P1D", next: "end" },
    });
    const people = [];
    for (const name of ["ann", "bob", "cy"])
      people.push(await addSubscriber(app, listId, `${name}@example.com`));
    await until(async () => (await readStats(path)).mails[0]?.sent === 3);
    const { source_id } = await app.db.one<{ source_id: string }>(
      sql`select source_id from automation_waves where automation_id = ${id}`,
    );
    const source = toPublicId("cmp", source_id);
    await mailedAnHourAgo(app, source);
    await hit(app, source, people[0]?.["contact_id"] as string, { link: 0 });
    await hit(app, source, people[1]?.["contact_id"] as string);
    await until(async () => (await readStats(path)).mails[0].opens.human_unique === 2);
    const [hello] = (await readStats(path)).mails;
    assert.equal(hello.node, "hello");
    assert.deepEqual(
      [hello.recipients, hello.sent, hello.delivered, hello.bounces.total, hello.complaints],
      [3, 3, 3, 0, 0],
    );
    assert.deepEqual([hello.clicks.human_unique, hello.tracking], [1, "individual"]);
    assert.deepEqual([hello.rates.open, hello.rates.click, hello.rates.click_to_open], [2 / 3, 1 / 3, 1 / 2]);
    const campaign = (await app.api("GET", "/openapi.json")).body.components.schemas;
    const { campaign_id: _id, top_links: _links, ...numbers } = campaign.CampaignStats.properties;
    for (const name of Object.keys(numbers).filter((one) => !["object", "status", "as_of"].includes(one)))
      assert.ok(name in hello, `${name} is missing`);
  });

  it("count each run once at its goals, by the ways that it took before", async () => {
    const listId = await makeList(app);
    const { path, id } = await start(
      listId,
      {
        halves: {
          type: "split",
          ways: [
            { percent: 50, next: "hello" },
            { percent: 50, next: "buys" },
          ],
        },
        hello: mail("buys"),
        buys: happens("bought", "bought"),
        bought: { type: "goal", name: "Bought", next: "again" },
        again: happens("bought", "twice"),
        twice: { type: "goal", name: "Bought again", next: "later" },
        later: { type: "wait", for: "P1D", next: "end" },
      },
      [{ event: "renewed", as: "goal" }],
    );
    const people: string[] = [];
    for (let at = 0; at < 12; at++)
      people.push((await addSubscriber(app, listId, `p${at}@example.com`))["id"] as string);
    await until(async () => (await standing(id, "buys")) === 12);
    // Four buy, of whom two do so again and one renews; another renews without having bought.
    for (const one of people.slice(0, 4)) await track(one, "bought");
    await until(async () => (await standing(id, "again")) === 4);
    for (const one of people.slice(0, 2)) await track(one, "bought");
    await until(async () => (await standing(id, "later")) === 2);
    for (const one of [people[0], people[11]]) await track(one as string, "renewed");
    await until(async () => (await readStats(path)).exited.goal === 2);

    const { entered, goals, splits } = await readStats(path);
    assert.equal(entered, 12);
    assert.deepEqual([goals.reached, goals.conversion], [5, 5 / 12]);
    assert.deepEqual(
      goals.data.map((one: Json) => [one["node"], one["reached"], one["conversion"]]),
      [
        ["bought", 4, 4 / 12],
        ["twice", 2, 2 / 12],
        [null, 2, 2 / 12],
      ],
    );
    // Counted anew from the journal.
    const taken = await app.db.many<{ way: string; taken: number; reached: number }>(sql`
      select j.way, count(*)::int as taken, count(*) filter (where r.ended_as = 'goal' or exists (
          select from automation_journal g where g.account_id = j.account_id and g.run_id = j.run_id and g.reason = 'goal'))::int as reached
      from automation_journal j join automation_runs r on r.account_id = j.account_id and r.id = j.run_id
      where j.automation_id = ${id} and j.node = 'halves' group by j.way`);
    const ways = splits[0].ways.filter((one: Json) => one["taken"] !== 0);
    assert.deepEqual(
      ways.map((one: Json) => [one["way"], one["taken"], one["reached"], one["conversion"]]),
      taken
        .toSorted((one, other) => (one.way < other.way ? -1 : 1))
        .map((one) => [one.way, one.taken, one.reached, one.reached / one.taken]),
    );
    assert.equal(
      ways.reduce((sum: number, one: { reached: number }) => sum + one.reached, 0),
      5,
    );
    // The migration finds the same of runs from before any of this was counted.
    await app.db.transaction(async (tx) => {
      await tx.execute(sql`delete from automation_counts where what = 'goal' or what like 'goal:%'`);
      await tx.execute(sql`update automation_journal set reason = 'done' where reason = 'goal'`);
      await tx.execute(raw(readFileSync(join(MIGRATIONS, "0112_goals_of_automations.sql"), "utf8")));
    });
    const anew = await readStats(path);
    assert.deepEqual([anew.goals, anew.splits], [goals, splits]);
    await app.api("DELETE", `/v1/subscribers/${people[0]}`);
    assert.deepEqual((await readStats(path)).goals, goals, "who is deleted stays counted");
  });
});
