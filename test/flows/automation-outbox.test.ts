/** Steps tell programs by HTTP and people of the account by mail: nobody waits for it, nothing is lost, and what comes twice has one id. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { enterRuns } from "../../src/automations/runs/runs.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  assertBalanced,
  inAccount,
  type Live,
  liveOf,
  makeLive,
  RUN_TOOLS,
  runsOf,
} from "../support/automations.ts";
import { addPerson } from "../support/people.ts";
import { addSubscriber, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { type Receiver, startReceiver } from "../support/webhooks.ts";

let app: TestApp;
let listId: string;
let receiver: Receiver;
let people = 0;
before(async () => {
  app = await createApp({ settings: { INTERNAL_HOSTS: "127.0.0.1" } });
  listId = await makeList(app);
});
after(() => app.stop());
afterEach(() => receiver?.close());

async function makeTelling(): Promise<Live> {
  receiver = await startReceiver();
  return makeLive(app, listId, { nodes: { hook: { type: "webhook", url: receiver.url, next: "end" } } });
}

async function enter(id: string): Promise<string> {
  people++;
  const person = await addSubscriber(app, listId, `person-${people}@example.com`);
  const entry = {
    subscriberId: uuidOf("sub", String(person["id"])),
    key: "",
    causeDepth: 0,
    at: systemClock.now(),
  };
  const live = await liveOf(app, id);
  await inAccount(app, systemClock, (ctx) => enterRuns(ctx, RUN_TOOLS, live, [entry]));
  return String(person["id"]);
}

type Row = { attempts: number; error: string | null; next_at: Date };
const outboxOf = (id: string): Promise<Row[]> =>
  app.db.many<Row>(sql`select attempts, error, next_at from automation_outbox where automation_id = ${id}`);
const isTold = async (id: string) =>
  (await runsOf(app, id)).every(({ state }) => state === "completed") && (await outboxOf(id)).length === 0;
/** Lets the time go by until the next try. */
const hurry = (id: string) =>
  app.db.execute(
    sql`update automation_outbox set next_at = now() - interval '1 second' where automation_id = ${id}`,
  );

describe("a webhook step", () => {
  it("posts ids of what happened, signed once somebody has asked for a secret", async () => {
    const { id, automationId } = await makeTelling();
    const person = await enter(id);
    await until(() => isTold(id));
    const [first] = receiver.received;
    assert.equal(first?.headers["webhook-signature"], undefined);
    const [run] = await runsOf(app, id);
    assert.deepEqual(first?.body["data"], {
      automation_id: automationId,
      run_id: first?.headers["webhook-id"]?.toString().split(".")[0],
      subscriber_id: person,
      node: "hook",
      visit: 1,
    });
    assert.equal(uuidOf("run", String(first?.body["data"].run_id)), run?.id);
    assert.equal(first?.body["type"], "automation.webhook");
    assert.ok(!first?.text.includes("@"), "no address is posted");

    const rotate = () => app.api("POST", `/v1/automations/${automationId}/rotate_webhook_secret`);
    const signing = async () =>
      (await app.api("GET", `/v1/automations/${automationId}`)).body.webhook_signing;
    assert.equal(await signing(), null);
    const { secret, previous_until: none } = (await rotate()).body;
    assert.equal(none, null);
    assert.deepEqual(await signing(), { previous_until: null });
    const later = await rotate();
    assert.ok(later.body.previous_until);
    assert.deepEqual(await signing(), { previous_until: later.body.previous_until });
    await enter(id);
    await until(() => receiver.received.length === 2);
    const post = receiver.received[1];
    for (const one of [secret, later.body.secret])
      new Webhook(one).verify(post?.text ?? "", post?.headers as Record<string, string>);
    await assertBalanced(app, id);
  });

  it("keeps nobody waiting for a receiver that hangs, and tries again under the same id when its process is gone", async () => {
    const { id } = await makeTelling();
    const release = receiver.holdAnswers();
    await enter(id);
    await until(() => receiver.received.length === 1);
    assert.deepEqual(
      (await runsOf(app, id)).map(({ state }) => state),
      ["completed"],
    );
    // Nobody renews what a dead process had claimed.
    await hurry(id);
    await until(() => receiver.received.length === 2);
    const [first, second] = receiver.received;
    assert.equal(first?.headers["webhook-id"], second?.headers["webhook-id"]);
    assert.equal(first?.text, second?.text);
    release();
    await until(() => isTold(id));
  });

  it("is told beside a neighbour with many automations whose receiver hangs", async () => {
    const slow = await startReceiver();
    const release = slow.holdAnswers();
    try {
      const neighbour = await app.addAccount();
      const post = async (path: string, body?: object) => {
        const { status, text, body: made } = await app.api("POST", path, { key: neighbour.key, body });
        assert.ok(status < 300, text);
        return made;
      };
      const { id: theirs } = await post("/v1/lists", { name: "Theirs" });
      for (let nth = 0; nth < 8; nth++)
        await post("/v1/subscribers", { email: `theirs-${nth}@example.com`, list_id: theirs });
      const nodes = { hook: { type: "webhook", url: slow.url, next: "end" }, end: { type: "end" } };
      const draft = { format: 1, start: "hook", entry: { on: [{ type: "manual" }] }, nodes };
      for (let nth = 0; nth < 5; nth++) {
        const { id } = await post("/v1/automations", { name: "Slow", list_id: theirs, draft });
        await post(`/v1/automations/${id}/start`);
        await post(`/v1/automations/${id}/enrollments`, { everyone: true });
      }
      const isAllWaiting = async () =>
        (await app.db.many(sql`select from automation_outbox where account_id = ${neighbour.accountId}`))
          .length === 40;
      await until(isAllWaiting);
      await until(() => slow.received.length >= 8);
      const { id } = await makeTelling();
      await enter(id);
      await until(() => isTold(id));
      assert.equal(slow.received.length, 8, "an account has a share of all posts");
    } finally {
      release();
      await slow.close();
    }
  });

  for (const status of [500, 410])
    it(`doesn't hold back those of other steps while its receiver says ${status}`, async () => {
      const bad = await startReceiver();
      bad.answerWith(status);
      receiver = await startReceiver();
      try {
        const { id } = await makeLive(app, listId, {
          nodes: {
            bad: { type: "webhook", url: bad.url, next: "good" },
            good: { type: "webhook", url: receiver.url, next: "end" },
          },
        });
        for (let nth = 0; nth < 30; nth++) await enter(id);
        await until(() => receiver.received.length === 30);
        if (status === 410) await until(() => isTold(id));
        assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 30);
      } finally {
        await bad.close();
      }
    });

  it("is tried again for a day, and then given up with an event", async () => {
    const { id, automationId } = await makeTelling();
    receiver.answerWith(500);
    const person = await enter(id);
    await until(async () => (await outboxOf(id))[0]?.error === "status 500");
    const [waiting] = await outboxOf(id);
    assert.ok(waiting && waiting.next_at.getTime() - Date.now() < 6_000);
    // Six tries more have failed since.
    await app.db.execute(sql`update automation_outbox set attempts = 7 where automation_id = ${id}`);
    await hurry(id);
    await until(() => isTold(id));
    assert.equal(receiver.received.length, 2);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 1);
    await settled(app);
    const { data } = await app.db.one<{ data: object }>(sql`
      select data from events where type = 'automation.webhook_failed' and data ->> 'automation_id' = ${automationId}`);
    assert.deepEqual(data, {
      automation_id: automationId,
      subscriber_id: person,
      node: "hook",
      reason: "status 500",
    });
  });

  it("gives up at once where the receiver is gone", async () => {
    const { id } = await makeTelling();
    receiver.answerWith(410);
    await enter(id);
    await until(() => isTold(id));
    assert.equal(receiver.received.length, 1);
  });

  it("follows no redirect, and reads no more of an answer than it needs", async () => {
    const { id } = await makeTelling();
    receiver.answerWith(200, "x".repeat(10_000_000));
    await enter(id);
    await until(() => isTold(id));
    receiver.answerWith(302);
    await enter(id);
    await until(async () => (await outboxOf(id))[0]?.error === "status 302");
    const inside = await makeLive(app, listId, {
      nodes: { hook: { type: "webhook", url: "https://169.254.169.254/latest", next: "end" } },
    });
    await enter(inside.id);
    await until(async () => (await outboxOf(inside.id))[0]?.error === "internal");
  });

  it("has nothing left to tell of somebody who is forgotten", async () => {
    const { id } = await makeTelling();
    receiver.answerWith(500);
    const person = await enter(id);
    await until(async () => (await outboxOf(id))[0]?.error === "status 500");
    assert.ok((await app.api("POST", `/v1/subscribers/${person}/forget`)).status < 300);
    assert.deepEqual(await outboxOf(id), []);
  });

  it("waits while the automation is paused, and is dropped when it is canceled", async () => {
    const { id, automationId } = await makeTelling();
    const path = `/v1/automations/${automationId}`;
    receiver.answerWith(500);
    await enter(id);
    await until(async () => (await outboxOf(id))[0]?.error === "status 500");
    assert.equal((await app.api("POST", `${path}/pause`)).status, 200);
    const posts = receiver.received.length;
    await hurry(id);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(receiver.received.length, posts);
    assert.equal((await app.api("POST", `${path}/cancel`)).status, 200);
    assert.deepEqual(await outboxOf(id), []);
  });

  it("is simulated without a post, and published with a good address alone", async () => {
    receiver = await startReceiver();
    const nodes = { hook: { type: "webhook", url: receiver.url, next: "end" }, end: { type: "end" } };
    const draft = { format: 1, start: "hook", entry: { on: [{ type: "list_joined" }] }, nodes };
    const made = await app.api("POST", "/v1/automations", { body: { name: "Tell", list_id: listId, draft } });
    const path = `/v1/automations/${made.body.id}`;
    const simulated = await app.api("POST", `${path}/simulate`, { body: { person: {} } });
    assert.deepEqual(
      simulated.body.path.map(({ node, way }: { node: string; way: string }) => [node, way]),
      [
        ["hook", "next"],
        ["end", null],
      ],
    );
    assert.equal((await app.api("POST", `${path}/start`)).status, 200);
    assert.deepEqual(receiver.received, []);
    people++;
    await addSubscriber(app, listId, `person-${people}@example.com`);
    await until(() => receiver.received.length === 1);
  });
});

describe("a notify step", () => {
  it("mails people of the account once, with a link to the person, and nobody else", async () => {
    const { id: owner, email } = await addPerson(app, "told@example.com");
    const { id } = await makeLive(app, listId, {
      nodes: {
        tell: {
          type: "notify",
          to: [owner],
          subject: "A new customer",
          text: "Call them.\nToday.",
          next: "end",
        },
      },
    });
    const person = await enter(id);
    await until(() => isTold(id));
    const caught = async () =>
      (await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(email)}`)).body.data.filter(
        ({ subject }: { subject: string }) => subject === "A new customer",
      );
    await until(async () => (await caught()).length === 1);
    const [mail] = await caught();
    const { text } = (await app.api("GET", `/v1/sandbox/messages/${mail.id}`)).body;
    assert.ok(text.includes("Call them.") && text.includes(`/subscribers/${person}`), text);
    assert.ok(!text.includes(`person-${people}@`));
  });

  it("tells nobody who left the account", async () => {
    const { id } = await makeLive(app, listId, {
      nodes: {
        tell: {
          type: "notify",
          to: ["usr_01k9zq4t3xe8k8y0v6d3m2n1pq"],
          subject: "Hello",
          text: "Hello",
          next: "end",
        },
      },
    });
    await enter(id);
    await until(() => isTold(id));
  });
});
