/** These tests go back to what a campaign said before. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeAudience, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { addPerson, type Browser, setUpOwner } from "../support/people.ts";
import { type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;
const clock = createTestClock();
let app: TestApp;
let listId: string;
let ada: Browser;
let bob: Browser;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" }, clock });
  listId = await makeAudience(app);
  ada = await setUpOwner(app);
  bob = (await addPerson(app, "bob@example.com")).browser;
});
after(() => app.stop());

const versions = async (id: string): Promise<Json[]> =>
  (await app.api("GET", `/v1/campaigns/${id}/versions`)).body.data;
const said = async (id: string) =>
  (await versions(id)).map(({ number, subject }) => `${number} ${subject}`).toReversed();
const change = async (by: Browser, id: string, body: Json) => {
  const reply = await by.send("PATCH", `/v1/campaigns/${id}`, body);
  assert.equal(reply.status, 200, reply.text);
};
/** The log shows an event once all transactions before it have ended, and tests beside this one have long ones. */
const told = async (id: string, wanted: number) => {
  const count = async () => {
    const { data } = (await app.api("GET", "/v1/events?type=campaign.updated&limit=100")).body;
    return data.filter((event: Json) => event["data"].campaign_id === id).length;
  };
  await until(async () => (await count()) >= wanted);
  assert.equal(await count(), wanted);
};

test("what one person saves within five minutes is one version and one event; another person's is another", async () => {
  const { id } = await makeCampaign(app, listId, { subject: "Made by a key" });
  await change(ada, id, { subject: "A1" });
  await change(ada, id, { subject: "A2", html: "<p>Two</p>" });
  clock.advance(4 * MINUTE_MS);
  await change(ada, id, { subject: "A3" });
  assert.deepEqual(await said(id), ["1 Made by a key", "2 A3"]);
  await told(id, 1);
  await change(bob, id, { subject: "B1" });
  await change(ada, id, { subject: "A4" });
  assert.deepEqual(await said(id), ["1 Made by a key", "2 A3", "3 B1", "4 A4"]);
  clock.advance(6 * MINUTE_MS);
  await change(ada, id, { subject: "A5" });
  assert.deepEqual((await said(id)).at(-1), "5 A5");
  await told(id, 4);
  const [newest] = await versions(id);
  const session = await ada.send("GET", "/v1/session");
  const { id: userId, name } = session.body.user;
  assert.deepEqual(newest?.["actor"], { kind: "user", id: userId, name: name || null });
});

test("a key's changes within five minutes are one version, and each is an event", async () => {
  const { id } = await makeCampaign(app, listId);
  for (const subject of ["1", "2", "3"]) await app.api("PATCH", `/v1/campaigns/${id}`, { body: { subject } });
  assert.deepEqual(await said(id), ["1 3"]);
  await told(id, 3);
});

test("a version is shown whole, and restoring it is a version of its own that loses nothing", async () => {
  const other = await makeList(app);
  const { id } = await makeCampaign(app, listId, {
    subject: "First",
    html: "<p>First</p>",
    from_name: "Ada",
    utm: { source: "letter", medium: "email" },
  });
  await change(ada, id, {
    subject: "Second",
    html: null,
    mjml: "<mjml><mj-body></mj-body></mjml>",
    utm: null,
  });
  await change(bob, id, { list_id: other, from_name: null, on_ambiguous: "hold" });
  const first = await app.api("GET", `/v1/campaigns/${id}/versions/1`);
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(
    [first.body.subject, first.body.html, first.body.mjml, first.body.from_name],
    ["First", "<p>First</p>", null, "Ada"],
  );
  const { etag } = Object.fromEntries((await app.api("GET", `/v1/campaigns/${id}`)).headers);
  const restore = (ifMatch: string) =>
    bob.send("POST", `/v1/campaigns/${id}/versions/1/restore`, undefined, { "if-match": ifMatch });
  assert.equal((await restore('"stale"')).status, 412);
  const restored = await restore(String(etag));
  assert.equal(restored.status, 200, restored.text);
  const { subject, html, mjml, from_name, utm, list_id, on_ambiguous, checks } = restored.body;
  assert.deepEqual([subject, html, mjml, from_name], ["First", "<p>First</p>", null, "Ada"]);
  assert.deepEqual(utm, { source: "letter", medium: "email", campaign: null, term: null, content: null });
  assert.deepEqual([list_id, on_ambiguous], [other, "hold"], "whom it goes to, and how, stays");
  assert.ok(checks.length > 0, "it was examined");
  const all = await versions(id);
  assert.deepEqual(
    all.map(({ number, restored_from }) => [number, restored_from]),
    [[4, 1], [3, null], [2, null], [1, null]], // biome-ignore format: a table
  );
  await change(bob, id, { subject: "After" });
  const written = await versions(id);
  assert.equal(written.length, 4, "typing goes on in the restored version");
  assert.equal(written[0]?.["restored_from"], null, "which no longer says what the first said");
  assert.equal((await restore(String(etag))).status, 412);
  assert.equal((await readCampaign(app, id))["subject"], "After");
});

test("restoring what it says already changes nothing", async () => {
  const { id } = await makeCampaign(app, listId);
  assert.equal((await act(app, id, "versions/1/restore")).status, 200);
  assert.equal((await versions(id)).length, 1);
});

test("the newest fifty are kept, and come in pages", async () => {
  const { id } = await makeCampaign(app, listId, { subject: "0" });
  for (let n = 1; n <= 52; n++) await change(n % 2 ? ada : bob, id, { subject: String(n) });
  const page = (cursor = "") =>
    app.api("GET", `/v1/campaigns/${id}/versions?limit=30&include_total=true${cursor}`);
  const first = await page();
  assert.deepEqual([first.body.total, first.body.data[0].number], [50, 53]);
  const second = await page(`&cursor=${first.body.next_cursor}`);
  assert.deepEqual([second.body.data.length, second.body.data.at(-1).number], [20, 4]);
  assert.equal((await app.api("GET", `/v1/campaigns/${id}/versions/3`)).status, 404);
  assert.equal((await act(app, id, "versions/3/restore")).status, 404);
});

test("archiving is no version; a sent campaign restores nothing, and its versions can still be read", async () => {
  const { id } = await makeCampaign(app, listId);
  await change(ada, id, { subject: "Other" });
  await change(bob, id, { archive: true });
  assert.equal((await versions(id)).length, 2);
  assert.equal((await act(app, id, "send")).status, 202);
  const refused = await act(app, id, "versions/1/restore");
  assert.deepEqual([refused.status, refused.body.code], [409, "campaign_locked"]);
  assert.equal((await versions(id)).length, 2);
});

test("odd numbers and another account's campaign are not found; a deleted draft takes its versions along", async () => {
  const { id } = await makeCampaign(app, listId);
  for (const odd of ["0", "-1", "1.5", "x", "99999999999", "1%00"])
    assert.equal((await app.api("GET", `/v1/campaigns/${id}/versions/${odd}`)).status, 404, odd);
  const neighbour = await app.addAccount();
  for (const path of ["versions", "versions/1"])
    assert.equal((await app.api("GET", `/v1/campaigns/${id}/${path}`, { key: neighbour.key })).status, 404);
  assert.equal((await app.api("DELETE", `/v1/campaigns/${id}`)).status, 204);
  assert.equal((await app.api("GET", `/v1/campaigns/${id}/versions`)).status, 404);
});
