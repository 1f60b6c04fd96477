/** These tests count who unsubscribed because of a campaign, and check when its recipients' rows were written. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { type EventType, keepEvents } from "../../src/events/events.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, eventsSince, type Json, makeList, suppress, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

type Sent = { id: string; listId: string; people: Json[] };

async function sendTo(...names: string[]): Promise<Sent> {
  const listId = await makeList(app);
  const people: Json[] = [];
  for (const name of names)
    people.push(await addSubscriber(app, listId, `${name}@${listId.slice(-8)}.example`));
  const { id } = await makeCampaign(app, listId);
  await act(app, id, "send");
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  return { id, listId, people };
}

const stats = async (id: string): Promise<Json> => (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
const counted = async (id: string) => (await stats(id))["unsubscribes"];
const unsubscribe = (person: Json | undefined, body?: Json) =>
  app.api("POST", `/v1/subscribers/${person?.["id"]}/unsubscribe`, body && { body });

describe("the unsubscribes of a campaign", () => {
  it("are those that name it, as a number and as a rate", async () => {
    const { id, people } = await sendTo("ada", "bob", "eve", "zoe");
    assert.deepEqual([await counted(id), (await stats(id))["rates"].unsubscribe], [0, 0]);
    assert.equal((await unsubscribe(people[0], { campaign_id: id })).status, 200);
    assert.deepEqual([await counted(id), (await stats(id))["rates"].unsubscribe], [1, 0.25]);
    await unsubscribe(people[1]);
    assert.equal(await counted(id), 1, "who named no campaign is in no campaign's number");
    await unsubscribe(people[1], { campaign_id: id });
    assert.equal(await counted(id), 1, "who had left already didn't leave because of it");
  });

  it("have each recipient once, also when it comes back and leaves again", async () => {
    const { id, people } = await sendTo("ada");
    const [ada] = people;
    await unsubscribe(ada, { campaign_id: id });
    await unsubscribe(ada, { campaign_id: id });
    const consent = { attested: true, source: "phone", wording: "Yes please" };
    const back = await app.api("POST", `/v1/subscribers/${ada?.["id"]}/resubscribe`, { body: { consent } });
    assert.equal(back.body.status, "active", back.text);
    assert.equal(await counted(id), 1);
    await unsubscribe(ada, { campaign_id: id, scope: "all" });
    assert.equal(await counted(id), 1);
  });

  it("count one that comes many times at once once", async () => {
    const { id, people } = await sendTo("ada", "bob");
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, at) => unsubscribe(people[at % 2], { campaign_id: id })),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(await counted(id), 2);
    const { events } = await eventsSince(app);
    const told = events.filter(
      ({ type, data }) => type === "subscriber.unsubscribed" && data.campaign_id === id,
    );
    assert.equal(told.length, 2, "as many as the events tell of");
  });

  it("stay when the subscribers and the list are deleted", async () => {
    const { id, listId, people } = await sendTo("ada", "bob", "eve");
    for (const person of people.slice(0, 2)) await unsubscribe(person, { campaign_id: id });
    await app.api("DELETE", `/v1/subscribers/${people[0]?.["id"]}`);
    assert.equal((await app.api("POST", `/v1/subscribers/${people[1]?.["id"]}/forget`)).status, 202);
    assert.equal(await counted(id), 2);
    await app.api("DELETE", `/v1/lists/${listId}?force=true`);
    assert.equal(await counted(id), 2);
  });

  it("are of those it went to: another campaign's recipient leaves, and isn't counted", async () => {
    const [mine, others] = [await sendTo("ada"), await sendTo("bob")];
    const left = await unsubscribe(mine.people[0], { campaign_id: others.id });
    assert.deepEqual([left.status, left.body.status], [200, "unsubscribed"]);
    assert.deepEqual([await counted(mine.id), await counted(others.id)], [0, 0]);
  });

  it("are of those who got its mail: who was skipped leaves, and isn't counted", async () => {
    const listId = await makeList(app);
    const domain = `${listId.slice(-8)}.example`;
    const got = await addSubscriber(app, listId, `ada@${domain}`);
    const skipped = await addSubscriber(app, listId, `bob@${domain}`);
    await suppress(app, `bob@${domain}`, "manual");
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    for (const one of [got, skipped]) await unsubscribe(one, { campaign_id: id });
    assert.equal(await counted(id), 1);
  });

  it("refuse a campaign that there isn't here, and then nobody leaves", async () => {
    const { people } = await sendTo("ada");
    const foreign = await app.addAccount();
    const list = await makeList(app, {}, foreign.key);
    const body = { name: "x", list_id: list, subject: "x", html: "<p>x</p>" };
    const theirs = await app.api("POST", "/v1/campaigns", { body, key: foreign.key });
    for (const campaignId of [theirs.body.id, "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq", "nonsense"]) {
      const refused = await unsubscribe(people[0], { campaign_id: campaignId });
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual(
        [refused.body.errors[0].pointer, refused.body.errors[0].code],
        ["/campaign_id", "not_found"],
      );
    }
    const read = await app.api("GET", `/v1/subscribers/${people[0]?.["id"]}`);
    assert.equal(read.body.status, "active");
  });
});

test("a recipient has the time when its row was planned, which never changes", async () => {
  const before = new Date().toISOString();
  const { id } = await sendTo("ada", "bob");
  const { data } = (await app.api("GET", `/v1/campaigns/${id}/recipients`)).body;
  assert.equal(data.length, 2);
  for (const row of data) {
    assert.ok(before <= row.created_at && row.created_at <= row.updated_at, JSON.stringify(row));
  }
  assert.equal(new Set(data.map((row: Json) => row["created_at"])).size, 1, "one slice, one time");
});

test("a row from before that was kept has the launch in its place", async () => {
  const { id } = await sendTo("ada");
  const sourceId = uuidOf("cmp", id);
  await app.db.execute(sql`update deliveries set planned_at = null where source_id = ${sourceId}`);
  const { launchedAt } = await app.db.one<{ launchedAt: Date }>(
    sql`select launched_at as "launchedAt" from sources where id = ${sourceId}`,
  );
  const [row] = (await app.api("GET", `/v1/campaigns/${id}/recipients`)).body.data;
  assert.equal(row.created_at, launchedAt.toISOString());
});

describe("email.queued", () => {
  const keep = (...types: EventType[]) => keepEvents(app.db, uuidOf("acc", app.accountId), "a test", types);

  it("is told only where somebody keeps it, of each who was planned to be sent, before what became of it", async () => {
    const silent = await sendTo("ada");
    await keep("email.queued", "email.sent");
    const { cursor } = await eventsSince(app);
    const listId = await makeList(app);
    const people: Json[] = [];
    for (const name of ["ada", "bob", "eve"])
      people.push(await addSubscriber(app, listId, `${name}@${listId.slice(-8)}.example`));
    const body = { email: people[2]?.["email"], reason: "manual" };
    await app.api("POST", "/v1/suppressions", { body });
    const { id } = await makeCampaign(app, listId);
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    const numbers = await stats(id);
    assert.deepEqual([numbers["recipients"], numbers["sent"], numbers["skipped"].total], [3, 2, 1]);

    const { events } = await eventsSince(app, cursor);
    const ofMail = events.filter(({ type }) => type.startsWith("email."));
    assert.deepEqual(
      ofMail.map(({ type }) => type),
      ["email.queued", "email.queued", "email.sent", "email.sent"],
    );
    assert.deepEqual(
      ofMail
        .slice(0, 2)
        .map(({ data }) => data)
        .toSorted((one, other) => (one.subscriber_id < other.subscriber_id ? -1 : 1)),
      people
        .slice(0, 2)
        .map((person) => ({ campaign_id: id, subscriber_id: person["id"], attempt: 0 }))
        .toSorted((one, other) => (one.subscriber_id < other.subscriber_id ? -1 : 1)),
    );
    const all = (await eventsSince(app)).events;
    assert.ok(all.every(({ type, data }) => type !== "email.queued" || data.campaign_id !== silent.id));
    const filtered = await app.api("GET", "/v1/events?type=email.queued");
    assert.equal(filtered.body.data.length, 2, filtered.text);
  });
});
