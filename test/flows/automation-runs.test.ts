/** People are led through live automations on a test's clock, and the journal, the ledger and the sums tell the same. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { releaseAccount } from "../../src/accounts/accounts.ts";
import { closeOldWaves } from "../../src/automations/executing/executing.ts";
import { enterRuns } from "../../src/automations/runs/runs.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  advance,
  assertBalanced,
  countsOf,
  executorOf,
  inAccount,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
  setState,
} from "../support/automations.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const clock = createTestClock();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let app: TestApp;
let listId: string;
before(async () => {
  // Runs are led on by the tests themselves.
  app = await createApp({ clock, settings: { ROLES: "api,sender,public" } });
  listId = await makeFixture(app, app.key, "lst");
});
after(() => app.stop());

let added = 0;
async function addPerson(more: object = {}): Promise<string> {
  const body = { email: `p${added++}@example.com`, list_id: listId, ...more };
  const reply = await app.api("POST", "/v1/subscribers", { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.id;
}

async function enter(id: string, ...people: readonly string[]): Promise<void> {
  const live = await liveOf(app, id);
  const entries = people.map((one) => ({
    subscriberId: uuidOf("sub", one),
    key: "",
    causeDepth: 0,
    at: clock.now(),
  }));
  const { entered } = await inAccount(app, clock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, entries));
  assert.equal(entered, people.length);
}

type Line = { node: string; way: string | null; reason: string; visit: number };
async function journalOf(id: string, subscriberId?: string): Promise<string[]> {
  const lines = await app.db.many<Line>(sql`
    select j.node, j.way, j.reason, j.visit from automation_journal j
    join automation_runs r on r.account_id = j.account_id and r.id = j.run_id
    where j.automation_id = ${id} ${subscriberId ? sql`and r.subscriber_id = ${uuidOf("sub", subscriberId)}` : sql``}
    order by j.run_id, j.visit`);
  return lines.map(({ node, way, reason }) => `${node} ${way ?? "-"} ${reason}`);
}

async function tagsOf(subscriberId: string): Promise<string[]> {
  return (await app.api("GET", `/v1/subscribers/${subscriberId}`)).body.tags;
}

/** Journal and ledger have the same mails, one to one. */
async function assertMailsAgree(id: string): Promise<number> {
  const { journal, ledger, both } = await app.db.one<{ journal: number; ledger: number; both: number }>(sql`
    with j as (select source_id, contact_id from automation_journal where automation_id = ${id} and source_id is not null),
         d as (select d.source_id, d.contact_id from deliveries d join automation_waves w using (account_id, source_id)
               where w.automation_id = ${id})
    select (select count(*) from j)::int as journal, (select count(*) from d)::int as ledger,
           (select count(*) from j join d using (source_id, contact_id))::int as both`);
  assert.deepEqual([journal, ledger], [both, both]);
  return both;
}

const mail = (next: string) => ({
  type: "email",
  subject: "Hello {{ subscriber.first_name }}",
  html: "<p>Hello {{ subscriber.first_name }}. <a href='https://example.com/'>Shop</a> <a href='{{ unsubscribe_url }}'>Leave</a></p>",
  next,
});
const vip = { field: "tag", op: "has", value: "vip" };

describe("a person in a live automation", () => {
  it("passes waits, branches, splits and tags, and gets a mail that is theirs", async () => {
    const { id, automationId } = await makeLive(app, listId, {
      nodes: {
        wait: { type: "wait", for: "P1D", next: "ask" },
        ask: { type: "branch", ways: [{ if: vip, next: "split" }], else: "end" },
        split: {
          type: "split",
          ways: [
            { percent: 50, next: "tag" },
            { percent: 50, next: "tag" },
          ],
        },
        tag: { type: "tag", add: ["greeted"], remove: ["vip"], next: "name" },
        name: { type: "field", field: "last_name", value: "Known", next: "mail" },
        mail: mail("done"),
        done: { type: "goal", name: "greeted", next: "end" },
      },
    });
    const [ada, bob] = [await addPerson({ first_name: "Ada", tags: ["vip"] }), await addPerson()];
    await enter(id, ada, bob);
    assert.equal(await advance(app, clock, id), 2);
    assert.deepEqual(
      (await runsOf(app, id)).map((run) => [run.node, run.due_at.getTime()]),
      [ada, bob].map(() => ["wait", clock.now().getTime() + DAY_MS]),
    );
    assert.equal(await advance(app, clock, id), 0);
    clock.advance(DAY_MS);
    assert.equal(await advance(app, clock, id), 2);
    assert.deepEqual(await journalOf(id, bob), ["wait next waited", "ask else rule", "end - end"]);
    const path = (await journalOf(id, ada)).map((line) => line.replace(/split [01]/, "split n"));
    assert.deepEqual(path, [
      "wait next waited",
      "ask 0 rule",
      "split n share",
      "tag next done",
      "name next done",
      "mail next done",
      "done next goal",
      "end - end",
    ]);
    assert.deepEqual(await tagsOf(ada), ["greeted"]);
    assert.equal(await assertMailsAgree(id), 1);
    await assertBalanced(app, id);
    const counts = await countsOf(app, id);
    assert.deepEqual([counts["completed"], counts["mail left:next"]], [2, 1]);
    await until(async () => (await caught(id)).length === 1);
    const raw = (await caught(id))[0] ?? "";
    assert.match(raw, /^Subject: Hello Ada\r$/m);
    assert.match(raw, /^List-Unsubscribe: </m);
    assert.match(raw, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    const link = /<(http[^>]+)>/.exec(raw.replace(/\r\n[ \t]/g, ""))?.[1] ?? "";
    const left = await fetch(link, {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
    assert.equal(left.status, 200);
    assert.equal((await app.api("GET", `/v1/subscribers/${ada}`)).body.status, "unsubscribed");
    const events = await app.db.many<{ data: Record<string, string>; actor_id: string }>(sql`
      select data, actor_id from events where type = 'subscriber.tag_added' and data ->> 'subscriber_id' = ${ada}`);
    assert.equal(events.at(-1)?.actor_id, automationId, "events name what brought them about");
  });

  it("exits before the next step once they have left, whatever brought it about", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        wait: { type: "wait", for: "P1D", next: "tag" },
        tag: { type: "tag", add: ["late"], next: "end" },
      },
    });
    const [left, bounced, stays] = [await addPerson(), await addPerson(), await addPerson()];
    await enter(id, left, bounced, stays);
    await advance(app, clock, id);
    assert.equal((await app.api("POST", `/v1/subscribers/${left}/unsubscribe`)).status, 200);
    await app.db.execute(sql`update subscribers set status = 'bounced' where id = ${uuidOf("sub", bounced)}`);
    clock.advance(DAY_MS);
    await advance(app, clock, id);
    const ends = new Map((await runsOf(app, id)).map((run) => [run.subscriber_id, run.ended_as]));
    assert.deepEqual(
      [left, bounced, stays].map((one) => ends.get(uuidOf("sub", one))),
      ["unsubscribed", "bounced", "completed"],
    );
    assert.deepEqual(await tagsOf(left), []);
    await assertBalanced(app, id);
  });

  it("exits by a rule that holds at a step", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        wait: { type: "wait", for: "P1D", next: "tag" },
        tag: { type: "tag", add: ["vip"], next: "again" },
        again: { type: "wait", for: "P1D", next: "end" },
      },
      exit: [{ rule: vip, as: "goal" }],
    });
    const person = await addPerson();
    await enter(id, person);
    await advance(app, clock, id);
    clock.advance(DAY_MS);
    await advance(app, clock, id);
    assert.deepEqual(await journalOf(id), ["wait next waited", "tag next done", "again - exit"]);
    assert.equal((await runsOf(app, id))[0]?.ended_as, "goal");
    await assertBalanced(app, id);
  });

  it("exits by leaving a segment that they were in when they entered", async () => {
    const segment = await app.api("POST", "/v1/segments", {
      body: { name: "Important", list_id: listId, rules: vip },
    });
    assert.equal(segment.status, 201, segment.text);
    const { id } = await makeLive(app, listId, {
      nodes: { wait: { type: "wait", for: "P1D", next: "end" } },
      exit: [{ leaves_segment_id: segment.body.id, as: "exit" }],
    });
    const [leaves, stays, never] = [
      await addPerson({ tags: ["vip"] }),
      await addPerson({ tags: ["vip"] }),
      await addPerson(),
    ];
    await enter(id, leaves, stays, never);
    await advance(app, clock, id);
    await app.api("POST", `/v1/subscribers/${leaves}/tags`, { body: { remove: ["vip"] } });
    clock.advance(DAY_MS);
    await advance(app, clock, id);
    const ends = new Map((await runsOf(app, id)).map((run) => [run.subscriber_id, run.ended_as]));
    assert.deepEqual(
      [leaves, stays, never].map((one) => ends.get(uuidOf("sub", one))),
      ["exit", "completed", "completed"],
    );
  });

  it("is unsubscribed by a step, or put on another list without being revived", async () => {
    const other = (await app.api("POST", "/v1/lists", { body: { name: "Other", double_opt_in: false } })).body
      .id;
    const asks = (await app.api("POST", "/v1/lists", { body: { name: "Asks", double_opt_in: true } })).body
      .id;
    const { id } = await makeLive(app, listId, {
      nodes: {
        copy: { type: "list", action: "copy", list_id: other, next: "ask" },
        ask: { type: "list", action: "add", list_id: asks, next: "leave" },
        leave: { type: "unsubscribe" },
      },
    });
    const [fresh, known] = [await addPerson({ tags: ["a"] }), await addPerson()];
    const email = (await app.api("GET", `/v1/subscribers/${known}`)).body.email;
    const there = await app.api("POST", "/v1/subscribers", { body: { email, list_id: other } });
    await app.api("POST", `/v1/subscribers/${there.body.id}/unsubscribe`);
    await enter(id, fresh, known);
    // Who is on a list is found on the other by the instance's own hashes.
    const hashes = await app.db.many<{ email_key: string; address_hash: Buffer }>(sql`
      select s.email_key, c.address_hash from subscribers s
      join contacts c on c.account_id = s.account_id and c.id = s.contact_id`);
    const byAddress = new Map(hashes.map((one) => [one.email_key, one.address_hash]));
    await advance(app, clock, id, { hash: (address) => byAddress.get(address) ?? Buffer.alloc(32) });
    const on = (list: string) =>
      app.db.many<{ status: string; of: string }>(sql`
        select s.status, o.id as of from subscribers s
        join subscribers o on o.account_id = s.account_id and o.contact_id = s.contact_id and o.list_id = ${uuidOf("lst", listId)}
        where s.list_id = ${uuidOf("lst", list)} order by o.created_at, o.id`);
    const statusOf = async (list: string, one: string) =>
      (await on(list)).find(({ of }) => of === uuidOf("sub", one))?.status;
    assert.deepEqual(
      [await statusOf(other, fresh), await statusOf(other, known)],
      ["active", "unsubscribed"],
    );
    assert.deepEqual([await statusOf(asks, fresh), await statusOf(asks, known)], ["pending", "pending"]);
    for (const one of [fresh, known])
      assert.equal((await app.api("GET", `/v1/subscribers/${one}`)).body.status, "unsubscribed");
    assert.deepEqual(
      (await runsOf(app, id)).map((run) => run.ended_as),
      ["unsubscribed", "unsubscribed"],
    );
    await assertBalanced(app, id);
  });

  it("isn't mailed who unsubscribed after the step and before the mail left", async () => {
    const { id } = await makeLive(app, listId, { nodes: { mail: mail("end") } });
    const person = await addPerson();
    await enter(id, person);
    const accountId = uuidOf("acc", app.accountId);
    const hold = sql`insert into account_holds (account_id, kind, since) values (${accountId}, 'standing', now())`;
    // The account is held by the very transaction of the step, so no sender can have sent the mail.
    const db: Db = {
      ...app.db,
      transaction: (work) =>
        app.db.transaction(async (tx) => {
          const done = await work(tx);
          await tx.execute(hold);
          return done;
        }),
    };
    assert.equal(await advance(app, clock, id, { db }), 1);
    await enter(id, await addPerson());
    assert.equal(await advance(app, clock, id), 0, "nobody moves while the account is held");
    assert.equal((await app.api("POST", `/v1/subscribers/${person}/unsubscribe`)).status, 200);
    await inAccount(app, clock, (ctx) => releaseAccount(ctx, "standing"));
    const states = () =>
      app.db.many<{ state: string; why: string | null }>(sql`
        select d.state, d.why from deliveries d join automation_waves w using (account_id, source_id)
        where w.automation_id = ${id}`);
    await until(async () => (await states())[0]?.state === "skipped");
    assert.deepEqual(await states(), [{ state: "skipped", why: "unsubscribed" }]);
    assert.equal(await advance(app, clock, id), 1);
    assert.equal(await assertMailsAgree(id), 2);
  });

  it("goes into another wave where the first has them, and waves are closed after a day", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: { mail: mail("wait"), wait: { type: "wait", for: "PT1H", next: "mail2" }, mail2: mail("end") },
    });
    const person = await addPerson();
    await enter(id, person);
    await advance(app, clock, id);
    clock.advance(HOUR_MS);
    await advance(app, clock, id);
    await enter(id, person);
    await advance(app, clock, id);
    assert.equal(await assertMailsAgree(id), 3);
    const waves = () =>
      app.db.many<{ node: string; closed: boolean }>(sql`
        select node, closed_at is not null as closed from automation_waves where automation_id = ${id} order by node`);
    assert.deepEqual(
      (await waves()).map(({ node }) => node),
      ["mail", "mail", "mail2"],
    );
    clock.advance(DAY_MS);
    await closeOldWaves(executorOf(app, clock));
    assert.ok((await waves()).every(({ closed }) => closed));
  });

  it("stays where they are while the automation is paused", async () => {
    const { id } = await makeLive(app, listId, { nodes: { tag: { type: "tag", add: ["x"], next: "end" } } });
    await enter(id, await addPerson());
    await setState(app, id, "paused");
    assert.equal(await advance(app, clock, id), 0);
    await setState(app, id, "draining");
    assert.equal(await advance(app, clock, id), 1);
  });

  it("follows a newer version when they leave their step, and is counted at the step they were moved to", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: { wait: { type: "wait", for: "P3D", next: "end" } },
    });
    const person = await addPerson();
    await enter(id, person);
    await advance(app, clock, id);
    const newer = {
      format: 1,
      start: "pause",
      entry: { on: [{ type: "manual" }] },
      nodes: {
        pause: { type: "wait", for: "P1D", next: "tag" },
        tag: { type: "tag", add: ["newer"], next: "end" },
        end: { type: "end" },
      },
    };
    await app.db.execute(sql`
      insert into automation_versions (account_id, automation_id, number, graph, published_at)
      select account_id, automation_id, 2, ${JSON.stringify(newer)}::json, now() from automation_versions
      where automation_id = ${id}`);
    await app.db.execute(sql`update automations set version = 2 where id = ${id}`);
    const steps = new Set(Object.keys(newer.nodes));
    const second = { number: 2, follows: true, keepsWaits: false, mapping: { wait: "pause" }, steps };
    const following = { readFollowing: async () => [second] };
    clock.advance(DAY_MS);
    await app.db.execute(sql`update automation_runs set due_at = ${clock.now()} where automation_id = ${id}`);
    assert.equal(await advance(app, clock, id, following), 1);
    assert.deepEqual(await journalOf(id), ["pause next waited", "tag next done", "end - end"]);
    assert.deepEqual(await tagsOf(person), ["newer"]);
    const counts = await countsOf(app, id);
    assert.deepEqual([counts["wait left:moved"], counts["pause entered"]], [1, 1]);
    await assertBalanced(app, id);
  });

  it("ends after so many visits", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        wait: { type: "wait", for: "PT1H", next: "turn" },
        turn: { type: "branch", ways: [{ if: vip, next: "end" }], else: "wait" },
      },
    });
    await enter(id, await addPerson());
    for (let n = 0; n < 260; n++) {
      await advance(app, clock, id);
      clock.advance(HOUR_MS);
    }
    const [run] = await runsOf(app, id);
    assert.deepEqual([run?.ended_as, run?.visit], ["too_many_visits", 500]);
    assert.equal((await journalOf(id)).length, 500);
    await assertBalanced(app, id);
  });
});

async function caught(id: string): Promise<string[]> {
  const rows = await app.db.many<{ raw: Buffer }>(
    sql`select raw from sandbox_messages where owner_id = ${id}`,
  );
  return rows.map(({ raw }) => raw.toString());
}
