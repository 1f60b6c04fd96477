/** Whom a campaign went to by reason, domain and address, and its resend to those who neither opened nor clicked it. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { FETCHES_AHEAD, hit, mailedAnHourAgo } from "../support/hits.ts";
import { addSubscriber, type Json, makeList, suppress } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const HTML = `<p><a href="https://example.com/one">one</a></p>`;
const NAMES = "ada bob eve ivy max pat ray sam tom zoe bounce full".split(" ");

let app: TestApp;
let listId: string;
let campaign: string;
const people = new Map<string, Json>();
before(async () => {
  app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
  listId = await makeList(app);
  for (const name of NAMES) {
    const refuses = name === "ray" && {
      tracking_consent: false,
      tracking_evidence: { source: "preferences", attested: true },
    };
    const domain = name === "full" ? "bücher" : "large";
    people.set(name, await addSubscriber(app, listId, `${name}@${domain}.example`, { ...refuses }));
  }
  await suppress(app, "sam@large.example", "manual");
  campaign = (await makeCampaign(app, listId, { name: "Launch", html: HTML }))["id"];
  await send(campaign);
  await mailedAnHourAgo(app, campaign);
  // Ada opens, Eve only clicks, a gateway opens Bob's, Apple fetches Pat's ahead. Zoe leaves, Tom is deleted.
  await hit(app, campaign, contactOf("ada"));
  await hit(app, campaign, contactOf("eve"), { link: 0 });
  await hit(app, campaign, contactOf("bob"), { userAgent: "curl/8.0" });
  await hit(app, campaign, contactOf("pat"), { userAgent: FETCHES_AHEAD });
  await app.api("POST", `/v1/subscribers/${people.get("zoe")?.["id"]}/unsubscribe`);
  await app.api("DELETE", `/v1/subscribers/${people.get("tom")?.["id"]}`);
  await until(async () => (await get(`/v1/campaigns/${campaign}/stats`))["opens"].unique === 4);
});
after(() => app.stop());

const contactOf = (name: string): string => people.get(name)?.["contact_id"];
async function get(path: string): Promise<Json> {
  const reply = await app.api("GET", path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
async function send(id: string): Promise<void> {
  assert.equal((await act(app, id, "send")).status, 202);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
}
const namesOf = (page: Json): string[] =>
  page["data"].map((row: Json) => String(row["email"]).split("@")[0]).sort();
const recipients = async (query: string) =>
  namesOf(await get(`/v1/campaigns/${campaign}/recipients?${query}`));

describe("recipients", () => {
  const cases: readonly [string, readonly string[]][] = [
    ["status=failed", ["bounce", "full"]],
    ["status=failed&reason=hard_bounce", ["bounce"]],
    ["status=failed&domain=Bücher.example", ["full"]],
    ["status=failed&domain=xn--bcher-kva.example&reason=hard_bounce", []],
    ["status=skipped&reason=suppressed", ["sam"]],
    ["event=skipped", ["sam"]],
    ["email=ADA@large.example", ["ada"]],
    ["email=bounce@large.example", ["bounce"]],
    ["email=nobody@large.example", []],
  ];
  for (const [query, names] of cases)
    it(`${query}: ${names.join(", ") || "nobody"}`, async () =>
      assert.deepEqual(await recipients(query), names));

  it("are refused by a reason without a status, by an address beside a status, and by what is no address", async () => {
    for (const query of [
      "reason=hard_bounce",
      "status=sent&domain=large.example",
      "event=failed&reason=hard_bounce",
      "status=sent&email=ada@large.example",
      "email=nobody",
    ]) {
      const refused = await app.api("GET", `/v1/campaigns/${campaign}/recipients?${query}`);
      assert.equal(refused.status, 400, `${query}: ${refused.text}`);
    }
  });

  it("are exported with what they opened and clicked in person", async () => {
    const made = await app.api("POST", "/v1/exports", { body: { campaign_id: campaign } });
    const text = await (await fetch(made.body.download_url)).text();
    const [heading = "", ...lines] = text.trimEnd().split("\r\n");
    assert.deepEqual(heading.split(",").slice(-4), ["opened_at", "opens", "clicked_at", "clicks"]);
    const ends = new Map(lines.map((line) => [line.split("@")[0], line.split(",").slice(-4)]));
    const counts = (name: string) => [ends.get(name)?.[1], ends.get(name)?.[3]];
    assert.deepEqual(["ada", "eve", "bob", "pat", "max"].map(counts), [
      ["1", ""],
      ["1", "1"],
      ["", ""],
      ["", ""],
      ["", ""],
    ]);
  });
});

describe("a resend to those who neither opened nor clicked", () => {
  const counts = { sent: 9, engaged: 2, will_get: 3, unseen: 2, gone: 2 };

  it("says beforehand how many it goes to, and why not to the others", async () => {
    assert.deepEqual(await get(`/v1/campaigns/${campaign}/resend`), {
      object: "campaign_resend",
      campaign_id: campaign,
      ...counts,
    });
  });

  it("is a draft for exactly those, and for nobody who opens the first mail meanwhile", async () => {
    const made = await app.api("POST", `/v1/campaigns/${campaign}/resend`);
    assert.equal(made.status, 201, made.text);
    const { id, name, status, subject, html, segment_id } = made.body;
    assert.deepEqual([name, status, subject, html], ["Launch again", "draft", "News", HTML]);
    assert.deepEqual(namesOf(await get(`/v1/subscribers?status=active&segment_id=${segment_id}`)), [
      "bob",
      "ivy",
      "max",
    ]);
    assert.equal((await get(`/v1/campaigns/${id}/audience`))["will_get"], counts.will_get);
    await hit(app, campaign, contactOf("ivy"));
    await until(async () => (await get(`/v1/campaigns/${id}/audience`))["will_get"] === 2);
    await send(id);
    assert.deepEqual(namesOf(await get(`/v1/campaigns/${id}/recipients?status=sent`)), ["bob", "max"]);
  });

  it("asks for opens alone where clicks weren't tracked", async () => {
    const { id } = await makeCampaign(app, listId, { html: HTML, tracking: { opens: true, clicks: false } });
    await send(id);
    await until(async () => (await get(`/v1/campaigns/${id}/resend`))["will_get"] > 0);
    const made = await app.api("POST", `/v1/campaigns/${id}/resend`);
    const { rules } = await get(`/v1/segments/${made.body.segment_id}`);
    assert.deepEqual(rules, { all: [{ field: "opened", op: "not_campaign", value: id }] });
  });

  it("is refused where opens weren't tracked, and before the campaign is sent", async () => {
    const { id } = await makeCampaign(app, listId, { html: HTML, tracking: { opens: false, clicks: true } });
    const refused = async (code: string) => {
      for (const method of ["GET", "POST"]) {
        const reply = await app.api(method, `/v1/campaigns/${id}/resend`);
        assert.deepEqual([reply.status, reply.body.code], [409, code], reply.text);
      }
    };
    await refused("invalid_state");
    await send(id);
    await refused("opens_not_tracked");
  });

  it("is refused where the list is gone, whose people may be deleted a moment later", async () => {
    const goneList = await makeList(app, { name: "Gone" });
    await addSubscriber(app, goneList, "last@large.example");
    const { id } = await makeCampaign(app, goneList, { html: HTML });
    await send(id);
    assert.equal((await app.api("DELETE", `/v1/lists/${goneList}?force=true`)).status, 204);
    for (const method of ["GET", "POST"]) {
      const reply = await app.api(method, `/v1/campaigns/${id}/resend`);
      assert.deepEqual([reply.status, reply.body.code], [409, "invalid_state"], reply.text);
    }
  });
});
