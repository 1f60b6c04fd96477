/** Segments of people by what they did with mail that was really sent: in previews, pages, exports and audiences. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, comparePageNumbers, makeCampaign, readCampaign } from "../support/campaigns.ts";
import {
  act as actOnSubscriber,
  addSubscriber,
  type Json,
  makeList,
  uuidOf,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
/** Apple Mail fetches images ahead under this name. */
const APPLE = "Mozilla/5.0";
const ONE = "https://example.com/one?a=1&b=2";
const TWO = "https://example.com/two";
const HTML = `<p><a href="${ONE.replaceAll("&", "&amp;")}">one</a> <a href="${TWO}">two</a></p>`;
const PEOPLE = ["ada", "bob", "apple", "gate", "eve"];

let app: TestApp;
let listId: string;
let tracked: string;
let untracked: string;
const ids = new Map<string, string>();

before(async () => {
  app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
  listId = await makeList(app);
  for (const name of PEOPLE) {
    const { id } = await addSubscriber(app, listId, `${name}@engaged.example`);
    ids.set(name, id);
  }
  tracked = await send({ name: "May" });
  untracked = await send({ name: "June", tracking: { opens: false, clicks: false } });
  // As if it had been accepted a while ago: nobody clicks within seconds.
  await app.db.execute(sql`update deliveries set changed_at = changed_at - interval '1 hour'`);
  await addSubscriber(app, listId, "new@engaged.example");
  const mails = await readMails(tracked);
  await get(mails.get("ada")?.pixel, BROWSER);
  await get(mails.get("bob")?.links[1], BROWSER);
  await get(mails.get("apple")?.pixel, APPLE);
  await get(mails.get("gate")?.pixel, "curl/8.0");
  const counted = async () => (await app.api("GET", `/v1/campaigns/${tracked}/stats`)).body;
  await until(async () => (await counted()).opens.unique === 4);
});
after(() => app.stop());

async function send(more: Json): Promise<string> {
  const { id } = await makeCampaign(app, listId, { html: HTML, ...more });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  return id;
}

async function readMails(id: string): Promise<Map<string, { links: string[]; pixel: string | undefined }>> {
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const mails = new Map();
  for (const { envelope_to, raw } of rows) {
    const { html = "" } = await PostalMime.parse(raw);
    mails.set(envelope_to.split("@")[0], {
      links: [...html.matchAll(/href="([^"]*\/c\/[^"]*)"/g)].map(([, url]) => url),
      pixel: /src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1],
    });
  }
  return mails;
}

async function get(url: string | undefined, userAgent: string): Promise<void> {
  assert.ok(url);
  const reply = await fetch(url, { redirect: "manual", headers: { "user-agent": userAgent } });
  assert.ok(reply.status < 400);
}

const preview = (rules: Json, more: Json = {}) =>
  app.api("POST", "/v1/segments/preview", { body: { rules, ...more } });

async function whoMatches(rules: Json, more: Json = {}): Promise<string[]> {
  const { status, body, text } = await preview(rules, more);
  assert.equal(status, 200, text);
  assert.equal(body.count, body.sample.length);
  return body.sample.map(({ email }: Json) => email.split("@")[0]).sort();
}

it("a page of campaigns has the numbers that each one's statistics have", async () => {
  assert.equal(await comparePageNumbers(app), 2);
  const { body } = await app.api("GET", "/v1/campaigns?include_stats=true&q=May");
  const [{ stats }] = body.data;
  assert.deepEqual([stats.sent, stats.opens.human_unique, stats.clicks.human_unique], [5, 2, 1]);
  assert.deepEqual([stats.rates.open, stats.rates.click], [2 / 5, 1 / 5]);
});

describe("a segment by engagement", () => {
  const noOpen = { field: "opened", op: "not_in_last_days", value: 90 };

  it("matches who did it, people only unless it says otherwise", async () => {
    const opened = { field: "opened", op: "campaign", value: tracked };
    assert.deepEqual(await whoMatches(opened), ["ada", "bob"]);
    assert.deepEqual(await whoMatches({ ...opened, machines: true }), ["ada", "apple", "bob", "gate"]);
    assert.deepEqual(
      await whoMatches({ field: "clicked", op: "any_of_last", value: 5 }, { list_id: listId }),
      ["bob"],
    );
    const link = (url: string) => ({ field: "clicked", op: "link", value: { campaign_id: tracked, url } });
    assert.deepEqual(await whoMatches(link(TWO)), ["bob"]);
    assert.deepEqual(await whoMatches(link(ONE)), []);
    assert.deepEqual(
      await whoMatches({ field: "sent", op: "campaign", value: untracked }),
      PEOPLE.toSorted(),
    );
    assert.deepEqual(await whoMatches({ field: "sent", op: "not_campaign", value: untracked }), ["new"]);
  });

  it("in the negative leaves out whoever couldn't be seen", async () => {
    // Apple fetches ahead; whoever is new was sent nothing.
    assert.deepEqual(await whoMatches(noOpen), ["eve", "gate"]);
    assert.deepEqual(await whoMatches({ not: { field: "opened", op: "campaign", value: tracked } }), [
      "eve",
      "gate",
    ]);
    assert.deepEqual(await whoMatches({ field: "clicked", op: "not_campaign", value: tracked }), [
      "ada",
      "apple",
      "eve",
      "gate",
    ]);
    assert.deepEqual(await whoMatches({ field: "opened", op: "not_campaign", value: untracked }), []);
    assert.deepEqual(await whoMatches({ field: "clicked", op: "none_of_last", value: 1 }), []);
  });

  it("is a segment like any other: in words, on pages, in exports and in audiences", async () => {
    const rules = { all: [noOpen, { field: "sent", op: "campaign", value: tracked }] };
    const { status, body: segment } = await app.api("POST", "/v1/segments", {
      body: { name: "Quiet", rules },
    });
    assert.equal(status, 201);
    assert.deepEqual(segment.rules, rules);
    assert.equal(segment.sentence, "Hasn't opened in the last 90 days and was sent the campaign “May”.");
    const listed = await app.api("GET", "/v1/segments");
    assert.equal(listed.body.data[0].sentence, segment.sentence);
    const page = await app.api("GET", `/v1/subscribers?segment_id=${segment.id}&include_total=true`);
    assert.equal(page.body.total, 2);
    const exported = await app.api("POST", "/v1/exports", { body: { segment_id: segment.id } });
    const csv = await (await fetch(exported.body.download_url)).text();
    assert.deepEqual(csv.match(/\w+(?=@engaged)/g)?.sort(), ["eve", "gate"]);
    const { id } = await makeCampaign(app, listId, { segment_id: segment.id, html: HTML });
    const audience = await app.api("GET", `/v1/campaigns/${id}/audience`);
    assert.equal(audience.body.will_get, 2);
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    assert.deepEqual([...(await readMails(id)).keys()].sort(), ["eve", "gate"]);
  });

  it("by the last campaigns doesn't count the one that is being sent to it", async () => {
    const rules = { field: "sent", op: "campaign", value: untracked };
    const newest = { field: "opened", op: "none_of_last", value: 1 };
    const { body: segment } = await app.api("POST", "/v1/segments", {
      body: {
        name: "Not the last",
        rules: { any: [newest, { all: [rules, { field: "email", op: "starts_with", value: "ada" }] }] },
      },
    });
    const before = await whoMatches(newest);
    const { id } = await makeCampaign(app, listId, { segment_id: segment.id, html: HTML });
    await act(app, id, "send");
    await until(async () => (await readCampaign(app, id))["status"] === "sent");
    assert.deepEqual([...(await readMails(id)).keys()].sort(), ["ada", ...before].sort());
  });

  it("that names a campaign of nobody's, or of another account, or a link that isn't there, is refused at its place", async () => {
    const other = await app.addAccount();
    const rules = {
      any: [
        { field: "opened", op: "campaign", value: tracked },
        { field: "sent", op: "campaign", value: "cmp_00000000000000000000000000" },
        { field: "clicked", op: "link", value: { campaign_id: tracked, url: "https://example.com/three" } },
        { field: "clicked", op: "link", value: { campaign_id: tracked, url: ONE } },
      ],
    };
    const faultsOf = async (key?: string) => {
      const { status, body } = await app.api("POST", "/v1/segments", {
        body: { name: "x", rules },
        ...(key && { key }),
      });
      assert.equal(status, 422);
      return body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`);
    };
    assert.deepEqual(await faultsOf(), ["/rules/any/1/value not_found", "/rules/any/2/value/url not_found"]);
    assert.deepEqual(await faultsOf(other.key), [
      "/rules/any/0/value not_found",
      "/rules/any/1/value not_found",
      "/rules/any/2/value/campaign_id not_found",
      "/rules/any/3/value/campaign_id not_found",
    ]);
  });

  it("knows nothing of who was forgotten, even if the mail is clicked again", async () => {
    const link = (await readMails(tracked)).get("bob")?.links[0];
    await actOnSubscriber(app, ids.get("bob") ?? "", "forget");
    const known = () =>
      app.db.one<{ contacts: number; mails: number }>(sql`
        select (select count(*)::int from contact_engagements) as contacts, (select count(*)::int from campaign_engagements) as mails`);
    const before = await known();
    await get(link, BROWSER);
    const counted = async () => (await app.api("GET", `/v1/campaigns/${tracked}/stats`)).body;
    await until(async () => (await counted()).clicks.total === 2);
    assert.deepEqual(await known(), before);
    assert.deepEqual(await whoMatches({ field: "opened", op: "campaign", value: tracked }), ["ada"]);
  });
});
