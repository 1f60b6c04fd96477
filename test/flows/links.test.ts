/** The links of mail that was really sent: each place by itself, with Liquid, with UTM parameters, and the one for machines. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const SERVED = { opens: true, clicks: true, unsubscribe: true };
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  app = await createApp({
    databaseUrl: database.url,
    served: SERVED,
    settings: { DATABASE_URL: proxy.url },
  });
  await app.api("POST", "/v1/fields", { body: { key: "city", name: "City", type: "text" } });
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

type Mail = { readonly html: string; readonly links: readonly string[]; readonly subscriberId: string };

async function send(html: string, names: readonly string[], more: Json = {}) {
  const listId = await makeList(app);
  const mails = new Map<string, Mail>();
  const ids = new Map<string, string>();
  for (const name of names) {
    const given = { first_name: name, fields: { city: "Köln & Bonn" } };
    const { id } = await addSubscriber(app, listId, `${name}@links.example`, given);
    ids.set(`${name}@links.example`, id);
  }
  const { id } = await makeCampaign(app, listId, { html, ...more });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  for (const { envelope_to, raw } of rows) {
    const { html: made = "" } = await PostalMime.parse(raw);
    const links = [...made.matchAll(/href="([^"]*\/c\/[^"]*)"/g)].map(([, url]) => url as string);
    const name = envelope_to.split("@")[0] as string;
    mails.set(name, { html: made, links, subscriberId: ids.get(envelope_to) ?? "" });
  }
  // As if the mail had been accepted a while ago: nobody clicks within seconds.
  await app.db.execute(sql`
    update deliveries set changed_at = changed_at - interval '1 hour'
    where source_id in (select id from sources where owner_id = ${uuidOf("cmp", id)})`);
  const mailTo = (name: string) => {
    const mail = mails.get(name);
    assert.ok(mail, name);
    return mail;
  };
  return { id, mailTo };
}

function get(url: string | undefined, userAgent = BROWSER) {
  return fetch(url ?? "", { redirect: "manual", headers: { "user-agent": userAgent } });
}

async function leadsTo(url: string | undefined): Promise<string | null> {
  const answer = await get(url);
  assert.equal(answer.status, 302, await answer.text());
  return answer.headers.get("location");
}

async function linkStats(id: string): Promise<Json[]> {
  return (await app.api("GET", `/v1/campaigns/${id}/stats/links`)).body.data;
}

async function untilClicks(id: string, total: number): Promise<Json> {
  const read = async () => (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
  await until(async () => (await read())["clicks"].total === total);
  return read();
}

/** Puts other links into the revision that a campaign was sent with. */
async function refreeze(id: string, links: readonly Json[]): Promise<void> {
  await app.db.execute(sql`
    update revisions set content = jsonb_set(content, '{compiled,links}', ${JSON.stringify(links)}::jsonb)
    where id in (select revision_id from sources where owner_id = ${uuidOf("cmp", id)})`);
}

describe("an address that stands in several places", () => {
  it("is one in the statistics, with each place by itself, and whoever clicks two of them is one person", async () => {
    const html =
      '<a href="https://example.com/x">a</a><a href="https://example.com/y">b</a><a href="https://example.com/x">c</a>';
    const { id, mailTo } = await send(html, ["ada", "bob"]);
    const [ada, bob] = [mailTo("ada"), mailTo("bob")];
    assert.deepEqual(
      ada.links.map((url) => url.split("/").at(-1)),
      ["0", "1", "2"],
    );
    assert.equal(await leadsTo(ada.links[0]), "https://example.com/x");
    assert.equal(await leadsTo(ada.links[2]), "https://example.com/x");
    await get(ada.links[2]);
    await get(bob.links[2], "curl/8.0");
    await untilClicks(id, 4);
    assert.deepEqual(await linkStats(id), [
      {
        url: "https://example.com/x",
        text: "a",
        position: 1,
        total: 4,
        unique: 2,
        human: 1,
        machine: 1,
        positions: [
          { position: 1, text: "a", total: 1, unique: 1, human: 1, machine: 0 },
          { position: 3, text: "c", total: 3, unique: 2, human: 1, machine: 1 },
        ],
      },
      {
        url: "https://example.com/y",
        text: "b",
        position: 2,
        total: 0,
        unique: 0,
        human: 0,
        machine: 0,
        positions: [{ position: 2, text: "b", total: 0, unique: 0, human: 0, machine: 0 }],
      },
    ]);
    // The same again, in another slice: nobody becomes a second person.
    await get(ada.links[0]);
    await untilClicks(id, 5);
    const [first] = await linkStats(id);
    assert.deepEqual([first?.["total"], first?.["unique"], first?.["human"]], [5, 2, 1]);
  });

  it("had one number in revisions that were frozen before, which read on", async () => {
    const html = '<a href="https://example.com/x">a</a>';
    const { id, mailTo } = await send(html, ["old"]);
    await refreeze(id, [
      { index: 0, url: "https://example.com/old", isDynamic: false },
      { index: 1, url: "https://example.com/{{ email }}", isDynamic: true },
    ]);
    const [link = ""] = mailTo("old").links;
    assert.equal(await leadsTo(link), "https://example.com/old");
    assert.equal((await get(link.replace(/0$/, "1"))).status, 404);
    await untilClicks(id, 1);
    const stats = await linkStats(id);
    assert.deepEqual(
      stats.map(({ url, position, unique }) => [url, position, unique]),
      [["https://example.com/old", 1, 1]],
    );
  });
});

describe("a link with Liquid", () => {
  const HTML =
    "<a href=\"https://example.com/{{ first_name | default: 'all' }}?c={{ fields.city | default: 'none' }}&amp;d=1\">a</a>";

  it("leads where the recipient's values say now, and by the defaults once they are gone", async () => {
    const { id, mailTo } = await send(HTML, ["liq"]);
    const { links, subscriberId } = mailTo("liq");
    assert.equal(await leadsTo(links[0]), "https://example.com/liq?c=K%C3%B6ln%20%26%20Bonn&d=1");
    await app.api("PATCH", `/v1/subscribers/${subscriberId}`, {
      body: { first_name: "../\r\nb", fields: { city: "javascript:" } },
    });
    assert.equal(await leadsTo(links[0]), "https://example.com/%0D%0Ab?c=javascript%3A&d=1");
    const gone = await app.api("DELETE", `/v1/subscribers/${subscriberId}`);
    assert.ok(gone.status < 300, gone.text);
    assert.equal(await leadsTo(links[0]), "https://example.com/all?c=none&d=1");
    await untilClicks(id, 3);
    const [stats] = await linkStats(id);
    assert.match(stats?.["url"], /^https:\/\/example\.com\/\{\{ first_name \| default: 'all' \}\}\?c=/);
    assert.equal(stats?.["total"], 3);
  });

  it("leads by the defaults while the database is away, and is counted when it is back", async () => {
    const { id, mailTo } = await send(HTML, ["away"]);
    const { links } = mailTo("away");
    assert.equal(await leadsTo(links[0]), "https://example.com/away?c=K%C3%B6ln%20%26%20Bonn&d=1");
    await proxy.cut();
    assert.equal(await leadsTo(links[0]), "https://example.com/all?c=none&d=1");
    await proxy.restore();
    await untilClicks(id, 2);
  });

  it("leads nowhere where what is frozen is dangerous, or leaves the author's host", async () => {
    const { id, mailTo } = await send(HTML, ["evil"]);
    const [link = ""] = mailTo("evil").links;
    const elsewhere = { origin: "https://example.com", slots: [] };
    await refreeze(id, [
      { index: 0, url: "javascript:alert(1)", isDynamic: false },
      { index: 1, url: "https://a:b@example.com/", isDynamic: false },
      { index: 2, url: "x", isDynamic: true, liquid: { ...elsewhere, pieces: ["https://evil.example/"] } },
      { index: 3, url: "x", isDynamic: true, liquid: { ...elsewhere, pieces: ["https://example.com/ok"] } },
    ]);
    for (const n of [0, 1, 2]) assert.equal((await get(link.replace(/0$/, `${n}`))).status, 404, `${n}`);
    assert.equal(await leadsTo(link.replace(/0$/, "3")), "https://example.com/ok");
    for (const n of ["-1", "4", "1e9", "0x1", "03", "3%20", "3.0", "١"]) {
      assert.equal((await get(link.replace(/0$/, n))).status, 404, n);
    }
  });

  it("that can't be counted is left alone, and a check says where it stands and why", async () => {
    const html =
      '<p>x</p>\n<a href="https://example.com/{{ fields.city }}">a</a>\n {% for n in (1..2) %}<a href="https://example.com/{{ n }}">b</a>{% endfor %}';
    const listId = await makeList(app);
    const { checks } = await makeCampaign(app, listId, { html });
    const found = checks.filter(({ code }: Json) => code === "link_not_tracked");
    assert.equal(found.length, 1);
    assert.deepEqual([found[0].severity, found[0].count], ["info", 1]);
    assert.equal(
      found[0].message,
      "Clicks on this link aren't counted, because n is known only while the mail is made.",
    );
    assert.deepEqual(found[0].place, {
      part: "html",
      line: 3,
      column: 52,
      excerpt: "https://example.com/{{ n }}",
    });
    const uncounted = await makeCampaign(app, listId, { html, tracking: { clicks: false } });
    assert.ok(!uncounted["checks"].some(({ code }: Json) => code === "link_not_tracked"));
  });
});

describe("UTM parameters", () => {
  const UTM = { source: "news", medium: "email", campaign: "november & more", term: null, content: null };

  it("are a campaign's own: made, merged, copied and cleared", async () => {
    const listId = await makeList(app);
    const made = await makeCampaign(app, listId, { utm: { source: "news", medium: "email" } });
    assert.deepEqual(made["utm"], { ...UTM, campaign: null });
    const patch = (utm: Json | null) => app.api("PATCH", `/v1/campaigns/${made["id"]}`, { body: { utm } });
    assert.deepEqual((await patch({ campaign: "november & more" })).body.utm, UTM);
    const events = async (type: string, id: string) =>
      (await app.api("GET", `/v1/events?type=${type}&limit=200`)).body.data.filter(
        ({ data }: Json) => data.campaign_id === id,
      ).length;
    const id = made["id"];
    await until(async () => (await events("campaign.updated", id)) === 1);
    assert.deepEqual((await patch({ campaign: "november & more" })).body.utm, UTM);
    const copy = await act(app, made["id"], "duplicate");
    assert.deepEqual(copy.body.utm, UTM);
    // An event is read a moment after its change, and the copy's after all that were made before it.
    await until(async () => (await events("campaign.created", copy.body.id)) === 1);
    assert.equal(await events("campaign.updated", id), 1, "what changes nothing is no event");
    assert.equal((await patch({ source: null, medium: null, campaign: null })).body.utm, null);
    assert.deepEqual((await patch({ term: "x" })).body.utm, {
      source: null,
      medium: null,
      campaign: null,
      term: "x",
      content: null,
    });
    assert.equal((await patch(null)).body.utm, null);
    for (const bad of [{ source: "x".repeat(201) }, { sauce: "x" }, { source: 1 }, "x"]) {
      assert.equal((await patch(bad as Json)).status, 422, JSON.stringify(bad));
    }
  });

  it("are at the end of the way, and not in the statistics", async () => {
    const html =
      '<a href="https://example.com/x?a=1#top">a</a><a href="https://example.com/?c={{ first_name }}">b</a>' +
      '<a data-track="off" href="https://example.com/off">c</a><a href="{{ unsubscribe_url }}">d</a>';
    const { id, mailTo } = await send(html, ["utm"], { utm: UTM });
    const mail = mailTo("utm");
    const added = "utm_source=news&utm_medium=email&utm_campaign=november%20%26%20more";
    assert.equal(await leadsTo(mail.links[0]), `https://example.com/x?a=1&${added}#top`);
    assert.equal(await leadsTo(mail.links[1]), `https://example.com/?c=utm&${added}`);
    assert.ok(mail.html.includes(`href="https://example.com/off?${added.replaceAll("&", "&amp;")}"`));
    assert.match(mail.html, /href="[^"]*\/u\/[\w-]+"/);
    assert.deepEqual(
      (await linkStats(id)).map(({ url }) => url),
      ["https://example.com/x?a=1#top", "https://example.com/?c={{ first_name }}"],
    );
  });
});

describe("the honeypot", () => {
  it("is off by default, and where it is on, whoever follows it is a machine", async () => {
    const html = '<a href="https://example.com/x">a</a>';
    const without = await send(html, ["plain"]);
    assert.equal(without.mailTo("plain").links.length, 1);
    assert.equal((await app.api("GET", "/v1/account")).body.honeypot_link, false);
    const patched = await app.api("PATCH", "/v1/account", { body: { honeypot_link: true } });
    assert.deepEqual([patched.status, patched.body.honeypot_link], [200, true]);
    const { id, mailTo } = await send(html, ["bot", "eve"]);
    await app.api("PATCH", "/v1/account", { body: { honeypot_link: false } });
    const [bot, eve] = [mailTo("bot"), mailTo("eve")];
    assert.equal(bot.links.length, 2);
    await get(bot.links[0]);
    const trap = await get(bot.links[1]);
    assert.equal(trap.status, 200);
    assert.match(await trap.text(), /Nothing to see here/);
    await get(eve.links[0]);
    const stats = await untilClicks(id, 3);
    assert.deepEqual(stats["clicks"], {
      total: 3,
      unique: 2,
      machine_total: 2,
      machine_unique: 1,
      human_unique: 1,
    });
    const links = await linkStats(id);
    assert.deepEqual(
      links.map(({ url, total, human, machine }) => [url, total, human, machine]),
      [["https://example.com/x", 2, 1, 1]],
    );
    const reasons = await app.db.many<{ machine: string }>(sql`
      select machine from counted_hits
      where source_id in (select id from sources where owner_id = ${uuidOf("cmp", id)}) order by machine`);
    assert.deepEqual(
      reasons.map(({ machine }) => machine),
      ["", "honeypot", "same_machine"],
    );
  });
});
