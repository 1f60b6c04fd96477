/** What people do with the mail of a step lets them into its automation, and wakes who waits for it, through the whole service. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { hit, mailedAnHourAgo } from "../support/hits.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

const mail = (subject: string, next: string) => ({
  type: "email",
  subject,
  html: '<p>Hello <a href="https://example.com">there</a></p>',
  next,
});
/** Waits until the mail of a step was opened. */
const opened = (node: string, then: string) => ({
  type: "wait_for",
  on: [{ type: "email_opened", node }],
  timeout: "P3D",
  then,
  else: "end",
});

async function start(listId: string, on: Json[], nodes: Json, exit: Json[] = []): Promise<string> {
  const entry = { on, reentry: { mode: "every_time" } };
  const draft = {
    format: 1,
    start: Object.keys(nodes)[0],
    entry,
    exit,
    nodes: { ...nodes, end: { type: "end" } },
  };
  const body = { name: "By its own mail", list_id: listId, draft };
  const made = await app.api("POST", "/v1/automations", { body });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(made.body.faults, []);
  const started = await app.api("POST", `/v1/automations/${made.body.id}/start`);
  assert.equal(started.status, 200, started.text);
  return uuidOf("aut", made.body.id);
}

const sourceOf = (id: string, node: string) =>
  app.db.maybeOne<{ source_id: string }>(sql`
    select source_id from automation_waves where automation_id = ${id} and node = ${node}`);

/** Waits until the mail of a step has left to so many, and returns its source by the name that hits give it. */
async function mailedBy(id: string, node: string, people = 1): Promise<string> {
  await until(async () => {
    const sent = await app.db.many(sql`
      select from deliveries d join automation_waves w on w.account_id = d.account_id and w.source_id = d.source_id
      where w.automation_id = ${id} and w.node = ${node} and d.state = 'sent'`);
    return sent.length >= people;
  });
  const source = toPublicId("cmp", (await sourceOf(id, node))?.source_id ?? "");
  await mailedAnHourAgo(app, source);
  return source;
}

const standsAt = async (id: string) =>
  (
    await app.db.many<{ node: string }>(sql`
      select node from automation_runs where automation_id = ${id} and state = 'active' order by node`)
  ).map(({ node }) => node);

describe("an open of the mail of a step", () => {
  it("wakes who waits for that mail, and not who waits for another's", async () => {
    const listId = await makeList(app);
    const id = await start(listId, [{ type: "list_joined" }], {
      first: mail("First", "second"),
      second: mail("Second", "listen"),
      listen: opened("second", "stay"),
      stay: { type: "wait", for: "P1D", next: "end" },
    });
    const ann = await addSubscriber(app, listId, "ann@example.com");
    const [first, second] = [await mailedBy(id, "first"), await mailedBy(id, "second")];
    await hit(app, first, ann["contact_id"] as string);
    await until(async () => {
      const events = await app.db.many<{ node: string }>(sql`
        select data ->> 'node' as node from events where type = 'email.opened'`);
      return events.some(({ node }) => node === "first");
    });
    await until(async () => {
      const { count } = await app.db.one<{ count: number }>(sql`
        select count(*)::int as count from events e join automation_feeds f on f.account_id = e.account_id
        where e.type = 'email.opened' and (f.xid, f.event_id) >= (e.xid, e.id)`);
      return count > 0;
    });
    assert.deepEqual(await standsAt(id), ["listen"], "the other mail was opened");
    await hit(app, second, ann["contact_id"] as string);
    await until(async () => (await standsAt(id))[0] === "stay");
  });

  it("lets in who opened it, where the automation begins by that", async () => {
    const listId = await makeList(app);
    const on = [
      { type: "tag_added", tag: "begin" },
      { type: "email_clicked", node: "offer" },
    ];
    const id = await start(listId, on, { offer: mail("Offer", "end") });
    const bob = await addSubscriber(app, listId, "bob@example.com", { tags: ["begin"] });
    const offer = await mailedBy(id, "offer");
    await hit(app, offer, bob["contact_id"] as string, { link: 0 });
    await until(async () => {
      const runs = await app.db.many(sql`select from automation_runs where automation_id = ${id}`);
      return runs.length === 2;
    });
  });
});

describe("an exit by what people do with a mail", () => {
  it("ends the run as a goal for who clicked in that mail, and for nobody by a machine or another mail", async () => {
    const listId = await makeList(app);
    const id = await start(
      listId,
      [{ type: "list_joined" }],
      {
        first: mail("First", "second"),
        second: mail("Second", "stay"),
        stay: { type: "wait", for: "P1D", next: "end" },
      },
      [{ on: { type: "email_clicked", node: "second" }, as: "goal" }],
    );
    const cat = await addSubscriber(app, listId, "cat@example.com");
    const dan = await addSubscriber(app, listId, "dan@example.com");
    const [first, second] = [await mailedBy(id, "first", 2), await mailedBy(id, "second", 2)];
    await hit(app, first, cat["contact_id"] as string, { link: 0 });
    await hit(app, second, cat["contact_id"] as string, { link: 0, userAgent: "curl/8.5.0" });
    await hit(app, second, dan["contact_id"] as string, { link: 0 });
    const ends = () =>
      app.db.many<{ subscriber_id: string; state: string; ended_as: string | null; node: string }>(sql`
        select subscriber_id, state, ended_as, node from automation_runs where automation_id = ${id}
        order by state, subscriber_id`);
    await until(async () => (await ends()).some(({ state }) => state === "exited"));
    const idOf = (person: Json) => uuidOf("sub", person["id"] as string);
    assert.deepEqual(await ends(), [
      { subscriber_id: idOf(cat), state: "active", ended_as: null, node: "stay" },
      { subscriber_id: idOf(dan), state: "exited", ended_as: "goal", node: "stay" },
    ]);
    const stats = await app.api("GET", `/v1/automations/${toPublicId("aut", id)}/stats`);
    assert.deepEqual(stats.body.goals.data, [{ node: null, name: null, reached: 1, conversion: 0.5 }]);
  });
});

describe("a draft", () => {
  it("that names the mail of a step which sends none is faulty", async () => {
    const listId = await makeList(app);
    const draft = {
      format: 1,
      start: "end",
      entry: { on: [{ type: "email_opened", node: "end" }] },
      nodes: { end: { type: "end" } },
    };
    const made = await app.api("POST", "/v1/automations", {
      body: { name: "Faulty", list_id: listId, draft },
    });
    assert.deepEqual(
      made.body.faults.map(({ pointer, code }: Json) => `${pointer} ${code}`),
      ["/draft/entry/on/0/node unknown_node"],
    );
  });
});
