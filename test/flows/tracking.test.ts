/** What comes back from mail: opens, clicks and unsubscribes, through the links of mail that was really sent. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const SERVED = { opens: true, clicks: true, unsubscribe: true };
const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HTML = `<p>Hello {{ first_name }}, <a href="https://example.com/one?a=1&amp;b=2">one</a>,
  <a href="https://example.com/two#top">two</a>, <a href="mailto:us@example.com">us</a>, <a href="#top">top</a>,
  <a href="{{ unsubscribe_url }}">leave</a></p>`;

let app: TestApp;
before(async () => {
  app = await createApp({ served: SERVED });
});
after(() => app.stop());

type Sent = {
  id: string;
  listId: string;
  mails: Map<string, { html: string; unsubscribe: string; links: string[]; pixel: string }>;
};

async function send(emails: readonly string[], more: Json = {}, listInput: Json = {}): Promise<Sent> {
  const listId = await makeList(app, listInput);
  for (const email of emails) await addSubscriber(app, listId, email, { first_name: "Ada" });
  const { id } = await makeCampaign(app, listId, { html: HTML, ...more });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const rows = await app.db.many<{ envelope_to: string; raw: Buffer }>(
    sql`select envelope_to, raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const mails = new Map();
  for (const { envelope_to, raw } of rows) {
    const mail = await PostalMime.parse(raw);
    const html = mail.html ?? "";
    const header = mail.headers.find(({ key }) => key === "list-unsubscribe")?.value ?? "";
    mails.set(envelope_to, {
      html,
      unsubscribe: header.slice(1, -1),
      links: [...html.matchAll(/href="([^"]*\/c\/[^"]*)"/g)].map(([, url]) => url),
      pixel: /src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1] ?? "",
    });
  }
  return { id, listId, mails };
}

function get(url: string, headers: Record<string, string> = {}, method = "GET") {
  return fetch(url, { method, redirect: "manual", headers: { "user-agent": BROWSER, ...headers } });
}

function post(
  url: string,
  body: URLSearchParams | FormData = new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
) {
  return fetch(url, { method: "POST", body, redirect: "manual" });
}

async function stats(id: string): Promise<Json> {
  return (await app.api("GET", `/v1/campaigns/${id}/stats`)).body;
}

async function find(listId: string, email: string): Promise<{ id: string; status: string } | undefined> {
  return app.db.maybeOne(
    sql`select id, status from subscribers where list_id = ${uuidOf("lst", listId)} and email = ${email}`,
  );
}

async function statusOf(listId: string, email: string): Promise<string | undefined> {
  return (await find(listId, email))?.status;
}

function undoOf(page: string): string {
  return /action="([^"]*\/undo\/[^"]*)"/.exec(page)?.[1] ?? "no undo";
}

/** As if the mail had been accepted a while ago: nobody clicks within seconds. */
async function age(id: string): Promise<void> {
  await app.db.execute(sql`
    update deliveries set changed_at = changed_at - interval '1 hour'
    where source_id in (select id from sources where owner_id = ${uuidOf("cmp", id)})`);
}

describe("opens and clicks", () => {
  it("are counted, with people apart from machines, and the links lead where the author said", async () => {
    const { id, mails } = await send(["ada@hits.example", "bob@hits.example", "eve@hits.example"]);
    await age(id);
    const [ada, bob, eve] = ["ada", "bob", "eve"].map((name) => mails.get(`${name}@hits.example`));
    assert.ok(ada && bob && eve);
    assert.equal(ada.links.length, 2);
    assert.match(ada.html, /href="mailto:us@example\.com"/);
    const pixel = await get(ada.pixel);
    assert.deepEqual([pixel.status, pixel.headers.get("content-type")], [200, "image/gif"]);
    assert.equal(pixel.headers.get("set-cookie"), null);
    const click = await get(ada.links[0] ?? "");
    assert.deepEqual([click.status, click.headers.get("location")], [302, "https://example.com/one?a=1&b=2"]);
    assert.equal((await get(ada.links[1] ?? "")).headers.get("location"), "https://example.com/two#top");
    // A machine opens Bob's; Eve only clicks.
    await get(bob.pixel, { "user-agent": "curl/8.0" });
    await get(eve.links[0] ?? "");
    await until(async () => (await stats(id))["clicks"].total === 3);
    const found = await stats(id);
    assert.deepEqual(found["opens"], {
      total: 3,
      unique: 3,
      machine_total: 1,
      machine_unique: 1,
      human_unique: 2,
    });
    assert.deepEqual(found["clicks"], {
      total: 3,
      unique: 2,
      machine_total: 0,
      machine_unique: 0,
      human_unique: 2,
    });
    assert.equal(found["rates"].click_to_open, 1);
    assert.deepEqual(found["top_links"], [
      { url: "https://example.com/one?a=1&b=2", clicks: 2 },
      { url: "https://example.com/two#top", clicks: 1 },
    ]);
    const links = await app.api("GET", `/v1/campaigns/${id}/stats/links`);
    assert.deepEqual(
      links.body.data.map((link: Json) => [
        link["position"],
        link["total"],
        link["unique"],
        link["human"],
        link["machine"],
      ]),
      [
        [1, 2, 2, 2, 0],
        [2, 1, 1, 1, 0],
      ],
    );
    const series = await app.api("GET", `/v1/campaigns/${id}/stats/timeseries`);
    const sum = (what: string) => series.body.data.reduce((all: number, one: Json) => all + one[what], 0);
    assert.deepEqual([sum("opens"), sum("clicks")], [1, 3]);
  });

  it("of a person who repeats them are stored once a minute, with a count, and counted in full", async () => {
    const { id, mails } = await send(["rep@hits.example"]);
    await age(id);
    const mail = mails.get("rep@hits.example");
    assert.ok(mail);
    await Promise.all(Array.from({ length: 50 }, () => get(mail.pixel)));
    await until(async () => (await stats(id))["opens"].total === 50);
    const { rows } = await app.db.one<{ rows: number }>(sql`
      select count(*)::int as rows from counted_hits
      where source_id in (select id from sources where owner_id = ${uuidOf("cmp", id)})`);
    assert.ok(rows <= 2, `${rows} rows`);
    assert.equal((await stats(id))["opens"].unique, 1);
  });

  it("over all links at once are a machine's", async () => {
    const many = Array.from({ length: 5 }, (_, n) => `<a href="https://example.com/${n}">${n}</a>`).join(" ");
    const { id, mails } = await send(["gate@hits.example"], { html: `<p>${many}</p>` });
    await age(id);
    // Over some seconds, as gateways do that take one link after the other.
    for (const url of mails.get("gate@hits.example")?.links ?? []) {
      await get(url);
      await sleep(700);
    }
    await until(async () => (await stats(id))["clicks"].total === 5);
    assert.equal((await stats(id))["clicks"].human_unique, 0);
  });

  it("are refused for whatever isn't a link of a mail, and change nothing", async () => {
    const { mails } = await send(["bad@hits.example"]);
    const link = mails.get("bad@hits.example")?.links[0] ?? "";
    const [, base = "", token = ""] = /^(.*\/c\/)([^/]+)\/0$/.exec(link) ?? [];
    const flipped = token.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
    const bad = ["-1", "2", "1e9", "0x1", "01", "%00", "99999", "1000000", "0/1", ""].map(
      (n) => `${base}${token}/${n}`,
    );
    for (const url of [...bad, `${base}${flipped}/0`, `${base}${token.slice(1)}/0`, `${base}x/0`]) {
      assert.equal((await get(url)).status, 404, url);
    }
    assert.equal((await get(`${base}${token}/0?${"a".repeat(15_000)}`)).status, 302);
    assert.equal((await get(link, { "user-agent": "\u00ff".repeat(8_000) })).status, 302);
  });
});

describe("the mail as a page", () => {
  it("shows what was sent, runs nothing of it, and counts no open by itself", async () => {
    const html =
      '<p>Hello {{ first_name }} <script>document.title = "run"</script><a href="{{ view_url }}">view</a></p>';
    const { id, mails } = await send(["view@hits.example"], { html });
    const url = /href="([^"]*\/v\/[^"]*)"/.exec(mails.get("view@hits.example")?.html ?? "")?.[1] ?? "";
    const page = await get(url);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-security-policy") ?? "", /^sandbox [^;]*; default-src 'none'/);
    assert.doesNotMatch(page.headers.get("content-security-policy") ?? "", /allow-scripts/);
    const text = await page.text();
    assert.match(text, /Hello Ada/);
    assert.doesNotMatch(text, /\/o\//);
    await sleep(12_000);
    assert.equal((await stats(id))["opens"].total, 0);
    await app.db.execute(sql`delete from subscribers where email = 'view@hits.example'`);
    const later = await (await get(url)).text();
    assert.match(later, /Hello\s/);
    assert.doesNotMatch(later, /Ada/);
    assert.equal((await get(`${app.baseUrl}/v/${"A".repeat(87)}`)).status, 404);
  });
});

describe("an unsubscribe", () => {
  for (const kind of ["urlencoded", "multipart"] as const) {
    it(`by one click, ${kind}, works without a cookie or a redirect, and again changes nothing`, async () => {
      const email = `${kind}@leave.example`;
      const { id, listId, mails } = await send([email]);
      const url = mails.get(email)?.unsubscribe ?? "";
      const form = new FormData();
      form.set("List-Unsubscribe", "One-Click");
      const body = kind === "multipart" ? form : new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      const answer = await post(url, body);
      assert.equal(answer.status, 200);
      assert.deepEqual([answer.headers.get("location"), answer.headers.get("set-cookie")], [null, null]);
      assert.equal(await statusOf(listId, email), "unsubscribed");
      assert.equal((await post(url, new URLSearchParams({ "List-Unsubscribe": "One-Click" }))).status, 200);
      assert.equal((await stats(id))["unsubscribes"], 1);
    });
  }

  it("is never made by a GET or a HEAD, on any link of a mail, however often", async () => {
    const { listId, mails } = await send(["scan@leave.example"]);
    const mail = mails.get("scan@leave.example");
    assert.ok(mail);
    const token = mail.unsubscribe.split("/u/")[1];
    const urls = [
      mail.unsubscribe,
      mail.pixel,
      ...mail.links,
      `${app.baseUrl}/p/${token}`,
      `${app.baseUrl}/u/${token}/undo`,
    ];
    for (const url of urls) for (let n = 0; n < 10; n++) await get(url, {}, n % 2 ? "HEAD" : "GET");
    assert.equal(await statusOf(listId, "scan@leave.example"), "active");
  });

  it("asks on its page, names the list and no address in full, and can be undone for an hour", async () => {
    const { listId, mails } = await send(["undo@leave.example"], {}, { name: "Weekly & more" });
    const url = mails.get("undo@leave.example")?.unsubscribe ?? "";
    const page = await get(url);
    const text = await page.text();
    assert.equal(page.status, 200);
    assert.match(text, /Weekly &amp; more/);
    assert.doesNotMatch(text, /undo@leave\.example/);
    assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    const left = await post(url, new URLSearchParams({ scope: "list", reason: "too_many" }));
    assert.equal(await statusOf(listId, "undo@leave.example"), "unsubscribed");
    const undo = undoOf(await left.text());
    assert.equal((await post(`${app.baseUrl}${undo}`)).status, 200);
    assert.equal(await statusOf(listId, "undo@leave.example"), "active");
    // The same undo is good for that act alone, and no proof is good for another one.
    await post(url);
    await post(`${app.baseUrl}${undo}`);
    assert.equal(await statusOf(listId, "undo@leave.example"), "unsubscribed");
    for (const bad of [`${url}/undo`, `${url}/undo/x`, `${url}/undo/zzzzzzzz.${"A".repeat(22)}`])
      assert.equal((await post(bad)).status, 404);
  });

  it("that is taken back gives everybody the status they had, and revives nobody", async () => {
    const email = "former@leave.example";
    const pending = await makeList(app, { double_opt_in: true });
    await addSubscriber(app, pending, email);
    const { listId, mails } = await send([email]);
    await app.db.execute(
      sql`update subscribers set status = 'bounced' where list_id = ${uuidOf("lst", listId)}`,
    );
    const url = mails.get(email)?.unsubscribe ?? "";
    const left = await post(url, new URLSearchParams({ scope: "all" }));
    assert.deepEqual(await Promise.all([listId, pending].map((id) => statusOf(id, email))), [
      "unsubscribed",
      "unsubscribed",
    ]);
    await post(`${app.baseUrl}${undoOf(await left.text())}`);
    assert.deepEqual(await Promise.all([listId, pending].map((id) => statusOf(id, email))), [
      "bounced",
      "pending",
    ]);
  });

  it("says what holds when it is taken back twice, and when everything was left since", async () => {
    const email = "twice@leave.example";
    const { listId, mails } = await send([email]);
    const url = mails.get(email)?.unsubscribe ?? "";
    const undo = undoOf(await (await post(url)).text());
    for (const _again of [1, 2]) {
      assert.match(await (await post(`${app.baseUrl}${undo}`)).text(), /subscribed again/);
      assert.equal(await statusOf(listId, email), "active");
    }
    const second = undoOf(await (await post(url)).text());
    await post(url, new URLSearchParams({ scope: "all" }));
    const answer = await (await post(`${app.baseUrl}${second}`)).text();
    assert.doesNotMatch(answer, /subscribed again/);
    assert.equal(await statusOf(listId, email), "unsubscribed");
    assert.doesNotMatch(await (await get(url)).text(), /<form[^>]*method="post"[^>]*>[^<]*Unsubscribe from/);
  });

  it("that is taken back after the subscriber was deleted leaves the opt-out", async () => {
    const email = "deleted@leave.example";
    const { listId, mails } = await send([email]);
    const undo = undoOf(await (await post(mails.get(email)?.unsubscribe ?? "")).text());
    const id = toPublicId("sub", (await find(listId, email))?.id ?? "");
    assert.equal((await app.api("DELETE", `/v1/subscribers/${id}`)).status, 204);
    await post(`${app.baseUrl}${undo}`);
    await addSubscriber(app, listId, email);
    assert.equal(await statusOf(listId, email), "unsubscribed");
  });

  it("keeps no words about somebody who was erased", async () => {
    const email = "erased@leave.example";
    const { listId, mails } = await send([email]);
    const id = toPublicId("sub", (await find(listId, email))?.id ?? "");
    assert.ok((await app.api("POST", `/v1/subscribers/${id}/forget`)).status < 300);
    const words = new URLSearchParams({ scope: "list", reason: "other", comment: `I am ${email}` });
    assert.equal((await post(mails.get(email)?.unsubscribe ?? "", words)).status, 200);
    const { kept } = await app.db.one<{ kept: number }>(
      sql`select count(*)::int as kept from opt_outs where reason like '%erased@leave%'`,
    );
    assert.equal(kept, 0);
  });

  it("and its mail in the browser show nobody's new address to who holds the old mail", async () => {
    const email = "before@leave.example";
    const { listId, mails } = await send([email], { html: "<p>For {{ email }}</p>" });
    const id = toPublicId("sub", (await find(listId, email))?.id ?? "");
    const body = { email: "after@elsewhere.example" };
    assert.equal((await app.api("PATCH", `/v1/subscribers/${id}`, { body })).status, 200);
    const url = mails.get(email)?.unsubscribe ?? "";
    for (const page of [url, url.replace("/u/", "/v/")])
      assert.doesNotMatch(await (await get(page)).text(), /elsewhere\.example/);
  });

  it("made by the API afterwards isn't undone by an earlier link", async () => {
    const email = "later@leave.example";
    const { listId, mails } = await send([email]);
    const left = await post(mails.get(email)?.unsubscribe ?? "", new URLSearchParams({ scope: "all" }));
    const undo = undoOf(await left.text());
    const id = toPublicId("sub", (await find(listId, email))?.id ?? "");
    const consent = { consent: { attested: true, source: "by telephone" } };
    const back = await app.api("POST", `/v1/subscribers/${id}/resubscribe`, { body: consent });
    assert.equal(back.status, 200, back.text);
    await app.api("POST", `/v1/subscribers/${id}/unsubscribe`, { body: { scope: "all" } });
    await post(`${app.baseUrl}${undo}`);
    assert.equal(await statusOf(listId, email), "unsubscribed");
  });

  for (const type of [
    "application/x-www-form-urlencoded; charset=iso-8859-1",
    "multipart/form-data",
    "nonsense",
    "a/b, c/d",
  ]) {
    it(`counts with a body called ${type}`, async () => {
      const email = `type${type.length}@leave.example`;
      const { listId, mails } = await send([email]);
      const headers = { "content-type": type };
      const answer = await fetch(mails.get(email)?.unsubscribe ?? "", {
        method: "POST",
        body: "List-Unsubscribe=One-Click",
        headers,
      });
      assert.equal(answer.status, 200);
      assert.equal(await statusOf(listId, email), "unsubscribed");
    });
  }

  it("from everything leaves every list, and others only where they are public", async () => {
    const email = "all@leave.example";
    const other = await makeList(app, { name: "Secret list" });
    const shown = await makeList(app, { name: "Open list", public: true });
    await addSubscriber(app, other, email);
    await addSubscriber(app, shown, email);
    const { listId, mails } = await send([email]);
    const url = mails.get(email)?.unsubscribe ?? "";
    const page = await (await get(url)).text();
    assert.match(page, /Open list/);
    assert.doesNotMatch(page, /Secret list/);
    await post(
      url,
      new URLSearchParams([
        ["scope", "list"],
        ["also", shown],
        ["also", other],
      ]),
    );
    assert.deepEqual(await Promise.all([listId, shown, other].map((id) => statusOf(id, email))), [
      "unsubscribed",
      "unsubscribed",
      "active",
    ]);
    await post(url, new URLSearchParams({ scope: "all" }));
    assert.equal(await statusOf(other, email), "unsubscribed");
  });

  it("acts on the subscriber who has another address by now, and on the address that was mailed", async () => {
    const { listId, mails } = await send(["old@leave.example"]);
    const found = await find(listId, "old@leave.example");
    const moved = await app.api("PATCH", `/v1/subscribers/${toPublicId("sub", found?.id ?? "")}`, {
      body: { email: "new@leave.example" },
    });
    assert.equal(moved.status, 200, moved.text);
    await post(mails.get("old@leave.example")?.unsubscribe ?? "");
    assert.equal(await statusOf(listId, "new@leave.example"), "unsubscribed");
    const again = await addSubscriber(app, listId, "old@leave.example");
    assert.equal(again["sendable"], false);
  });

  it("of somebody who is gone, or from a list that is gone, is 200, and recreates nobody", async () => {
    const { listId, mails } = await send(["gone@leave.example", "list@leave.example"]);
    const found = await find(listId, "gone@leave.example");
    await app.api("POST", `/v1/subscribers/${toPublicId("sub", found?.id ?? "")}/forget`);
    const gone = await post(mails.get("gone@leave.example")?.unsubscribe ?? "");
    assert.equal(gone.status, 200);
    assert.equal((await get(mails.get("gone@leave.example")?.links[0] ?? "")).status, 302);
    const removed = await app.api("DELETE", `/v1/lists/${listId}?force=true`);
    assert.ok(removed.status < 300, removed.text);
    assert.equal((await post(mails.get("list@leave.example")?.unsubscribe ?? "")).status, 200);
    const { count } = await app.db.one<{ count: number }>(
      sql`select count(*)::int as count from subscribers where email in ('gone@leave.example')`,
    );
    assert.equal(count, 0);
  });

  it("takes effect on mail that is queued", async () => {
    const { mails } = await send(["queued@leave.example"]);
    const url = mails.get("queued@leave.example")?.unsubscribe ?? "";
    await post(url, new URLSearchParams({ scope: "all" }));
    const next = await send(["queued@leave.example", "stays@leave.example"]);
    assert.deepEqual([...next.mails.keys()], ["stays@leave.example"]);
  });

  test("of a test mail says that it was a test", async () => {
    for (const method of ["GET", "POST"]) {
      const answer = await get(`${app.baseUrl}/u/test`, {}, method);
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /test/i);
    }
  });

  test("by a method that isn't taken is refused without an error in the log", async () => {
    for (const path of ["/u/x", "/o/x", "/c/x/0", "/v/x", "/v1/lists"]) {
      for (const method of ["QUERY", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"]) {
        const answer = await get(`${app.baseUrl}${path}`, {}, method);
        assert.ok([400, 401, 404, 405].includes(answer.status), `${method} ${path} ${answer.status}`);
      }
    }
    assert.ok(!app.logs.some((line) => /"level":"error"/.test(line)));
  });

  test("of another account's token under a changed letter is 404", async () => {
    for (const path of ["/u/x", "/p/x", `/u/${"A".repeat(87)}`, "/o/x", `/o/${"A".repeat(5_000)}`]) {
      assert.equal((await get(`${app.baseUrl}${path}`)).status, 404, path);
    }
    assert.equal((await post(`${app.baseUrl}/u/${"A".repeat(87)}`)).status, 404);
  });
});

test("what was counted equals a recount", async () => {
  const drift = await app.db.many(sql`
    with raw as (
      select account_id, source_id, contact_id, coalesce(sum(times) filter (where link = -1), 0)::int as pixels,
             coalesce(sum(times) filter (where link = -1 and machine = ''), 0)::int as human_pixels,
             coalesce(sum(times) filter (where link >= 0), 0)::int as clicks,
             coalesce(sum(times) filter (where link >= 0 and machine = ''), 0)::int as human_clicks
      from counted_hits group by account_id, source_id, contact_id
    ), sums as (
      select source_id, sum(case when pixels > 0 then pixels else least(clicks, 1) end) as opens, count(*) as openers,
             sum(clicks) as clicks, count(*) filter (where clicks > 0) as clickers,
             count(*) filter (where human_pixels > 0 or human_clicks > 0) as human_openers,
             count(*) filter (where human_clicks > 0) as human_clickers
      from raw group by source_id
    )
    select * from sums full join (select * from engagement_sums where part = '') kept using (source_id)
    where (sums.opens, sums.openers, sums.clicks, sums.clickers, sums.human_openers, sums.human_clickers)
      is distinct from (kept.opens, kept.openers, kept.clicks, kept.clickers, kept.human_openers, kept.human_clickers)`);
  assert.deepEqual(drift, []);
});
