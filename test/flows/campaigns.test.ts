/** These tests create, read, change and find campaigns. */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { act, inAnHour, makeAudience, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { type Json, makeList, walk } from "../support/subscribers.ts";

const clock = createTestClock();
let app: TestApp;
let listId: string;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" }, clock });
  listId = await makeAudience(app);
});
after(() => app.stop());

const faults = (reply: Reply): string[] =>
  reply.body.errors.map((fault: Json) => `${fault["pointer"]} ${fault["code"]}`).toSorted();

test("four fields make a draft with every field of the contract", async () => {
  const body = { name: "November", list_id: listId, subject: "News", html: "<p>Hello {{ first_name }}</p>" };
  const made = await app.api("POST", "/v1/campaigns", { body });
  assert.equal(made.status, 201, made.text);
  const { checks, created_at, updated_at, updated_by, id, ...rest } = made.body;
  assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/campaigns/${id}`);
  assert.match(id, /^cmp_/);
  assert.equal(created_at, updated_at);
  assert.equal(updated_by.kind, "api_key");
  assert.deepEqual(rest, {
    object: "campaign",
    ...body,
    segment_id: null,
    topic_id: null,
    preview_text: null,
    from_name: null,
    from_email: null,
    reply_to: null,
    mjml: null,
    blocks: null,
    template_id: null,
    template_version: null,
    text: null,
    tracking: { opens: true, clicks: true },
    utm: null,
    status: "draft",
    paused_from: null,
    pause_reason: null,
    status_reason: null,
    send_at: null,
    started_at: null,
    finished_at: null,
    archived_at: null,
    progress: {
      phase: null,
      total: 0,
      done: 0,
      remaining: 0,
      per_second: null,
      eta: null,
      daily_limit: null,
      held: null,
    },
    allowed_actions: ["update", "delete", "send", "schedule", "duplicate"],
    on_ambiguous: "resend",
    archive: false,
  });
  // A newcomer's first campaign has no sender on the sandbox, and may be sent all the same.
  const codes = checks.map((check: Json) => `${check["code"]} ${check["severity"]}`);
  assert.ok(codes.includes("missing_from warning"), codes.join(", "));
  assert.ok(codes.includes("missing_postal_address warning"));
  assert.ok(!codes.some((code: string) => code.endsWith("error")));
  assert.deepEqual(await readCampaign(app, id), made.body);
});

describe("faults of the input", () => {
  it("are named all at once", async () => {
    const body = {
      name: " ",
      list_id: "lst_x",
      html: 1,
      colour: "red",
      tracking: { opens: "yes", x: 1 },
      on_ambiguous: "guess",
    };
    const reply = await app.api("POST", "/v1/campaigns", { body });
    assert.deepEqual([reply.status, reply.body.code], [422, "validation_failed"]);
    assert.deepEqual(faults(reply), [
      "/colour unknown_field",
      "/html invalid_type",
      "/list_id not_found",
      "/name required",
      "/on_ambiguous invalid_value",
      "/subject required",
      "/tracking/opens invalid_type",
      "/tracking/x unknown_field",
    ]);
  });

  it("that only the database knows are named together with the rest", async () => {
    const unknown = "01k9zq4t3xe8k8y0v6d3m2n1pq";
    const body = {
      name: "a",
      list_id: `lst_${unknown}`,
      segment_id: `seg_${unknown}`,
      subject: "b",
      from_email: "nobody",
      reply_to: "a@b@c",
    };
    const reply = await app.api("POST", "/v1/campaigns", { body });
    assert.equal(reply.status, 422, reply.text);
    assert.deepEqual(faults(reply), [
      "/from_email invalid_email",
      "/html required",
      "/list_id not_found",
      "/reply_to invalid_email",
      "/segment_id not_found",
    ]);
  });

  it("include two contents, a template, and more than 512 KB", async () => {
    const base = { name: "a", list_id: listId, subject: "b" };
    const cases: [Json, string[]][] = [
      [{ html: "<p>a</p>", mjml: "<mjml></mjml>" }, ["/mjml only_one"]],
      [{ template_id: "tpl_01k9zq4t3xe8k8y0v6d3m2n1pq" }, ["/template_id not_found"]],
      [{ html: "é".repeat(256 * 1_024 + 1) }, ["/html too_long"]],
      [{ html: null }, ["/html required"]],
    ];
    for (const [more, expected] of cases) {
      const reply = await app.api("POST", "/v1/campaigns", { body: { ...base, ...more } });
      assert.equal(reply.status, 422);
      assert.deepEqual(faults(reply), expected);
    }
    const largest = { ...base, html: `<p>${"é".repeat(256 * 1_024 - 4)}</p>` };
    assert.equal((await app.api("POST", "/v1/campaigns", { body: largest })).status, 201);
  });

  it("include a segment of another list", async () => {
    const rules = { all: [{ field: "status", op: "is", value: "active" }] };
    const other = await makeList(app);
    const segment = await app.api("POST", "/v1/segments", { body: { name: "s", list_id: other, rules } });
    const body = { name: "a", list_id: listId, subject: "b", html: "c", segment_id: segment.body.id };
    assert.deepEqual(faults(await app.api("POST", "/v1/campaigns", { body })), ["/segment_id other_list"]);
    assert.equal((await app.api("POST", "/v1/campaigns", { body: { ...body, list_id: other } })).status, 201);
  });
});

describe("a change", () => {
  const patch = (id: string, body: Json, headers = {}) =>
    app.api("PATCH", `/v1/campaigns/${id}`, { body, headers });

  it("merges as RFC 7396 says", async () => {
    const { id } = await makeCampaign(app, listId, { preview_text: "a", tracking: { clicks: false } });
    const changed = await patch(id, { preview_text: null, from_email: " News@Example.com ", text: "plain" });
    assert.equal(changed.status, 200, changed.text);
    const { preview_text, from_email, text, html, tracking } = changed.body;
    assert.deepEqual([preview_text, from_email, text], [null, "News@Example.com", "plain"]);
    assert.deepEqual([html, tracking], ["<p>News for you</p>", { opens: true, clicks: false }]);
    const switched = await patch(id, { html: null, mjml: "<mjml><mj-body></mj-body></mjml>" });
    assert.equal(switched.status, 200, switched.text);
    assert.deepEqual(faults(await patch(id, { html: "<p>a</p>" })), ["/mjml only_one"]);
    assert.deepEqual(faults(await patch(id, { mjml: null })), ["/html required"]);
    assert.equal((await patch(id, { name: null })).status, 422);
  });

  it("is guarded by the ETag, which progress and status don't change", async () => {
    const { id } = await makeCampaign(app, listId);
    const etag = String((await app.api("GET", `/v1/campaigns/${id}`)).headers.get("etag"));
    const scheduled = await act(app, id, "schedule", { send_at: inAnHour(clock) });
    assert.equal(scheduled.headers.get("etag"), etag);
    const good = await patch(id, { subject: "x" }, { "if-match": etag });
    assert.equal(good.status, 200);
    assert.equal((await patch(id, { subject: "y" }, { "if-match": etag })).status, 412);
    assert.equal(good.body.status, "scheduled");
  });

  it("of nothing tells nobody and changes no time", async () => {
    const { id, updated_at } = await makeCampaign(app, listId);
    clock.advance(1_000);
    const same = await patch(id, { subject: "News", html: "<p>News for you</p>" });
    assert.equal(same.body.updated_at, updated_at);
  });
});

describe("a page", () => {
  let other: string;
  const made: Json[] = [];
  before(async () => {
    other = await makeList(app);
    for (const [at, name] of ["Zebra", "apple_pie", "Mango 100%", "apple pie", "Étoile"].entries()) {
      made.push(await makeCampaign(app, other, { name, subject: `Subject ${at}` }));
      clock.advance(1_000);
    }
    await act(app, made[1]?.["id"], "schedule", { send_at: inAnHour(clock) });
    clock.advance(1_000);
  });
  const names = async (query: string) =>
    (await walk(app, `/v1/campaigns?list_id=${other}&limit=2&${query}`)).map((row) => row["name"]);

  it("leaves the contents out", async () => {
    const { body } = await app.api("GET", `/v1/campaigns?list_id=${other}&include_total=true`);
    assert.equal(body.total, 5);
    for (const row of body.data) {
      for (const field of ["html", "mjml", "text", "checks"]) assert.ok(!(field in row), field);
      assert.ok("progress" in row && "allowed_actions" in row);
    }
  });

  it("comes in each order, in small pages", async () => {
    const byAge = ["Zebra", "apple_pie", "Mango 100%", "apple pie", "Étoile"];
    assert.deepEqual(await names("sort=created_at"), byAge);
    assert.deepEqual(await names(""), byAge.toReversed());
    assert.equal((await names("sort=-updated_at"))[0], "apple_pie");
    assert.deepEqual((await names("sort=name")).toReversed(), await names("sort=-name"));
    assert.deepEqual((await names("sort=name")).toSorted(), byAge.toSorted());
    assert.equal((await app.api("GET", "/v1/campaigns?sort=status")).status, 400);
  });

  it("is filtered by status, words and times", async () => {
    assert.deepEqual(await names("status=scheduled"), ["apple_pie"]);
    assert.deepEqual(await names("q=100%25"), ["Mango 100%"]);
    assert.deepEqual(await names("q=E_P"), ["apple_pie"]);
    assert.deepEqual(await names("q=subject%203"), ["apple pie"]);
    const [first, second] = made.map((row) => row["created_at"]);
    assert.deepEqual(await names(`created_before=${second}`), ["Zebra"]);
    assert.equal((await names(`created_after=${first}`)).length, 4);
    assert.deepEqual(await names(`send_at_after=${first}`), ["apple_pie"]);
    assert.deepEqual(await names("send_at_before=2020-01-01T00:00:00Z"), []);
    assert.equal((await app.api("GET", "/v1/campaigns?status=lost")).status, 400);
    assert.equal((await app.api("GET", "/v1/campaigns?list_id=lst_x")).status, 404);
  });
});

test("stats are there in every status, and zeros before sending", async () => {
  const { id } = await makeCampaign(app, listId);
  const { status, body } = await app.api("GET", `/v1/campaigns/${id}/stats`);
  assert.equal(status, 200);
  const traffic = { total: 0, unique: 0, machine_total: 0, machine_unique: 0, human_unique: 0 };
  assert.deepEqual(body, {
    object: "campaign_stats",
    campaign_id: id,
    status: "draft",
    as_of: clock.now().toISOString(),
    recipients: 0,
    queued: 0,
    sent: 0,
    delivered: 0,
    deferred: 0,
    failed: 0,
    unknown: 0,
    skipped: { suppressed: 0, unsubscribed: 0, invalid: 0, canceled: 0, deleted: 0, total: 0 },
    bounces: { hard: 0, soft: 0, block: 0, total: 0 },
    complaints: 0,
    unsubscribes: 0,
    tracking: null,
    opens: traffic,
    clicks: traffic,
    rates: { delivery: 0, bounce: 0, open: 0, click: 0, click_to_open: 0, unsubscribe: 0, complaint: 0 },
    first_open_at: null,
    last_open_at: null,
    last_click_at: null,
    top_links: [],
  });
});

test("a draft that is more than a year old is copied, not sent: its ledger would be dropped at once", async () => {
  const { id } = await makeCampaign(app, listId);
  clock.advance(381 * 24 * 3_600_000);
  const reply = await act(app, id, "send");
  assert.deepEqual([reply.status, faults(reply)], [422, [" campaign_too_old"]], reply.text);
  const copy = (await act(app, id, "duplicate")).body.id;
  assert.equal((await act(app, copy, "send")).status, 202);
});
