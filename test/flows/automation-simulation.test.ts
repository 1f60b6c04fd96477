/** A draft is simulated for a subscriber, or for somebody made up: the way they would take, and nothing written. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { makeFixture } from "../support/fixtures.ts";

let app: TestApp;
let listId: string;
let subscriberId: string;
before(async () => {
  app = await createApp();
  listId = await makeFixture(app, app.key, "lst");
  await app.api("POST", "/v1/fields", { body: { key: "renews_on", type: "date" } });
  const body = { email: "ada@example.com", list_id: listId, time_zone: "Europe/Berlin", tags: ["new"] };
  subscriberId = (await app.api("POST", "/v1/subscribers", { body })).body.id;
});
after(() => app.stop());

const FROM = "2026-11-17T10:00:00.000Z";
const vip = { field: "tag", op: "has", value: "vip" };
const end = { type: "end" };

type Visit = { node: string; way: string | null; left_at: string; reason: string };

async function simulate(nodes: object, more: { graph?: object; input?: object; isImpatient?: boolean } = {}) {
  const draft = {
    format: 1,
    start: Object.keys(nodes)[0],
    entry: { on: [{ type: "manual" }] },
    nodes: { ...nodes, end },
    ...more.graph,
  };
  const made = await app.api("POST", "/v1/automations", { body: { name: "Draft", list_id: listId, draft } });
  assert.equal(made.status, 201, made.text);
  const path = `/v1/automations/${made.body.id}/simulate`;
  const body = { subscriber_id: subscriberId, from: FROM, ...more.input };
  return more.isImpatient ? app.api("POST", path, { body }) : patiently(path, body);
}

/** Lets the account rest after a simulation that took long. */
const rested = () => sleep(1_500);

/** Asks again while it isn't the account's turn, as after a simulation that took long on a busy machine. */
async function patiently(path: string, body: object) {
  for (;;) {
    const reply = await app.api("POST", path, { body });
    if (reply.status !== 429) return reply;
    await sleep(200);
  }
}

async function way(nodes: object, more?: { graph?: object; input?: object }) {
  const reply = await simulate(nodes, more);
  assert.equal(reply.status, 200, reply.text);
  const { path, end: last } = reply.body;
  return {
    steps: path.map(({ node, way: taken, reason }: Visit) => `${node} ${taken ?? "-"} ${reason}`),
    times: path.map(({ left_at }: Visit) => left_at),
    end: `${last.as} ${last.at}`,
  };
}

const waitFor = (on: object) => ({
  // biome-ignore lint/suspicious/noThenProperty: it is a way of the graph, and no promise
  click: { type: "wait_for", timeout: "P1D", ...on, then: "yes", else: "no" },
  yes: { type: "tag", add: ["yes"], next: "end" },
  no: { type: "tag", add: ["no"], next: "end" },
});

describe("a simulation", () => {
  it("follows time by the person's own clock", async () => {
    const {
      steps,
      times,
      end: last,
    } = await way({
      two: { type: "wait", for: "P2D", at: "09:00", next: "mail" },
      mail: { type: "email", subject: "Hello", html: "<p>Hello</p>", next: "end" },
    });
    assert.deepEqual(steps, ["two next waited", "mail next done", "end - end"]);
    // In Berlin it is 11:00 when the wait begins, so that 9:00 is that of the third day.
    assert.equal(times[0], "2026-11-20T08:00:00.000Z");
    assert.equal(last, "completed 2026-11-20T08:00:00.000Z");
  });

  it("sees what its own steps have done, and leaves nothing of it", async () => {
    const count = () =>
      app.db.one(sql`
        select (select count(*) from subscribers) as subscribers, (select count(*) from contacts) as contacts,
          (select count(*) from tags) as tags,
          (select count(*) from events where type like 'subscriber.%') as events`);
    const nodes = {
      tag: { type: "tag", add: ["vip"], remove: ["new"], next: "field" },
      field: { type: "field", field: "fields.renews_on", value: "2026-12-24", next: "branch" },
      branch: { type: "branch", ways: [{ if: vip, next: "date" }], else: "end" },
      date: { type: "wait", until: { field: "fields.renews_on", offset_days: -1 }, at: "09:00", next: "end" },
    };
    const before = await count();
    const made = await way(nodes);
    assert.deepEqual(await count(), before);
    assert.deepEqual(made.steps, [
      "tag next done",
      "field next done",
      "branch 0 rule",
      "date next waited",
      "end - end",
    ]);
    assert.equal(made.times[3], "2026-12-23T08:00:00.000Z");
    const { body } = await app.api("GET", `/v1/subscribers/${subscriberId}`);
    assert.deepEqual([body.tags, body.fields], [["new"], {}]);
  });

  it("is led by what happens on the way, which comes before a time that is over at the same moment", async () => {
    const nodes = waitFor({
      on: [{ type: "email_clicked" }, { type: "event", name: "came", where: { n: 1 } }],
    });
    const timeout = "2026-11-18T10:00:00.000Z";
    const event = (at: string, more: object = {}) => ({
      input: { events: [{ type: "event", name: "came", properties: { n: 1 }, at, ...more }] },
    });
    assert.equal((await way(nodes)).steps[0], "click else timeout");
    assert.equal((await way(nodes, event(timeout))).steps[0], "click then happened");
    assert.equal((await way(nodes, event("2026-11-18T10:00:00.001Z"))).steps[0], "click else timeout");
    assert.equal((await way(nodes, event("2026-11-17T09:00:00Z"))).steps[0], "click else timeout");
    assert.equal((await way(nodes, event(timeout, { properties: { n: 2 } }))).steps[0], "click else timeout");
    const clicked = await way(nodes, { input: { events: [{ type: "email_clicked", at: timeout }] } });
    assert.deepEqual([clicked.steps[0], clicked.times[0]], ["click then happened", timeout]);
  });

  it("really changes the person by what happens on the way, which ends waits and is taken back", async () => {
    const at = "2026-11-17T12:00:00.000Z";
    const by = (nodes: object, ...events: object[]) =>
      way(nodes, { input: { events: events.map((event) => ({ at, ...event })) } });
    const added = (tag: string) => ({ type: "tag_added", tag });
    const onTag = waitFor({ on: [{ type: "tag_added", tag: "vip" }] });
    assert.deepEqual((await by(onTag, added("VIP"))).steps.slice(0, 2), [
      "click then happened",
      "yes next done",
    ]);
    assert.equal((await by(onTag, added("other"))).steps[0], "click else timeout");
    const alreadyThere = waitFor({ on: [{ type: "tag_added", tag: "new" }] });
    assert.equal((await by(alreadyThere, added("new"))).steps[0], "click else timeout", "it was there");
    const lost = waitFor({ on: [{ type: "tag_removed", tag: "new" }] });
    assert.equal((await by(lost, { type: "tag_removed", tag: "new" })).steps[0], "click then happened");
    const changed = waitFor({ on: [{ type: "field_changed", field: "fields.renews_on" }] });
    const date = { type: "field_changed", field: "fields.renews_on", value: "2026-12-24" };
    const byField = await by(changed, date);
    assert.deepEqual([byField.steps[0], byField.times[0]], ["click then happened", at]);
    assert.equal(
      (await by(changed, { ...date, value: null })).steps[0],
      "click else timeout",
      "it was empty",
    );
    const name = { type: "field_changed", field: "first_name", value: "Ada" };
    assert.equal((await by(changed, name)).steps[0], "click else timeout");
    const onRule = waitFor({ rule: { field: "first_name", op: "is", value: "Ada" } });
    assert.equal((await by(onRule, name)).steps[0], "click then happened", "the rule holds since then");

    // A later branch and a later date see it, and a rule by which people leave.
    const later = {
      day: { type: "wait", for: "P1D", next: "branch" },
      branch: { type: "branch", ways: [{ if: vip, next: "date" }], else: "end" },
      date: { type: "wait", until: { field: "fields.renews_on", offset_days: -1 }, at: "09:00", next: "end" },
    };
    const both = await by(later, added("vip"), date);
    assert.deepEqual(both.steps, ["day next waited", "branch 0 rule", "date next waited", "end - end"]);
    assert.equal(both.times[2], "2026-12-23T08:00:00.000Z");
    const left = await way(later, {
      graph: { exit: [{ rule: vip }] },
      input: { events: [{ ...added("vip"), at }] },
    });
    assert.deepEqual([left.steps, left.end], [["day - exit"], `exit ${at}`]);
    const { body } = await app.api("GET", `/v1/subscribers/${subscriberId}`);
    assert.deepEqual([body.tags, body.fields, body.first_name], [["new"], {}, null]);
    const tags = (await app.api("GET", "/v1/tags")).body.data.map((tag: { name: string }) => tag.name);
    assert.ok(!tags.includes("vip") && !tags.includes("other"), String(tags));
  });

  it("refuses a change that can't be, at its place", async () => {
    const nodes = { day: { type: "wait", for: "P1D", next: "end" } };
    const faultOf = async (event: object) => {
      const { status, body } = await simulate(nodes, { input: { events: [{ at: FROM, ...event }] } });
      return [status, body.errors?.[0]?.pointer];
    };
    for (const [event, pointer] of [
      [{ type: "tag_added" }, "/events/0/tag"],
      [{ type: "tag_removed", tag: "  " }, "/events/0/tag"],
      [{ type: "field_changed", value: "x" }, "/events/0/field"],
      [{ type: "field_changed", field: "fields.nothing", value: "x" }, "/events/0/field"],
      [{ type: "field_changed", field: "fields.renews_on" }, "/events/0/value"],
      [{ type: "field_changed", field: "fields.renews_on", value: "soon" }, "/events/0/value"],
      [{ type: "field_changed", field: "time_zone", value: "Mars/Base" }, "/events/0/value"],
    ] as const)
      assert.deepEqual(await faultOf(event), [422, pointer], JSON.stringify(event));
  });

  it("ends by a goal, by a rule and by leaving a segment", async () => {
    const nodes = {
      day: { type: "wait", for: "P1D", next: "tag" },
      tag: { type: "tag", add: ["vip"], next: "late" },
      late: { type: "wait", for: "P1D", next: "end" },
    };
    const events = [{ type: "event", name: "order.placed", at: "2026-11-17T12:00:00.000Z" }];
    const goal = await way(nodes, {
      graph: { exit: [{ event: "order.placed", as: "goal" }] },
      input: { events },
    });
    assert.deepEqual([goal.steps, goal.end], [["day - exit"], "goal 2026-11-17T12:00:00.000Z"]);
    const rule = await way(nodes, { graph: { exit: [{ rule: vip }] } });
    assert.deepEqual(rule.steps, ["day next waited", "tag next done", "late - exit"]);
    const body = { name: "Not important", rules: { field: "tag", op: "has_not", value: "vip" } };
    const segment = await app.api("POST", "/v1/segments", { body });
    const left = await way(nodes, { graph: { exit: [{ leaves_segment_id: segment.body.id }] } });
    assert.deepEqual([left.steps.at(-1), left.end], ["late - exit", "exit 2026-11-18T10:00:00.000Z"]);
  });

  it("ends by a click in the mail that an exit names, and by no other mail", async () => {
    const nodes = {
      offer: { type: "email", subject: "Offer", html: "<p>Hello</p>", next: "other" },
      other: { type: "email", subject: "Other", html: "<p>Hello</p>", next: "day" },
      day: { type: "wait", for: "P1D", next: "end" },
    };
    const graph = { exit: [{ on: { type: "email_clicked", node: "offer" }, as: "goal" }] };
    const at = "2026-11-17T12:00:00.000Z";
    const by = (type: string, node: string) =>
      way(nodes, { graph, input: { events: [{ type, node, at }] } }).then((made) => made.end);
    assert.equal(await by("email_clicked", "offer"), `goal ${at}`);
    assert.equal(await by("email_opened", "offer"), "completed 2026-11-18T10:00:00.000Z");
    assert.equal(await by("email_clicked", "other"), "completed 2026-11-18T10:00:00.000Z");
  });

  it("wakes who waits to come into a segment, or to leave it, by what happens and not by the person's own steps", async () => {
    const body = { name: "Important", rules: vip };
    const { id: segment_id } = (await app.api("POST", "/v1/segments", { body })).body;
    const at = "2026-11-17T12:00:00.000Z";
    const add = { type: "tag_added", tag: "vip", at };
    const first = async (type: string, events: readonly object[], nodes: object = {}) => {
      const made = await way({ ...nodes, ...waitFor({ on: [{ type, segment_id }] }) }, { input: { events } });
      const at = made.steps.findIndex((step: string) => step.startsWith("click"));
      return [made.steps[at], made.times[at]];
    };
    const timeout = "2026-11-18T10:00:00.000Z";
    assert.deepEqual(await first("segment_entered", [add]), ["click then happened", at]);
    assert.deepEqual(await first("segment_left", [add]), ["click else timeout", timeout]);
    const remove = { type: "tag_removed", tag: "vip", at: "2026-11-17T13:00:00.000Z" };
    assert.deepEqual(await first("segment_left", [add, remove]), ["click then happened", remove.at]);
    const step = { tag: { type: "tag", add: ["vip"], next: "click" } };
    assert.deepEqual(await first("segment_entered", [], step), ["click else timeout", timeout]);
    assert.deepEqual(await first("segment_left", [remove], step), ["click then happened", remove.at]);
  });

  it("doesn't enter whom the filter leaves out", async () => {
    const graph = { entry: { on: [{ type: "manual" }], filter: vip } };
    const { steps, end: last } = await way({ tag: { type: "tag", add: ["a"], next: "end" } }, { graph });
    assert.deepEqual([steps, last], [[], `not_entered ${FROM}`]);
  });

  it("takes somebody made up, and tells what is wrong with them", async () => {
    const nodes = {
      branch: { type: "branch", ways: [{ if: vip, next: "end" }], else: "wait" },
      wait: { type: "wait", at: "09:00", next: "end" },
    };
    const as = (person: object) => ({ input: { subscriber_id: undefined, person } });
    assert.deepEqual((await way(nodes, as({ tags: ["VIP"] }))).steps, ["branch 0 rule", "end - end"]);
    const far = await way(nodes, as({ time_zone: "Asia/Tokyo" }));
    assert.equal(far.times[1], "2026-11-18T00:00:00.000Z");
    const bad = await simulate(nodes, as({ fields: { nothing: 1 }, time_zone: "Mars/Base" }));
    assert.equal(bad.status, 422, bad.text);
    assert.ok(
      bad.body.errors.every(({ pointer }: { pointer: string }) => pointer.startsWith("/person/")),
      bad.text,
    );
    for (const person of [
      { tags: "x" },
      { tags: [1] },
      { first_name: { a: 1 } },
      { nosuch: 1 },
      { status: "root" },
    ])
      assert.equal((await simulate(nodes, as(person))).status, 422, JSON.stringify(person));
    for (const from of ["0001-01-01T00:00:00Z", "1969-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z"])
      assert.equal((await simulate(nodes, { input: { from } })).status, 422, from);
    const found = await app.api("GET", "/v1/subscribers?include_total=true");
    assert.equal(found.body.total, 1);
  });

  it("ends a run that goes round and round", async () => {
    const nodes = {
      hour: { type: "wait", for: "PT1H", next: "branch" },
      branch: { type: "branch", ways: [{ if: vip, next: "end" }], else: "hour" },
    };
    const { steps, end: last } = await way(nodes);
    assert.ok(steps.length > 10 && steps.length <= 500, String(steps.length));
    // On a machine that is busy it ends by its time, and after fewer.
    assert.match(last, steps.length === 500 ? /^too_many_visits / : /^out_of_time /);
  });

  it("is the only one of its account, and whoever comes beyond is told to come again", async () => {
    const nodes = {
      hour: { type: "wait", for: "PT1H", next: "branch" },
      branch: { type: "branch", ways: [{ if: vip, next: "end" }], else: "hour" },
    };
    await rested();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => simulate(nodes, { isImpatient: true })),
    );
    const statuses = new Set(replies.map(({ status }) => status));
    assert.deepEqual([...statuses].sort(), [200, 429]);
    const busy = replies.find(({ status }) => status === 429);
    assert.deepEqual([busy?.body.code, busy?.headers.get("retry-after")], ["simulations_busy", "1"]);
    assert.equal((await simulate(nodes)).status, 200);
  });

  it("of others that take all their time keep nobody waiting, and hold back what happens to nobody for long", async () => {
    const nodes = {
      hour: { type: "wait", for: "PT1H", next: "branch" },
      branch: { type: "branch", ways: [{ if: vip, next: "end" }], else: "hour" },
      end,
    };
    const draft = { format: 1, start: "hour", entry: { on: [{ type: "manual" }] }, nodes };
    await rested();
    let isOver = false;
    const loop = async () => {
      const { key } = await app.addAccount();
      const { body: list } = await app.api("POST", "/v1/lists", { key, body: { name: "Theirs" } });
      const { body: made } = await app.api("POST", "/v1/automations", {
        key,
        body: { name: "Loop", list_id: list.id, draft },
      });
      while (!isOver)
        await app.api("POST", `/v1/automations/${made.id}/simulate`, { key, body: { person: {} } });
    };
    const others = [loop(), loop()];
    try {
      for (let nth = 0; nth < 8; nth++) {
        const reply = await simulate(
          { tag: { type: "tag", add: ["a"], next: "end" } },
          { isImpatient: true },
        );
        assert.equal(reply.status, 200, reply.text);
        const oldest = await app.db.one<{ ms: number }>(sql`
          select coalesce(max(1000 * extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as ms
          from pg_stat_activity where backend_xid is not null and datname = current_database()`);
        assert.ok(oldest.ms < 4_000, `a transaction was open for ${oldest.ms} ms`);
        await sleep(100);
      }
    } finally {
      isOver = true;
      await Promise.all(others);
    }
  });

  it("refuses a draft with faults, two people or none, and somebody of another list or account", async () => {
    const nodes = { tag: { type: "tag", add: ["a"], next: "nowhere" } };
    const faulty = await simulate(nodes);
    assert.deepEqual(
      [faulty.status, faulty.body.code, faulty.body.errors[0].pointer],
      [422, "automation_not_ready", "/draft/nodes/tag/next"],
    );
    const good = { tag: { type: "tag", add: ["a"], next: "end" } };
    for (const input of [{ person: {} }, { subscriber_id: undefined }])
      assert.equal((await simulate(good, { input })).status, 422);
    const other = await makeFixture(app, app.key, "lst");
    const { body: elsewhere } = await app.api("POST", "/v1/subscribers", {
      body: { email: "ben@example.com", list_id: other },
    });
    const theirs = await makeFixture(app, (await app.addAccount()).key, "sub");
    for (const id of [elsewhere.id, theirs]) {
      const { status, body } = await simulate(good, { input: { subscriber_id: id } });
      const [fault] = body.errors;
      assert.deepEqual([status, fault.pointer, fault.code], [422, "/subscriber_id", "not_found"]);
    }
    const key = await app.addKey(["automations:write"]);
    const drafts = (await app.api("GET", "/v1/automations")).body.data;
    const as = (body: object) => app.api("POST", `/v1/automations/${drafts[0].id}/simulate`, { key, body });
    assert.equal((await as({ subscriber_id: subscriberId })).status, 403, "the way tells of the person");
    assert.equal((await as({ person: { first_name: "Eve" } })).status, 200);
    const events = [{ type: "event", at: FROM }];
    const unnamed = await simulate(good, { input: { events } });
    assert.equal(unnamed.body.errors[0].pointer, "/events/0/name");
  });
});
