/** These tests cover preflight: what prevents sending, how it is reported, and how a campaign is previewed. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { createApp, type Reply, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, inAnHour, makeAudience, makeCampaign, severityOf } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, suppress } from "../support/subscribers.ts";

let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
  await app.api("POST", "/v1/fields", { body: { key: "city", name: "City", type: "text" } });
  listId = await makeAudience(app);
});
after(() => app.stop());

const faults = (reply: Reply): string[] =>
  reply.body.errors.map((fault: Json) => `${fault["pointer"]} ${fault["code"]}`).toSorted();

describe("preflight", () => {
  it("names every problem at once, with its place", async () => {
    const empty = await makeList(app);
    const { id } = await makeCampaign(app, empty, {
      subject: "Hi {{ firstname }}",
      html: "<p>\n  {{ fields.town }} {{ fields.city }} {{ subscriber.fields.city }} {{ subscriber.age }}</p>",
    });
    const reply = await act(app, id, "send");
    assert.deepEqual([reply.status, reply.body.code], [422, "preflight_failed"], reply.text);
    assert.deepEqual(faults(reply), [
      "/html unresolved_variable",
      "/html unresolved_variable",
      "/list_id no_recipients",
      "/subject unresolved_variable",
    ]);
    const [town] = reply.body.errors.filter((fault: Json) => /fields\.town/.test(fault["detail"]));
    assert.deepEqual([town.line, town.column], [2, 6]);
    assert.equal((await app.api("GET", `/v1/campaigns/${id}`)).body.status, "draft");
  });

  it("names a fault of the template by its line and column", async () => {
    const { id } = await makeCampaign(app, listId, { html: "<p>\n{% if first_name %}hello</p>" });
    const reply = await act(app, id, "send");
    assert.deepEqual([reply.status, faults(reply)], [422, ["/html liquid_syntax"]], reply.text);
    assert.equal(reply.body.errors[0].line, 2);
  });

  it("only warns of a sender at a free mail provider where everything goes into the sandbox", async () => {
    const { id } = await makeCampaign(app, listId, { from_email: "shop@gmail.com" });
    assert.equal(await severityOf(app, id, "free_mail_sender"), "warning");
    assert.equal((await act(app, id, "schedule", { send_at: inAnHour() })).status, 200);
  });

  it("asks for somebody to mail when sending, and not when scheduling", async () => {
    const nobody = await makeList(app);
    await addSubscriber(app, nobody, "gone@example.com");
    await suppress(app, "gone@example.com", "manual");
    const { id } = await makeCampaign(app, nobody);
    assert.deepEqual(faults(await act(app, id, "send")), ["/list_id no_recipients"]);
    assert.equal((await act(app, id, "schedule", { send_at: inAnHour() })).status, 200);
  });

  it("asks for somebody whom the segment matches", async () => {
    const rules = { all: [{ field: "first_name", op: "is", value: "Nobody" }] };
    const segment = await app.api("POST", "/v1/segments", { body: { name: "s", rules } });
    const { id } = await makeCampaign(app, listId, { segment_id: segment.body.id });
    assert.deepEqual(faults(await act(app, id, "send")), ["/list_id no_recipients"]);
    await app.api("DELETE", `/v1/segments/${segment.body.id}`);
    assert.deepEqual(faults(await act(app, id, "send")), ["/segment_id not_found"]);
  });

  it("names a list that has gone", async () => {
    const going = await makeAudience(app);
    const { id } = await makeCampaign(app, going);
    assert.equal((await app.api("DELETE", `/v1/lists/${going}?force=true`)).status, 204);
    assert.deepEqual(faults(await act(app, id, "send")), ["/list_id not_found"]);
    assert.equal((await app.api("PATCH", `/v1/campaigns/${id}`, { body: { name: "x" } })).status, 200);
  });

  it("looks at a time in the past, and at one more than a year ahead", async () => {
    const { id } = await makeCampaign(app, listId);
    const at = async (send_at: string) => (await act(app, id, "schedule", { send_at })).body;
    assert.equal((await at(new Date(Date.now() - 1_000).toISOString())).code, "send_at_in_past");
    assert.equal((await at(new Date(Date.now() + 400 * 86_400_000).toISOString())).code, "send_at_too_far");
    const noOffset = await at("2030-01-02T09:00:00");
    assert.deepEqual([noOffset.code, noOffset.errors[0].pointer], ["validation_failed", "/send_at"]);
    const berlin = new Date(Date.now() + 86_400_000).toISOString().replace("Z", "+05:30");
    assert.equal((await at(berlin)).send_at, new Date(berlin).toISOString());
  });
});

test("with a relay, a sender and a postal address are required", async () => {
  const other = await createApp({
    databaseUrl: app.databaseUrl,
    settings: {
      ROLES: "api",
      SMTP_URL: "smtp://relay.example.com:587",
      PUBLIC_URL: "https://mail.example.com",
    },
    served: WITH_UNSUBSCRIBE,
  });
  try {
    const { id } = await makeCampaign(other, listId);
    const reply = await act(other, id, "send");
    assert.deepEqual(faults(reply), ["/from_email missing_from", "/list_id missing_postal_address"]);
    const body = { from_email: "news@example.com", postal_address: "1 High Street, London" };
    await other.api("PATCH", `/v1/lists/${listId}`, { body });
    assert.equal((await act(other, id, "send")).status, 202);
    await other.api("PATCH", `/v1/lists/${listId}`, { body: { from_email: null, postal_address: null } });
  } finally {
    await other.stop();
  }
});

test("checks look at the campaign as it is now", async () => {
  const { id } = await makeCampaign(app, listId, { html: "<p>{{ nonsense }}</p>" });
  const { status, body } = await app.api("GET", `/v1/campaigns/${id}/checks`);
  assert.deepEqual([status, body.blocks_send, body.checks[0].code], [200, true, "unresolved_variable"]);
  await app.api("PATCH", `/v1/campaigns/${id}`, { body: { html: "<p>News</p>" } });
  assert.equal((await app.api("GET", `/v1/campaigns/${id}/checks`)).body.blocks_send, false);
});

describe("a preview", () => {
  const html = '<p>Dear {{ first_name | default: "friend" }} in {{ fields.city }}</p>';
  it("shows what a subscriber would get, with a way out that does nothing", async () => {
    const mia = await addSubscriber(app, listId, "mia@example.com", {
      first_name: "<Mia>",
      fields: { city: "Linz" },
    });
    const { id } = await makeCampaign(app, listId, { html, subject: "For {{ first_name }}" });
    const { status, body, text } = await act(app, id, "preview", { subscriber_id: mia["id"] });
    assert.equal(status, 200, text);
    assert.equal(body.subject, "For <Mia>");
    assert.match(body.html, /Dear &lt;Mia&gt; in Linz/);
    assert.match(body.text, /Dear <Mia> in Linz/);
    assert.ok(body.html.includes(`${app.baseUrl}/u/test`), body.html);
    assert.deepEqual([body.subscriber_id, body.from.email], [mia["id"], "sender@sandbox.invalid"]);
  });

  it("needs nobody, and refuses somebody unknown", async () => {
    const { id } = await makeCampaign(app, listId, { html });
    assert.match((await act(app, id, "preview")).body.text, /Dear Ada in Sample/);
    const subscriber_id = "sub_01k9zq4t3xe8k8y0v6d3m2n1pq";
    const unknown = await act(app, id, "preview", { subscriber_id });
    assert.deepEqual([unknown.status, faults(unknown)], [422, ["/subscriber_id not_found"]]);
  });

  it("of a broken template says where it breaks", async () => {
    const { id } = await makeCampaign(app, listId, { html: "<p>{{ first_name | }</p>" });
    const reply = await act(app, id, "preview");
    assert.deepEqual([reply.status, reply.body.code], [422, "preflight_failed"], reply.text);
    assert.equal(reply.body.errors[0].pointer, "/html");
  });
});

test("a test goes to five addresses at most, each of which is one", async () => {
  const { id } = await makeCampaign(app, listId);
  const many = Array.from({ length: 6 }, (_, at) => `a${at}@example.com`);
  assert.deepEqual(faults(await act(app, id, "test", { to: many })), ["/to too_many"]);
  assert.deepEqual(faults(await act(app, id, "test", { to: [] })), ["/to too_few"]);
  assert.deepEqual(faults(await act(app, id, "test", { to: ["a@example.com", "b"] })), [
    "/to/1 invalid_email",
  ]);
});
