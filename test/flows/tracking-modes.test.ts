/** The modes of tracking, from the launch over the links of mail that was sent to the numbers, and withdrawal at any time. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, comparePageNumbers, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HTML = `<p><a href="https://example.com/one">one</a> <a href="https://example.com/two">two</a>
  <a href="https://example.com/three">three</a> <a href="{{ view_url }}">view</a></p>`;
const NOBODY = "00000000-0000-0000-0000-000000000000";

let app: TestApp;
before(async () => {
  app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
});
after(() => app.stop());

type Mail = { html: string; unsubscribe: string; view: string; links: string[]; pixel: string };
type Sent = { id: string; subscribers: Record<string, string>; mails: Record<string, Mail> };

/** Sends to these people, by their names, each with what was answered about tracking. */
async function send(
  mode: string | null,
  people: Record<string, boolean | null>,
  more: Json = {},
): Promise<Sent> {
  const listId = await makeList(app, { tracking: mode });
  const subscribers: Record<string, string> = {};
  for (const [name, tracking_consent] of Object.entries(people)) {
    const made = await addSubscriber(app, listId, `${name}@modes.example`, { tracking_consent });
    subscribers[name] = made["id"];
  }
  const { id } = await makeCampaign(app, listId, { html: HTML, ...more });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  // As if the mail had been accepted a while ago: nobody clicks within seconds.
  await app.db.execute(
    sql`update deliveries set changed_at = changed_at - interval '1 hour' where ${ofSource(id)}`,
  );
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const mails = await Promise.all(
    rows.map(async ({ envelope_to, raw }) => [envelope_to.split("@")[0], await readMail(raw)] as const),
  );
  return { id, subscribers, mails: Object.fromEntries(mails) };
}

async function readMail(raw: Buffer): Promise<Mail> {
  const { html = "", headers } = await PostalMime.parse(raw);
  return {
    html,
    unsubscribe: headers.find(({ key }) => key === "list-unsubscribe")?.value.slice(1, -1) ?? "",
    view: /href="([^"]*\/v\/[^"]*)"/.exec(html)?.[1] ?? "",
    links: linksIn(html),
    pixel: /src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1] ?? "",
  };
}

const linksIn = (html: string) => [...html.matchAll(/href="([^"]*\/c\/[^"]*)"/g)].map(([, url]) => url ?? "");
const tokenOf = (url: string | undefined) => url?.split("/")[4];
const ofSource = (id: string) =>
  sql`source_id in (select id from sources where owner_id = ${uuidOf("cmp", id)})`;

function get(url: string | undefined, userAgent = BROWSER) {
  return fetch(url ?? "", { redirect: "manual", headers: { "user-agent": userAgent } });
}

async function stats(id: string): Promise<Json> {
  return (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
}

const answer = (id: string | undefined, tracking_consent: boolean | null) =>
  app.api("PATCH", `/v1/subscribers/${id}`, { body: { tracking_consent } });

/** Whose hits are known, each contact once; nobody in particular is null. */
async function knownOf(id: string): Promise<(string | null)[]> {
  const rows = await app.db.many<{ email: string | null }>(sql`
    select distinct split_part(s.email, '@', 1) as email
    from counted_hits h left join subscribers s on s.contact_id = h.contact_id where ${ofSource(id)} order by 1`);
  return rows.map(({ email }) => email);
}

/** Counts once more from what is kept of each hit: totals, and the people among them who opened and clicked. */
async function recount(id: string): Promise<Json> {
  const isSomebody = sql`contact_id <> ${NOBODY}`;
  return app.db.one(sql`
    with each as (
      select contact_id, coalesce(sum(times) filter (where link = -1), 0)::int as pixels,
             coalesce(sum(times) filter (where link >= 0), 0)::int as clicks
      from counted_hits where ${ofSource(id)} group by contact_id
    )
    select coalesce(sum(case when pixels = 0 and ${isSomebody} then least(clicks, 1) else pixels end), 0)::int as opens,
           count(*) filter (where ${isSomebody})::int as openers, coalesce(sum(clicks), 0)::int as clicks,
           count(*) filter (where ${isSomebody} and clicks > 0)::int as clickers
    from each`);
}

async function sums(id: string): Promise<Json> {
  return app.db.one(sql`
    select coalesce(sum(opens), 0)::int as opens, coalesce(sum(openers), 0)::int as openers,
           coalesce(sum(clicks), 0)::int as clicks, coalesce(sum(clickers), 0)::int as clickers
    from engagement_sums where part = '' and ${ofSource(id)}`);
}

describe("the mode of a campaign", () => {
  it("is individual where nobody has chosen: who didn't refuse has links of their own", async () => {
    const { id, mails } = await send(null, { ada: null, bob: true, eve: false });
    const { ada, bob, eve } = mails;
    for (const mail of [ada, bob, eve]) assert.equal(tokenOf(mail?.unsubscribe)?.length, 87);
    for (const mail of [ada, bob]) {
      assert.equal(tokenOf(mail?.pixel), tokenOf(mail?.unsubscribe));
      assert.equal(tokenOf(mail?.links[0]), tokenOf(mail?.unsubscribe));
    }
    assert.equal(tokenOf(eve?.pixel)?.length, 66);
    assert.equal(tokenOf(eve?.links[0]), tokenOf(eve?.pixel));
    for (const mail of [ada, bob, eve]) await get(mail?.pixel);
    const click = await get(eve?.links[0]);
    assert.deepEqual([click.status, click.headers.get("location")], [302, "https://example.com/one"]);
    await until(async () => (await stats(id))["opens"].total === 3);
    const found = await stats(id);
    assert.deepEqual(
      [found["tracking"], found["opens"].unique, found["clicks"].unique],
      ["individual", 2, 0],
    );
    assert.equal(found["clicks"].total, 1);
    assert.deepEqual(await knownOf(id), ["ada", "bob", null]);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("consented gives only those who agreed links of their own, and counts them alone as people", async () => {
    const { id, mails } = await send("consented", { ada: null, bob: true, eve: false });
    const { ada, bob, eve } = mails;
    assert.equal(tokenOf(bob?.pixel), tokenOf(bob?.unsubscribe));
    assert.equal(tokenOf(ada?.pixel), tokenOf(eve?.pixel));
    assert.notEqual(tokenOf(ada?.unsubscribe), tokenOf(eve?.unsubscribe));
    for (const mail of [ada, bob, eve]) await get(mail?.links[0]);
    await until(async () => (await stats(id))["clicks"].total === 3);
    const { tracking, clicks, opens, rates } = await stats(id);
    assert.equal(tracking, "consented");
    assert.deepEqual([clicks.unique, clicks.human_unique, opens.unique, opens.total], [1, 1, 1, 1]);
    assert.deepEqual([rates.open, rates.click, rates.click_to_open], [null, null, 1]);
    assert.deepEqual(await knownOf(id), ["bob", null]);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("aggregate is the same for all, and says nothing about people", async () => {
    await app.api("PATCH", "/v1/account", { body: { tracking: "aggregate" } });
    const { id, mails } = await send(null, { ada: true, bob: null });
    await app.api("PATCH", "/v1/account", { body: { tracking: null } });
    const { ada, bob } = mails;
    assert.equal(ada?.pixel, bob?.pixel);
    assert.deepEqual(ada?.links, bob?.links);
    // Three links within a second would be a machine's, were it one person.
    for (const url of ada?.links ?? []) await get(url);
    await get(ada?.pixel);
    await get(bob?.pixel, "curl/8.0");
    await until(
      async () => (await stats(id))["clicks"].total === 3 && (await stats(id))["opens"].total === 2,
    );
    const { clicks, opens, rates } = await stats(id);
    const nobody = { unique: null, machine_unique: null, human_unique: null };
    assert.deepEqual(clicks, { total: 3, machine_total: 0, ...nobody });
    assert.deepEqual(opens, { total: 2, machine_total: 1, ...nobody });
    assert.deepEqual([rates.open, rates.click, rates.click_to_open], [null, null, null]);
    const links = (await app.api("GET", `/v1/campaigns/${id}/stats/links`)).body.data;
    assert.deepEqual(
      links.map((link: Json) => [link["total"], link["unique"], link["human"], link["machine"]]),
      [1, 1, 1].map((total) => [total, null, null, 0]),
    );
    assert.deepEqual(await knownOf(id), [null]);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("off leaves the author's own links and no pixel, and the way out as it is", async () => {
    const { id, mails } = await send("off", { ada: true });
    const { ada } = mails;
    assert.deepEqual([ada?.links, ada?.pixel], [[], ""]);
    assert.match(ada?.html ?? "", /href="https:\/\/example\.com\/one"/);
    assert.equal((await get(ada?.unsubscribe)).status, 200);
    const { tracking, opens } = await stats(id);
    assert.deepEqual([tracking, opens.total, opens.unique], ["off", 0, null]);
  });

  it("is narrowed by the campaign's own tracking", async () => {
    const { mails } = await send("aggregate", { ada: null }, { tracking: { opens: false, clicks: true } });
    assert.deepEqual([mails["ada"]?.links.length, mails["ada"]?.pixel], [3, ""]);
  });

  it("is frozen at the launch, and a preview has none", async () => {
    const { id, mails, subscribers } = await send("aggregate", { ada: null });
    const { list_id } = await readCampaign(app, id);
    await app.api("PATCH", `/v1/lists/${list_id}`, { body: { tracking: "individual" } });
    await get(mails["ada"]?.pixel);
    await until(async () => (await stats(id))["opens"].total === 1);
    assert.equal((await stats(id))["tracking"], "aggregate");
    const preview = await app.api("POST", `/v1/campaigns/${id}/preview`, {
      body: { subscriber_id: subscribers["ada"] },
    });
    assert.equal(preview.status, 200, preview.text);
    assert.match(preview.body.html, /href="https:\/\/example\.com\/one"/);
  });
});

describe("a token of nobody in particular", () => {
  it("opens nothing but the pixel and the links, and nothing once a character differs", async () => {
    const { mails } = await send("aggregate", { ada: null });
    const { pixel = "", links = [], unsubscribe = "" } = mails["ada"] ?? {};
    const token = tokenOf(pixel) ?? "";
    for (const kind of ["u", "p", "v"])
      assert.equal((await get(`${app.baseUrl}/${kind}/${token}`)).status, 404);
    const posted = await fetch(`${app.baseUrl}/u/${token}`, { method: "POST" });
    assert.equal(posted.status, 404);
    const changed = `${token.slice(0, 20)}${token[20] === "A" ? "B" : "A"}${token.slice(21)}`;
    for (const bad of [changed, token.slice(1), `${token}A`, token.slice(0, 65), "A".repeat(66)]) {
      assert.equal((await get(`${app.baseUrl}/o/${bad}`)).status, 404, bad);
      assert.equal((await get(`${app.baseUrl}/c/${bad}/0`)).status, 404, bad);
    }
    assert.equal((await get(links[0]?.replace(/\/0$/, "/7"))).status, 404);
    assert.equal((await get(unsubscribe)).status, 200);
  });
});

describe("the page of a mail in the browser", () => {
  it("has links in the mode of the mail, and follows what was answered since", async () => {
    const { mails, subscribers } = await send("consented", { ada: null, bob: true });
    const linksOn = async (mail: Mail | undefined) => linksIn(await (await get(mail?.view)).text());
    assert.deepEqual(await linksOn(mails["ada"]), mails["ada"]?.links);
    assert.deepEqual(await linksOn(mails["bob"]), mails["bob"]?.links);
    await answer(subscribers["bob"], false);
    assert.deepEqual(await linksOn(mails["bob"]), mails["ada"]?.links);
  });
});

describe("withdrawal", () => {
  it("stops recording for mail that was sent before", async () => {
    const { id, mails, subscribers } = await send("individual", { ada: null, bob: null });
    await answer(subscribers["ada"], false);
    await get(mails["ada"]?.links[0]);
    await get(mails["bob"]?.links[0]);
    await until(async () => (await stats(id))["clicks"].total === 2);
    assert.equal((await stats(id))["clicks"].unique, 1);
    assert.deepEqual(await knownOf(id), ["bob", null]);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("takes the name off what was recorded before, and so does an erasure; the totals stay", async () => {
    const { id, mails, subscribers } = await send("individual", { ada: true, bob: null, mia: true });
    for (const mail of Object.values(mails)) {
      await get(mail.pixel);
      await get(mail.links[0]);
    }
    await until(async () => (await stats(id))["clicks"].unique === 3);
    await answer(subscribers["ada"], false);
    const erased = await app.api("POST", `/v1/subscribers/${subscribers["mia"]}/forget`);
    assert.equal(erased.status, 202, erased.text);
    await until(async () => (await stats(id))["clicks"].unique === 1);
    const { opens, clicks } = await stats(id);
    assert.deepEqual([opens.total, opens.unique, clicks.total], [3, 1, 3]);
    assert.deepEqual(await sums(id), await recount(id));
    const { contacts } = await app.db.one<{ contacts: number }>(sql`
      select count(distinct contact_id)::int as contacts from counted_hits where ${ofSource(id)}`);
    assert.equal(contacts, 2);
    const { left } = await app.db.one<{ left: number }>(
      sql`select count(*)::int as left from tracking_withdrawals`,
    );
    assert.equal(left, 0);
    // Who agrees again is recorded again, from then on.
    await answer(subscribers["ada"], true);
    await get(mails["ada"]?.links[1]);
    await until(async () => (await stats(id))["clicks"].unique === 2);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("by an erasure reaches the mail of lists that the person had left before", async () => {
    const { id, mails, subscribers } = await send("individual", { zoe: null });
    await get(mails["zoe"]?.links[0]);
    await until(async () => (await stats(id))["clicks"].unique === 1);
    const elsewhere = await addSubscriber(app, await makeList(app), "zoe@modes.example");
    await app.api("DELETE", `/v1/subscribers/${subscribers["zoe"]}`);
    await app.api("POST", `/v1/subscribers/${elsewhere["id"]}/forget`);
    await until(async () => (await stats(id))["clicks"].unique === 0);
    assert.equal((await stats(id))["clicks"].total, 1);
    assert.deepEqual(await sums(id), await recount(id));
  });

  it("is also to clear a yes where only those who agreed are tracked, and to be deleted", async () => {
    const { id, mails, subscribers } = await send("consented", { ada: true, bob: true, eve: true });
    await answer(subscribers["ada"], null);
    await app.api("DELETE", `/v1/subscribers/${subscribers["eve"]}`);
    for (const mail of Object.values(mails)) await get(mail.links[0]);
    await until(async () => (await stats(id))["clicks"].total === 3);
    assert.deepEqual(await knownOf(id), ["bob", null]);
    assert.equal((await stats(id))["clicks"].unique, 1);
  });
});

it("in every mode a page of campaigns has the numbers that each one's statistics have", async () => {
  assert.ok((await comparePageNumbers(app)) >= 4);
});
