/** Campaigns of a topic: who gets them, what one click leaves, and how it is taken back. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { pauseContact } from "../../src/subscribers/subscribers.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, endSource, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import {
  addSubscriber,
  eventsSince,
  type Json,
  makeList,
  readSubscriber,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
const DAY_MS = 86_400_000;

/** Plans, and sends nothing: `sending` below does that once a test lets it. */
let app: TestApp;
let sending: TestApp | undefined;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,public,jobs" } });
});
after(async () => {
  await sending?.stop();
  await app.stop();
});

async function letSend(): Promise<void> {
  sending ??= await createApp({ databaseUrl: app.databaseUrl, settings: { ROLES: "sender" } });
}

const makeTopic = async (name: string, isDefault = true): Promise<string> => {
  const made = await app.api("POST", "/v1/topics", { body: { name, default: isDefault } });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const choose = async (subscriber: Json, topics: Json) => {
  const body = { topics };
  const chosen = await app.api("PATCH", `/v1/subscribers/${subscriber["id"]}/topics`, { body });
  assert.equal(chosen.status, 200, chosen.text);
};
const isOn = async (subscriber: Json, topicId: string): Promise<boolean> => {
  const { body } = await app.api("GET", `/v1/subscribers/${subscriber["id"]}/topics`);
  return body.topics.find((one: Json) => one["id"] === topicId).on;
};
const pause = (subscriber: Json, until: Date | null) =>
  app.db.transaction((tx) =>
    pauseContact(
      systemCtx({ clock: systemClock, log }, tx, uuidOf("acc", app.accountId)),
      uuidOf("con", subscriber["contact_id"]),
      until,
    ),
  );
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);

async function makePeople<const N extends string>(
  listId: string,
  domain: string,
  names: readonly N[],
): Promise<Record<N, Json>> {
  const people = await Promise.all(names.map((name) => addSubscriber(app, listId, `${name}@${domain}`)));
  return Object.fromEntries(names.map((name, at) => [name, people[at]])) as Record<N, Json>;
}

async function launch(id: string): Promise<void> {
  const launched = await act(app, id, "send");
  assert.equal(launched.status, 202, launched.text);
}

/** Waits until everybody has a row, and returns who: the name before the @. */
async function planned(id: string): Promise<string[]> {
  const ofCampaign = sql`(select id from sources where owner_id = ${uuidOf("cmp", id)} and state <> 'replaced')`;
  await until(async () => {
    const rows = await app.db.many(
      sql`select from plans where source_id in ${ofCampaign} and ended_at is not null`,
    );
    return rows.length > 0;
  });
  const rows = await app.db.many<{ name: string }>(sql`
    select split_part(s.email, '@', 1) as name from deliveries d join subscribers s on s.id = d.subscriber_id
    where d.source_id in ${ofCampaign} order by 1`);
  return rows.map(({ name }) => name);
}

async function sent(id: string): Promise<Map<string, { headers: Map<string, string>; unsubscribe: string }>> {
  await letSend();
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const mails = new Map();
  for (const { envelope_to, raw } of rows) {
    const { headers: found } = await PostalMime.parse(raw);
    const headers = new Map(found.map(({ key, value }) => [key, value]));
    const unsubscribe = new URL((headers.get("list-unsubscribe") ?? "").slice(1, -1)).pathname;
    mails.set(envelope_to.split("@")[0] ?? "", { headers, unsubscribe: app.baseUrl + unsubscribe });
  }
  return mails;
}

const post = (url: string, body: Record<string, string> = { "List-Unsubscribe": "One-Click" }) =>
  fetch(url, { method: "POST", body: new URLSearchParams(body), redirect: "manual" });
const stats = async (id: string): Promise<Json> => (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;

describe("who gets a campaign of a topic", () => {
  it("has said yes, or nothing to what is on by default, and has not paused; the last look counts", async () => {
    const listId = await makeList(app);
    const topicId = await makeTopic("Product news");
    const { gets, left, rests, leaves, pauses, back } = await makePeople(listId, "planned.example", [
      "gets",
      "left",
      "rests",
      "leaves",
      "pauses",
      "back",
    ]);
    await choose(left, { [topicId]: false });
    await choose(back, { [topicId]: false });
    await choose(back, { [topicId]: true });
    await pause(rests, inDays(30));
    await pause(gets, inDays(-1));
    const { id } = await makeCampaign(app, listId, { topic_id: topicId });
    const audience = await app.api("GET", `/v1/campaigns/${id}/audience`);
    assert.deepEqual(
      [audience.body.will_get, audience.body.excluded],
      [
        4,
        [
          { rule: "not_in_topic", count: 1 },
          { rule: "paused", count: 1 },
        ],
      ],
    );
    await launch(id);
    assert.deepEqual(await planned(id), ["back", "gets", "leaves", "pauses"]);
    await choose(leaves, { [topicId]: false });
    await pause(pauses, inDays(30));
    const mails = await sent(id);
    assert.deepEqual([...mails.keys()].toSorted(), ["back", "gets"]);
    const { recipients, sent: accepted, skipped } = await stats(id);
    assert.deepEqual([recipients, accepted, skipped.unsubscribed, skipped.total], [4, 2, 2, 2]);
    const headers = mails.get("gets")?.headers;
    assert.match(headers?.get("list-id") ?? "", new RegExp(`^Product news <${topicId}\\.`));
    assert.match(headers?.get("feedback-id") ?? "", new RegExp(`^${id}:${listId}:campaign:`));
  });

  it("needs a yes where the topic is off by default, and nobody's yes is a refusal at once", async () => {
    const listId = await makeList(app);
    const topicId = await makeTopic("Offers", false);
    const { yes } = await makePeople(listId, "offers.example", ["yes", "silent", "no"]);
    const { id } = await makeCampaign(app, listId, { topic_id: topicId });
    const refused = await act(app, id, "send");
    assert.deepEqual([refused.status, refused.body.errors[0].code], [422, "no_recipients"], refused.text);
    await choose(yes, { [topicId]: true });
    await launch(id);
    assert.deepEqual(await planned(id), ["yes"]);
  });

  it("isn't asked by mail without a topic, and a pause shows and leaves transactional mail alone", async () => {
    const listId = await makeList(app);
    const topicId = await makeTopic("Another");
    const { left, rests } = await makePeople(listId, "plain.example", ["left", "rests"]);
    await choose(left, { [topicId]: false });
    const end = inDays(90);
    await pause(rests, end);
    const shown = await readSubscriber(app, rests["id"]);
    assert.deepEqual(
      [shown["paused_until"], shown["sendable"], shown["status"], shown["status_reason"]],
      [end.toISOString(), false, "active", "paused"],
    );
    const held = await app.api("GET", `/v1/subscribers?list_id=${listId}&held_back=paused`);
    assert.deepEqual(
      held.body.data.map((one: Json) => one["id"]),
      [rests["id"]],
    );
    const { id } = await makeCampaign(app, listId);
    await launch(id);
    assert.deepEqual(await planned(id), ["left"]);
    const body = {
      from: "shop@plain.example",
      to: ["rests@plain.example"],
      subject: "Receipt",
      text: "Paid.",
    };
    const mail = await app.api("POST", "/v1/emails", { body });
    assert.equal(mail.status, 202, mail.text);
    await letSend();
    await until(async () => (await app.api("GET", `/v1/emails/${mail.body.id}`)).body.status === "sent");
    await pause(rests, null);
    const back = await readSubscriber(app, rests["id"]);
    assert.deepEqual([back["paused_until"], back["sendable"], back["status_reason"]], [null, true, null]);
  });
});

describe("a campaign's topic", () => {
  it("is named, changed and taken away; one that isn't there, or is another account's, is refused", async () => {
    const listId = await makeList(app);
    const topicId = await makeTopic("Named");
    const { id, topic_id } = await makeCampaign(app, listId, { topic_id: topicId });
    assert.equal(topic_id, topicId);
    const page = await app.api("GET", `/v1/campaigns?list_id=${listId}`);
    assert.equal(page.body.data[0].topic_id, topicId);
    const patch = (body: Json) => app.api("PATCH", `/v1/campaigns/${id}`, { body });
    assert.equal((await patch({ topic_id: null })).body.topic_id, null);
    const { key } = await app.addAccount();
    const foreign = (await app.api("POST", "/v1/topics", { key, body: { name: "Foreign" } })).body.id;
    for (const wrong of [foreign, "top_01k9zq4t3xe8k8y0v6d3m2n1pq", "nonsense"]) {
      const refused = await patch({ topic_id: wrong });
      assert.deepEqual(
        [refused.status, refused.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`)],
        [422, ["/topic_id not_found"]],
      );
    }
    await patch({ topic_id: topicId });
    const copy = await act(app, id, "duplicate");
    assert.equal(copy.body.topic_id, topicId);
  });

  it("keeps a draft from being sent once it is deleted, and holds in what was launched", async () => {
    const listId = await makeList(app);
    const topicId = await makeTopic("Deleted");
    const { gets, left } = await makePeople(listId, "deleted.example", ["gets", "left"]);
    const draft = await makeCampaign(app, listId, { topic_id: topicId });
    const launched = await makeCampaign(app, listId, { topic_id: topicId });
    await act(app, launched["id"], "schedule", { send_at: inDays(1).toISOString() });
    await choose(left, { [topicId]: false });
    await act(app, launched["id"], "unschedule");
    await launch(launched["id"]);
    assert.equal((await app.api("DELETE", `/v1/topics/${topicId}`)).status, 204);
    const refused = await act(app, draft["id"], "send");
    assert.deepEqual(
      [refused.status, refused.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`)],
      [422, ["/topic_id not_found"]],
    );
    assert.equal((await readCampaign(app, draft["id"]))["topic_id"], topicId);
    const mails = await sent(launched["id"]);
    assert.deepEqual([...mails.keys()], ["gets"]);
    // What the mail was about is gone, so that one click leaves its list.
    const page = await post(mails.get("gets")?.unsubscribe ?? "");
    assert.equal(page.status, 200);
    assert.equal((await readSubscriber(app, gets["id"]))["status"], "unsubscribed");
    assert.equal((await readSubscriber(app, left["id"]))["status"], "active");
  });

  it("is judged anew where another is chosen before anything left", async () => {
    const quiet = await createApp({ settings: { ROLES: "api,jobs" } });
    try {
      const listId = await makeList(quiet);
      const [first, second] = await Promise.all(
        ["First", "Second"].map(
          async (name) => (await quiet.api("POST", "/v1/topics", { body: { name } })).body.id as string,
        ),
      );
      const one = await addSubscriber(quiet, listId, "one@relaunch.example");
      const two = await addSubscriber(quiet, listId, "two@relaunch.example");
      for (const [person, topicId] of [
        [one, first],
        [two, second],
      ] as const)
        await quiet.api("PATCH", `/v1/subscribers/${person["id"]}/topics`, {
          body: { topics: { [topicId as string]: false } },
        });
      const { id } = await makeCampaign(quiet, listId, { topic_id: first });
      const rows = async () => {
        const found = await quiet.db.many<{ id: string }>(sql`
          select d.subscriber_id as id from deliveries d join sources src on src.id = d.source_id
          where src.owner_id = ${uuidOf("cmp", id)} and src.state <> 'replaced'`);
        return found.map((row) => row.id);
      };
      await act(quiet, id, "send");
      await until(async () => (await rows()).join() === uuidOf("sub", two["id"]));
      await endSource(quiet, id, { kind: "failed", reason: "test" });
      await quiet.api("PATCH", `/v1/campaigns/${id}`, { body: { topic_id: second } });
      assert.equal((await act(quiet, id, "send")).status, 202);
      await until(async () => (await rows()).join() === uuidOf("sub", one["id"]));
    } finally {
      await quiet.stop();
    }
  });
});

describe("one click in a mail of a topic", () => {
  let listId: string;
  let topicId: string;
  let campaignId: string;
  let people: Record<"ada" | "bo" | "cy" | "di" | "eve", Json>;
  let mails: Awaited<ReturnType<typeof sent>>;
  let proxy: DatabaseProxy;
  let away: TestApp;
  before(async () => {
    listId = await makeList(app, { name: "The weekly letter" });
    topicId = await makeTopic("Small presses");
    people = await makePeople(listId, "click.example", ["ada", "bo", "cy", "di", "eve"]);
    ({ id: campaignId } = (await makeCampaign(app, listId, { topic_id: topicId })) as { id: string });
    await launch(campaignId);
    mails = await sent(campaignId);
    proxy = await createDatabaseProxy(app.databaseUrl);
    away = await createApp({
      databaseUrl: app.databaseUrl,
      settings: { ROLES: "public", DATABASE_URL: proxy.url },
    });
  });
  after(async () => {
    await away.stop();
    await proxy.close();
  });
  const linkOf = (name: string) => mails.get(name)?.unsubscribe ?? "no mail";
  const statusOf = async (person: Json) => (await readSubscriber(app, person["id"]))["status"];

  it("leaves the topic and not the list, says so, counts once, and is taken back", async () => {
    const asked = await (await fetch(linkOf("ada"))).text();
    assert.match(asked, /Unsubscribe from <bdi>Small presses<\/bdi>\?/);
    assert.equal(await isOn(people.ada, topicId), true);
    const { cursor } = await eventsSince(app);
    const answer = await post(linkOf("ada"));
    const page = await answer.text();
    assert.equal(answer.status, 200);
    assert.match(page, /<bdi>Small presses<\/bdi> won’t come to/);
    assert.match(page, /Nothing more of .*The weekly letter/);
    assert.deepEqual([await isOn(people.ada, topicId), await statusOf(people.ada)], [false, "active"]);
    assert.match(await (await post(linkOf("ada"))).text(), /unsubscribed already/);
    assert.match(await (await fetch(linkOf("ada"))).text(), /unsubscribed already/);
    assert.equal((await stats(campaignId))["unsubscribes"], 1);
    const undo = /action="([^"]*\/undo\/[^"]*)"/.exec(page)?.[1] ?? "no undo";
    assert.match(await (await post(app.baseUrl + undo, {})).text(), /subscribed again/);
    assert.equal(await isOn(people.ada, topicId), true);
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.joined, data.left, data.campaign_id]),
      [
        ["subscriber.topics_changed", [], [topicId], campaignId],
        ["subscriber.topics_changed", [topicId], [], undefined],
      ],
    );
    // The undo is of that click alone: what was said since stands.
    await choose(people.ada, { [topicId]: false });
    await post(app.baseUrl + undo, {});
    assert.equal(await isOn(people.ada, topicId), false);
  });

  it("is followed by the list or by everything, each as before", async () => {
    await post(linkOf("bo"));
    assert.match(
      await (await post(linkOf("bo"), { scope: "list" })).text(),
      /The weekly letter<\/bdi> won’t/,
    );
    assert.equal(await statusOf(people.bo), "unsubscribed");
    assert.match(await (await post(linkOf("bo"), { scope: "all" })).text(), /from everything/);
  });

  it("ten times at once is one leaving, with the reason that was given", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(linkOf("cy"), { reason: "too_many", comment: "three a day" })),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    const { body } = await app.api("GET", `/v1/subscribers/${people.cy["id"]}/topics`);
    const choice = body.topics.find((one: Json) => one["id"] === topicId);
    assert.deepEqual([choice.on, choice.reason], [false, "Too many mails: three a day"]);
  });

  it("is kept on disk while the database is away, and doesn't undo what was said after it", async () => {
    const through = (name: string) => post(linkOf(name).replace(app.baseUrl, away.baseUrl));
    await proxy.cut();
    const answers = await Promise.all([through("di"), through("eve")]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202],
    );
    // Eve says no and yes again by another process while the click waits on disk.
    await choose(people.eve, { [topicId]: false });
    await choose(people.eve, { [topicId]: true });
    await proxy.restore();
    await until(async () => !(await isOn(people.di, topicId)));
    assert.equal(await statusOf(people.di), "active");
    assert.equal(await isOn(people.eve, topicId), true);
  });
});
