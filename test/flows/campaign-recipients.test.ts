/** Who opened, clicked, left and bounced: in pages, as a file, as a segment, by domain, and on a subscriber's timeline. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { insertHits } from "../../src/tracking/hits/hit-store.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HTML = `<p><a href="https://example.com/one">one</a> <a href="https://example.com/@two">two</a></p>`;

let app: TestApp;
let campaign: string;
let listId: string;
const people = new Map<string, Json>();
before(async () => {
  app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
  listId = await makeList(app);
  const addresses = ["ada@large", "bob@large", "eve@small", "zoe@small", "max@large", "bounce@large"];
  for (const address of addresses) {
    const [name = ""] = address.split("@");
    people.set(name, await addSubscriber(app, listId, `${address}.example`));
  }
  campaign = (await makeCampaign(app, listId, { name: "Launch", html: HTML }))["id"];
  assert.equal((await act(app, campaign, "send")).status, 202);
  await until(async () => (await readCampaign(app, campaign))["status"] === "sent");
  // As if the mail had been accepted a while ago: nobody clicks within seconds.
  await app.db.execute(sql`
    update deliveries set changed_at = changed_at - interval '1 hour' where source_id = ${uuidOf("cmp", campaign)}`);
  // Ada opens twice and clicks both links, a machine opens Bob's, Eve only clicks.
  await hit("ada", null, 40);
  await hit("ada", null, 300);
  await hit("ada", 0, 250);
  await hit("ada", 1, 200);
  await hit("bob", null, 30, "curl/8.0");
  await hit("eve", 0, 60);
  const left = { body: { campaign_id: campaign } };
  await app.api("POST", `/v1/subscribers/${people.get("zoe")?.["id"]}/unsubscribe`, left);
  await until(async () => (await get(`/v1/campaigns/${campaign}/stats`))["clicks"].total === 3);
});
after(() => app.stop());

const agoMs = Date.now();
const timeOf = (secondsAgo: number) => new Date(agoMs - secondsAgo * 1_000).toISOString();

async function hit(name: string, link: number | null, secondsAgo: number, userAgent = BROWSER) {
  const one = {
    accountId: uuidOf("acc", app.accountId),
    sourceId: uuidOf("cmp", campaign),
    contactId: uuidOf("con", people.get(name)?.["contact_id"]),
    link,
    at: new Date(timeOf(secondsAgo)),
    times: 1,
    isHead: false,
    isPrefetch: false,
    hasFrom: false,
    userAgent,
    address: "192.0.2.1",
  };
  await insertHits(app.db, { id: newId(systemClock), hits: [one] }, new Date());
}

async function get(path: string): Promise<Json> {
  const reply = await app.api("GET", path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const recipients = (query: string) => get(`/v1/campaigns/${campaign}/recipients?${query}`);
const nameOf = (row: Json) => String(row["email"]).split("@")[0];
const namesOf = (page: Json): string[] => page["data"].map(nameOf).sort();

describe("recipients by event", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["event=opened", ["ada", "eve"]],
    ["event=opened&include_machines=true", ["ada", "bob", "eve"]],
    ["event=clicked", ["ada", "eve"]],
    ["event=unsubscribed", ["zoe"]],
    ["event=bounced", ["bounce"]],
    ["event=failed", ["bounce"]],
    ["event=sent", ["ada", "bob", "eve", "max", "zoe"]],
  ];
  for (const [query, names] of cases) {
    it(`${query}: ${names.join(", ")}`, async () => {
      const page = await recipients(`${query}&include_total=true`);
      assert.deepEqual([namesOf(page), page["total"]], [names, names.length]);
      const found: string[] = [];
      for (let next = `/v1/campaigns/${campaign}/recipients?${query}&limit=1`; next; ) {
        const one = await get(next);
        assert.equal(one["data"].length, 1);
        found.push(...namesOf(one));
        const cursor = one["next_cursor"];
        next = cursor && `/v1/campaigns/${campaign}/recipients?${query}&limit=1&cursor=${cursor}`;
      }
      assert.deepEqual(found.sort(), names, "the same, one by one");
    });
  }

  it("say first when, how often, and whether a person did it", async () => {
    const byName = async (query: string) =>
      Object.fromEntries((await recipients(query))["data"].map((row: Json) => [nameOf(row), row["event"]]));
    assert.deepEqual(await byName("event=opened&include_machines=true"), {
      ada: { type: "opened", at: timeOf(300), times: 2, human: true },
      bob: { type: "opened", at: timeOf(30), times: 1, human: false },
      eve: { type: "opened", at: timeOf(60), times: 1, human: true },
    });
    assert.deepEqual(await byName("event=clicked"), {
      ada: { type: "clicked", at: timeOf(250), times: 2, human: true },
      eve: { type: "clicked", at: timeOf(60), times: 1, human: true },
    });
    const [row] = (await recipients("status=failed"))["data"];
    assert.equal(row.event, null);
  });

  it("are refused together with a status, and when there is no such event", async () => {
    for (const query of ["event=opened&status=sent", "event=read", "event=opened&include_machines=perhaps"]) {
      const refused = await app.api("GET", `/v1/campaigns/${campaign}/recipients?${query}`);
      assert.equal(refused.status, 400, refused.text);
    }
  });

  it("are nobody's before anything is sent", async () => {
    const { id } = await makeCampaign(app, listId);
    for (const event of ["opened", "clicked", "unsubscribed", "bounced"]) {
      const page = await get(`/v1/campaigns/${id}/recipients?event=${event}&include_total=true`);
      assert.deepEqual([page["data"], page["total"]], [[], 0]);
    }
  });
});

describe("what came back later, as mail", () => {
  let id: string;
  let sourceId: string;
  const came = async (name: string, kind: string, at: string) => {
    const contactId = uuidOf("con", people.get(name)?.["contact_id"]);
    await app.db.execute(sql`
      insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at)
      values (${uuidOf("acc", app.accountId)}, ${sourceId}, ${kind}, ${contactId}, ${at}, ${at})`);
  };
  before(async () => {
    const list = await makeList(app);
    for (const address of ["ida@late", "kim@late", "tom@soon", "bounce@soon"]) {
      const [name = ""] = address.split("@");
      people.set(name, await addSubscriber(app, list, `${address}.example`));
    }
    id = (await makeCampaign(app, list, { html: HTML }))["id"];
    sourceId = uuidOf("cmp", id);
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    await until(async () => {
      const kept = await app.db.many(sql`select from source_domains where source_id = ${sourceId}`);
      return kept.length === 2;
    });
    await came("ida", "soft_bounce", timeOf(7_200));
    await came("ida", "hard_bounce", timeOf(60));
    await came("kim", "complaint", timeOf(60));
    // It failed in session, so nothing of it was delivered that could come back.
    await came("bounce", "hard_bounce", timeOf(60));
  });

  it("is counted for each recipient once, as the gravest, and only of what was sent", async () => {
    const stats = await get(`/v1/campaigns/${id}/stats`);
    assert.deepEqual(stats["bounces"], { hard: 2, soft: 0, block: 0, total: 2 });
    assert.deepEqual([stats["sent"], stats["delivered"], stats["complaints"]], [3, 2, 1]);
  });

  it("is listed as it is counted", async () => {
    for (const [event, names] of [
      ["bounced", ["bounce", "ida"]],
      ["complained", ["kim"]],
    ]) {
      const page = await get(`/v1/campaigns/${id}/recipients?event=${event}&include_total=true`);
      assert.deepEqual([namesOf(page), page["total"]], [names, names?.length]);
    }
    const { data } = await get(`/v1/campaigns/${id}/recipients?event=bounced`);
    const ida = data.find((row: Json) => nameOf(row) === "ida");
    assert.deepEqual(ida.event, { type: "bounced", at: timeOf(7_200), times: 2, human: true });
    assert.equal(ida.status, "sent");
  });

  it("is in the numbers by domain and by time, which sum up to the campaign's", async () => {
    const whole = await get(`/v1/campaigns/${id}/stats`);
    for (const limit of [1, 50]) {
      const { data, other } = await get(`/v1/campaigns/${id}/stats/domains?limit=${limit}`);
      const sum = (of: (one: Json) => number) =>
        [...data, other].reduce((all: number, one: Json) => all + of(one), 0);
      assert.deepEqual(
        [
          sum((one) => one["bounces"].hard),
          sum((one) => one["bounces"].total),
          sum((one) => one["delivered"]),
        ],
        [whole["bounces"].hard, whole["bounces"].total, whole["delivered"]],
      );
      const late = data.find((one: Json) => one["domain"] === "late.example");
      assert.deepEqual([late.sent, late.delivered, late.bounces.hard], [2, 1, 1]);
    }
    const { data } = await get(`/v1/campaigns/${id}/stats/timeseries`);
    const hard = data.reduce((all: number, one: Json) => all + one["bounces"].hard, 0);
    assert.equal(hard, whole["bounces"].hard);
  });
});

describe("recipients whose rows were dropped", () => {
  it("are listed and exported all the same, and end the making of a segment", async () => {
    const list = await makeList(app);
    const names = ["amy", "ben", "cat"];
    const made = await Promise.all(names.map((name) => addSubscriber(app, list, `${name}@gone.example`)));
    const { id } = await makeCampaign(app, list, { html: HTML });
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    for (const one of made)
      await app.api("POST", `/v1/subscribers/${one["id"]}/unsubscribe`, { body: { campaign_id: id } });
    await app.db.execute(sql`delete from deliveries where source_id = ${uuidOf("cmp", id)}`);
    const path = `/v1/campaigns/${id}/recipients?event=unsubscribed`;
    const all = await get(`${path}&include_total=true`);
    assert.deepEqual([all["total"], all["data"].length], [3, 3]);
    const [{ id: contactId, event, created_at, updated_at, ...row }] = all["data"];
    assert.deepEqual(row, {
      object: "campaign_recipient",
      subscriber_id: null,
      email: null,
      status: null,
      reason: null,
      attempts: null,
      reply: null,
    });
    assert.ok(made.some((one) => one["contact_id"] === contactId));
    assert.deepEqual([created_at, updated_at], [event.at, event.at]);
    const found: string[] = [];
    for (let next = `${path}&limit=1`; next; ) {
      const page = await get(next);
      found.push(...page["data"].map((one: Json) => one["id"]));
      next = page["next_cursor"] && `${path}&limit=1&cursor=${page["next_cursor"]}`;
    }
    assert.deepEqual(found.sort(), made.map((one) => one["contact_id"]).sort());
    const body = { campaign_id: id, event: "unsubscribed" };
    const file = await fetch((await app.api("POST", "/v1/exports", { body })).body.download_url);
    assert.equal((await file.text()).trimEnd().split("\r\n").length, 4);
    const segment = { name: "Left long ago", event: "unsubscribed" };
    const reply = await app.api("POST", `/v1/campaigns/${id}/recipients/segments`, { body: segment });
    const making = `/v1/campaigns/${id}/recipients/segments/${reply.body.segment_id}`;
    await until(async () => (await get(making))["status"] === "completed");
    assert.deepEqual((await get(making))["counts"], { processed: 3, tagged: 0 });
  });
});

describe("an export of recipients by event", () => {
  it("has those with the time, and says what it is of", async () => {
    const body = { campaign_id: campaign, event: "opened", include_machines: true };
    const made = await app.api("POST", "/v1/exports", { body });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body.event, made.body.include_machines], ["opened", true]);
    const text = await (await fetch(made.body.download_url)).text();
    const [heading, ...lines] = text.trimEnd().split("\r\n");
    assert.equal(
      heading,
      "email,status,reason,changed_at,attempts,reply_code,reply,opened_at,opens,clicked_at,clicks,event,event_at,event_times,by_person",
    );
    const ends = lines.map((line) => [line.split("@")[0], line.split(",").slice(-4).join(",")]);
    assert.deepEqual(Object.fromEntries(ends), {
      ada: `opened,${timeOf(300)},2,yes`,
      bob: `opened,${timeOf(30)},1,no`,
      eve: `opened,${timeOf(60)},1,yes`,
    });
  });

  it("of a list has no event", async () => {
    const refused = await app.api("POST", "/v1/exports", { body: { list_id: listId, event: "opened" } });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.body.errors[0].pointer, "/event");
  });
});

describe("a segment of recipients", () => {
  const make = (body: Json) => app.api("POST", `/v1/campaigns/${campaign}/recipients/segments`, { body });
  async function made(body: Json): Promise<Json> {
    const reply = await make(body);
    assert.equal(reply.status, 202, reply.text);
    const path = `/v1/campaigns/${campaign}/recipients/segments/${reply.body.segment_id}`;
    await until(async () => (await get(path))["status"] === "completed");
    return get(path);
  }
  const membersOf = async (segmentId: string) =>
    namesOf(await get(`/v1/subscribers?segment_id=${segmentId}`));

  it("has those to whom it happened, by a tag that each of them got", async () => {
    const opened = await made({ name: "Opened it", event: "opened" });
    assert.deepEqual([opened["tag"], opened["counts"]], ["Opened it", { processed: 2, tagged: 2 }]);
    assert.deepEqual(await membersOf(opened["segment_id"]), ["ada", "eve"]);
    const ada = await get(`/v1/subscribers/${people.get("ada")?.["id"]}`);
    assert.deepEqual(ada["tags"], ["Opened it"]);
    assert.ok(ada["updated_at"] > ada["created_at"]);
    await settled(app);
    const { data } = await get("/v1/events?type=subscriber.tag_added");
    assert.deepEqual(
      data.map((event: Json) => event["data"].subscriber_id).sort(),
      [people.get("ada")?.["id"], people.get("eve")?.["id"]].sort(),
    );
    const left = await made({ name: "Left", event: "unsubscribed" });
    assert.deepEqual(await membersOf(left["segment_id"]), ["zoe"]);
    const longest = await made({ name: "🐎".repeat(64), event: "unsubscribed" });
    assert.deepEqual(await membersOf(longest["segment_id"]), ["zoe"], "64 characters, whatever their script");
    const any = await made({ name: "By any", event: "opened", include_machines: true });
    assert.deepEqual(await membersOf(any["segment_id"]), ["ada", "bob", "eve"]);
  });

  it("is refused under the name of a tag that is there, and then nothing is made", async () => {
    await app.api("POST", `/v1/subscribers/${people.get("max")?.["id"]}/tags`, { body: { add: ["VIP"] } });
    const before = (await get("/v1/segments?include_total=true"))["total"];
    for (const [name, code] of [
      ["vip", "taken"],
      ["  ", "required"],
    ]) {
      const refused = await make({ name, event: "opened" });
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual([refused.body.errors[0].pointer, refused.body.errors[0].code], ["/name", code]);
    }
    assert.equal((await get("/v1/segments?include_total=true"))["total"], before);
  });

  it("leaves out who has as many tags as there may be, and who was deleted", async () => {
    const gone = await addSubscriber(app, listId, "gone@small.example");
    const full = await addSubscriber(app, listId, "many@small.example", {
      tags: Array.from({ length: 100 }, (_, n) => `t${n}`),
    });
    const { id } = await makeCampaign(app, listId, { html: "<p>Hello</p>" });
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    await app.api("DELETE", `/v1/subscribers/${gone["id"]}`);
    const body = { name: "Was sent it", event: "sent" };
    const reply = await app.api("POST", `/v1/campaigns/${id}/recipients/segments`, { body });
    const path = `/v1/campaigns/${id}/recipients/segments/${reply.body.segment_id}`;
    await until(async () => (await get(path))["status"] === "completed");
    const { counts } = await get(path);
    assert.equal(counts.processed - counts.tagged, 2);
    assert.equal((await get(`/v1/subscribers/${full["id"]}`))["tags"].length, 100);
    const elsewhere = `/v1/campaigns/${campaign}/recipients/segments/${reply.body.segment_id}`;
    assert.equal((await app.api("GET", elsewhere)).status, 404, "it belongs to the other campaign");
  });
});

describe("statistics by domain", () => {
  it("have opens and clicks, and sum up to the campaign's whatever the limit", async () => {
    const { data } = await get(`/v1/campaigns/${campaign}/stats/domains`);
    const row = (domain: string) => data.find((one: Json) => one["domain"] === domain);
    assert.deepEqual(row("large.example").opens, {
      total: 3,
      unique: 2,
      machine_total: 1,
      machine_unique: 1,
      human_unique: 1,
    });
    assert.deepEqual([row("large.example").clicks.total, row("small.example").clicks.human_unique], [2, 1]);
    assert.equal(row("small.example").rates.open, 0.5);
    const whole = await get(`/v1/campaigns/${campaign}/stats`);
    for (const limit of [1, 2, 50]) {
      const page = await get(`/v1/campaigns/${campaign}/stats/domains?limit=${limit}`);
      for (const what of ["opens", "clicks"])
        for (const kind of ["total", "unique", "machine_total", "human_unique"])
          assert.equal(
            [...page["data"], page["other"]].reduce((sum, one) => sum + one[what][kind], 0),
            whole[what][kind],
            `${what} ${kind} of ${limit}`,
          );
    }
  });
});

describe("a subscriber's timeline", () => {
  const timeline = async (name: string, limit = 100) => {
    const path = `/v1/subscribers/${people.get(name)?.["id"]}/activity?limit=${limit}`;
    const all: Json[] = [];
    for (let next: string | null = path; next; ) {
      const page: Json = await get(next);
      all.push(...page["data"]);
      next = page["next_cursor"] && `${path}&cursor=${page["next_cursor"]}`;
    }
    return all;
  };
  const engagements = (all: readonly Json[]) =>
    all.filter(({ type }) => type === "email.opened" || type === "email.clicked");

  it("has opens and clicks with the campaign's name, each once, newest first", async () => {
    const common = { campaign_id: campaign, campaign_name: "Launch", human: true, reason: null };
    assert.deepEqual(
      engagements(await timeline("ada")).map(({ type, data, created_at }) => ({ type, data, created_at })),
      [
        {
          type: "email.clicked",
          data: { ...common, url: "https://example.com/@two", position: 2, times: 1 },
          created_at: timeOf(200),
        },
        {
          type: "email.clicked",
          data: { ...common, url: "https://example.com/one", position: 1, times: 1 },
          created_at: timeOf(250),
        },
        { type: "email.opened", data: { ...common, times: 2 }, created_at: timeOf(300) },
      ],
    );
  });

  it("says why an open is held to be a machine's", async () => {
    const [opened] = engagements(await timeline("bob"));
    assert.equal(opened?.["data"].human, false);
    assert.match(opened?.["data"].reason, /^[a-z_]+$/);
  });

  it("is the same in pages of one, and each entry has an id of its own", async () => {
    const all = await timeline("ada");
    assert.deepEqual(await timeline("ada", 1), all);
    assert.deepEqual(await timeline("ada", 2), all);
    assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  });

  it("has what happened to this subscriber, and not to the same address on another list", async () => {
    const otherList = await makeList(app);
    const other = await addSubscriber(app, otherList, "ada@large.example");
    people.set("other", other);
    assert.deepEqual(engagements(await timeline("other")), []);
    assert.deepEqual(engagements(await timeline("max")), []);
  });
});
