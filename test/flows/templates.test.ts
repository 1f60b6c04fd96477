/** Templates are edited as drafts, published as versions that never change, and made into mails and campaigns. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { untilBlocking } from "../support/blocked.ts";
import { makeAudience } from "../support/campaigns.ts";
import { caughtFor, untilStatus } from "../support/emails.ts";
import { addPerson } from "../support/people.ts";
import type { Json } from "../support/subscribers.ts";
import { settled } from "../support/subscribers.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

let count = 0;
const unique = () => `Template ${++count}`;
const RECEIPT: Json = {
  subject: "Order {{ order }}",
  preview_text: "{{ total }} paid",
  html: "<p>Hello {{ who | default: 'there' }}, {{ total }} for {% for item in items %}<b>{{ item.name }}</b>{% endfor %}</p>",
  variables: [
    { name: "order", type: "string", required: true, sample: "1042" },
    { name: "total", type: "number", default: 0 },
    { name: "who", type: "string" },
    { name: "items", type: "list", sample: [{ name: "Tea" }] },
  ],
};

const post = (path: string, body?: unknown, options: Json = {}): Promise<Reply> =>
  app.api("POST", path, { ...options, ...(body !== undefined && { body }) });
const faultsOf = ({ body }: Reply): string[] =>
  (body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`);

async function make(more: Json = {}): Promise<Json & { id: string }> {
  const reply = await post("/v1/templates", { name: unique(), ...RECEIPT, ...more });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
}

async function publish(id: string): Promise<Json> {
  const reply = await post(`/v1/templates/${id}/publish`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function patch(id: string, body: Json): Promise<Reply> {
  const reply = await app.api("PATCH", `/v1/templates/${id}`, { body });
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

const mail = (id: unknown, more: Json = {}) =>
  post("/v1/emails", { from: "shop@acme.example", to: ["ada@example.com"], template_id: id, ...more });

test("a draft is made, found by its name, changed, published and copied, and each is told", async () => {
  const made = await make({ name: "Grüße aus Köln" });
  assert.deepEqual([made["draft_version"], made["published_version"]], [1, null]);
  assert.deepEqual(made["variables"].slice(0, 2), [
    { name: "order", type: "string", required: true, sample: "1042", default: null },
    { name: "total", type: "number", required: false, sample: null, default: 0 },
  ]);
  const found = await app.api("GET", `/v1/templates?q=${encodeURIComponent("AUS KÖ")}&include_total=true`);
  assert.deepEqual(
    [found.body.total, found.body.data[0].id, found.body.data[0].html],
    [1, made.id, undefined],
  );
  const published = await publish(made.id);
  assert.deepEqual(
    [published["published_version"], published["draft_version"], published["has_unpublished_changes"]],
    [1, 2, false],
  );
  const changed = await patch(made.id, { text: "Thank you, {{ who }}." });
  assert.equal(changed.body.has_unpublished_changes, true);
  const copy = await post(`/v1/templates/${made.id}/duplicate`);
  const again = await post(`/v1/templates/${made.id}/duplicate`);
  assert.deepEqual(
    [copy.body.name, again.body.name, copy.body.published_version, copy.body.text],
    ["Grüße aus Köln (copy)", "Grüße aus Köln (copy 2)", null, "Thank you, {{ who }}."],
  );
  assert.equal((await app.api("DELETE", `/v1/templates/${copy.body.id}`)).status, 204);
  assert.equal((await app.api("GET", `/v1/templates/${copy.body.id}`)).status, 404);
  await settled(app);
  const { body: events } = await app.api("GET", "/v1/events?limit=200");
  const told = (id: string) =>
    events.data
      .filter(({ data }: Json) => data.template_id === id)
      .map(({ type }: Json) => type)
      .reverse();
  assert.deepEqual(told(made.id), ["template.created", "template.published", "template.updated"]);
  assert.deepEqual(told(copy.body.id), ["template.created", "template.deleted"]);
});

test("a name is taken once, whatever its case; two who take it at once don't both get it", async () => {
  await make({ name: "Ünïque" });
  const taken = await post("/v1/templates", { name: " ÜNÏQUE ", subject: "x" });
  assert.deepEqual([taken.status, taken.body.code], [409, "template_exists"]);
  const other = await make();
  const renamed = await app.api("PATCH", `/v1/templates/${other.id}`, { body: { name: "ünïque" } });
  assert.equal(renamed.body.code, "template_exists");
  const name = unique();
  const both = await Promise.all([1, 2].map(() => post("/v1/templates", { name })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 409]);
});

test("a template that several people copy at once has as many copies", async () => {
  const { id } = await make();
  const copies = await Promise.all(Array.from({ length: 5 }, () => post(`/v1/templates/${id}/duplicate`)));
  assert.deepEqual(
    copies.map(({ status }) => status),
    [201, 201, 201, 201, 201],
  );
  assert.equal(new Set(copies.map(({ body }) => body.name)).size, 5);
});

test("a version never changes, and the draft can go back to it", async () => {
  const { id } = await make();
  await publish(id);
  await patch(id, {
    subject: "Second {{ order }}",
    variables: [{ name: "order", type: "string" }],
    html: "<p>{{ order }}</p>",
    preview_text: null,
  });
  await publish(id);
  const versions = await app.api("GET", `/v1/templates/${id}/versions?limit=1&include_total=true`);
  assert.deepEqual([versions.body.total, versions.body.has_more, versions.body.data[0].number], [2, true, 2]);
  const first = await app.api("GET", `/v1/templates/${id}/versions/1`);
  assert.deepEqual([first.body.subject, first.body.html], [RECEIPT["subject"], RECEIPT["html"]]);
  assert.equal(first.body.actor.kind, "api_key");
  const restored = await post(`/v1/templates/${id}/versions/1/restore`);
  assert.deepEqual([restored.body.subject, restored.body.published_version], [RECEIPT["subject"], 2]);
  assert.equal((await app.api("GET", `/v1/templates/${id}/versions/3`)).status, 404);
  assert.equal((await post(`/v1/templates/${id}/versions/3/restore`)).status, 404);
});

test("rendering shows the draft or a version, fills in defaults, and says what is missing", async () => {
  const { id } = await make();
  const render = (body?: unknown) => post(`/v1/templates/${id}/render`, body);
  const bare = await render();
  assert.equal(bare.status, 200, bare.text);
  assert.deepEqual(
    [bare.body.subject, bare.body.missing, bare.body.version],
    ["Order ", ["order", "who", "items"], 1],
  );
  assert.match(bare.body.html, /Hello there, 0 for <\/p>/);
  const values = {
    order: "7\r\nBcc: eve@example.com",
    who: "<script>",
    total: 9.5,
    items: [{ name: "A & B" }],
  };
  const full = await render({ variables: values, strict: true });
  assert.equal(full.status, 200, full.text);
  assert.equal(full.body.subject, "Order 7 Bcc: eve@example.com");
  assert.match(full.body.html, /Hello &lt;script&gt;, 9\.5 for <b[^>]*>A &amp; B<\/b>/);
  assert.match(full.body.text, /Hello <script>, 9\.5 for/);
  const strict = await render({ strict: true, variables: { total: "9", nobody: 1 } });
  assert.equal(strict.status, 422);
  assert.deepEqual(faultsOf(strict).toSorted(), [
    "/variables/nobody unknown_variable",
    "/variables/order required",
    "/variables/total invalid_type",
  ]);
  const typed = {
    subject: "Typed {{ now }}",
    variables: [{ name: "now", type: "date" }],
    html: "<p>{{ now }}</p>",
  };
  const draft = { ...typed, preview_text: null };
  const unsaved = await render({ draft, variables: { now: "2026-11-14" } });
  assert.deepEqual([unsaved.body.subject, unsaved.body.missing], ["Typed 2026-11-14", []], unsaved.text);
  assert.equal((await app.api("GET", `/v1/templates/${id}`)).body.subject, RECEIPT["subject"]);
  assert.deepEqual(faultsOf(await render({ draft: { mjml: "<mjml>" } })), ["/draft/mjml only_one"]);
  assert.deepEqual(faultsOf(await render({ draft, version: 1 })), ["/version conflict"]);
  await publish(id);
  await patch(id, { subject: "Later" });
  assert.equal((await render({ version: 1, variables: { order: "7" } })).body.subject, "Order 7");
  assert.equal((await render({ version: 2 })).body.subject, "Later");
  assert.deepEqual(faultsOf(await render({ version: 9 })), ["/version not_found"]);
});

test("a starter is a template to begin with, and each can be published as it is", async () => {
  for (const starter of ["letter", "newsletter", "announcement", "digest", "catalogue", "receipt"]) {
    const made = await post("/v1/templates", { name: unique(), starter });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.body.html, made.body.mjml], [null, null], starter);
    assert.equal(made.body.blocks.version, 1, starter);
    await publish(made.body.id);
  }
  const unknown = await post("/v1/templates", { name: unique(), starter: "nothing" });
  assert.match(faultsOf(unknown).join(), /^\/starter /);
});

test("what can't be made into mail isn't published, and every fault is named where it is", async () => {
  const refused = async (more: Json) => {
    const { id } = await make({ preview_text: null, variables: [], ...more });
    const reply = await post(`/v1/templates/${id}/publish`);
    assert.deepEqual([reply.status, reply.body.code], [422, "template_faulty"], reply.text);
    assert.equal((await app.api("GET", `/v1/templates/${id}`)).body.published_version, null);
    return reply;
  };
  const syntax = await refused({ subject: "Hi", html: "<p>\n{% if x %}" });
  assert.deepEqual(faultsOf(syntax), ["/html liquid_syntax"]);
  assert.equal(syntax.body.errors[0].line, 2);
  const unknown = await refused({
    subject: "{{ nobody }}",
    html: null,
    mjml: "<mjml><mj-body><mj-text>{{ a.b }} {{ first_name }}</mj-text></mj-body></mjml>",
  });
  assert.deepEqual(faultsOf(unknown), ["/subject unresolved_variable", "/mjml unresolved_variable"]);
  assert.deepEqual(faultsOf(await refused({ subject: "Hi", html: null })), ["/text empty"]);
  const place = await refused({ subject: "Hi", html: "<script>{{ email }}</script>" });
  assert.deepEqual(faultsOf(place), ["/html unsafe_place"]);
  const endless =
    "{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}";
  const slow = await refused({ subject: "Hi", html: endless });
  assert.match(faultsOf(slow).join(), /^\/html too_(slow|much_memory|large)$/);
  // Every object has these names, and no mail.
  for (const name of ["constructor", "constructor.name", "toString.x", "__proto__.x"]) {
    const inherited = await refused({ subject: "Hi", html: `<p>{{ ${name} }}</p>` });
    assert.deepEqual(faultsOf(inherited), ["/html unresolved_variable"], name);
  }
  const file = await refused({ subject: "Hi", html: "{% include '/etc/passwd' %}" });
  assert.deepEqual(faultsOf(file), ["/html liquid_syntax"]);
});

test("of publishing and changing at once nothing is published that wasn't examined", async () => {
  const { id } = await make();
  const [one, other, change] = await Promise.all([
    post(`/v1/templates/${id}/publish`),
    post(`/v1/templates/${id}/publish`),
    app.api("PATCH", `/v1/templates/${id}`, { body: { html: "<p>{{ broken" } }),
  ]);
  assert.equal(change?.status, 200);
  for (const reply of [one, other]) assert.ok([200, 409, 422].includes(reply?.status ?? 0), reply?.text);
  const { body } = await app.api("GET", `/v1/templates/${id}/versions`);
  assert.ok(body.data.length <= 1, "the same draft is published once");
  if (body.data.length === 1)
    assert.equal((await app.api("GET", `/v1/templates/${id}/versions/1`)).body.html, RECEIPT["html"]);
});

test("a draft that is changed while it is examined isn't published", async () => {
  const { id } = await make();
  const etag = String((await app.api("GET", `/v1/templates/${id}`)).headers.get("etag"));
  const uuid = fromPublicId("tpl", id) ?? "";
  const publishing = app.db.transaction(async (tx) => {
    await tx.execute(sql`select from templates where id = ${uuid} for update`);
    const reply = post(`/v1/templates/${id}/publish`);
    await untilBlocking(tx);
    await tx.execute(sql`update templates set html = '<p>{{', digest = 'other' where id = ${uuid}`);
    return { reply };
  });
  const { status, body } = await (await publishing).reply;
  assert.deepEqual([status, body.code], [409, "template_changed"]);
  assert.equal((await app.api("GET", `/v1/templates/${id}/versions`)).body.data.length, 0);
  await patch(id, { html: "<p>Mended</p>" });
  const stale = await post(`/v1/templates/${id}/publish`, undefined, { headers: { "if-match": etag } });
  assert.equal(stale.status, 412, stale.text);
  await publish(id);
});

test("an input that is wrong is refused with everything that is wrong about it", async () => {
  const wrong = await post("/v1/templates", {
    name: "Wrong",
    subject: "x\u0007",
    html: "<p>",
    mjml: "<mjml>",
    variables: [
      { name: "a", type: "string", sample: 1 },
      { name: "a", type: "string" },
    ],
  });
  assert.deepEqual(faultsOf(wrong).toSorted(), [
    "/mjml only_one",
    "/subject invalid_character",
    "/variables/0/sample invalid_type",
    "/variables/1/name duplicate",
  ]);
  for (const [body, fault] of [
    [{ name: " " }, "/name required"],
    [{ name: "a\nb" }, "/name invalid_name"],
    [{ name: "x".repeat(201) }, "/name too_long"],
    [{ name: "Large", html: "ä".repeat(300_000) }, "/html too_long"],
    [{ name: "Larger", html: "x".repeat(1_000_000) }, "/html too_long"],
    [{ name: "Blocks", blocks: [] }, "/blocks unknown_field"],
    [{ name: "Names", variables: [{ name: "a b", type: "string" }] }, "/variables/0/name invalid_format"],
    [{ name: "Proto", variables: [{ name: "__proto__", type: "object" }] }, "/variables/0/name reserved"],
    [{ name: "Types", variables: [{ name: "a", type: "html" }] }, "/variables/0/type invalid_value"],
    [{ name: "Nul\u0000" }, "/name invalid_character"],
    [
      { name: "Many", variables: Array.from({ length: 101 }, (_, n) => ({ name: `v${n}`, type: "string" })) },
      "/variables too_many",
    ],
  ] as const) {
    const reply = await post("/v1/templates", body);
    assert.equal(reply.status, 422, reply.text);
    assert.equal(faultsOf(reply)[0]?.split(" ")[0], fault.split(" ")[0], reply.text);
  }
});

test("a mail is made from the published version, exactly as it was when it was accepted", async () => {
  const { id } = await make();
  const unpublished = await mail(id, { variables: { order: "1" } });
  assert.deepEqual(
    [unpublished.status, faultsOf(unpublished)],
    [422, ["/template_id template_not_published"]],
  );
  await publish(id);
  await patch(id, { subject: "A draft that nobody gets" });
  const to = ["filled@example.com"];
  const variables = { order: "4711", who: "Ada & Bob", items: [{ name: "Tea" }] };
  const accepted = await mail(id, { to, variables });
  assert.equal(accepted.status, 202, accepted.text);
  assert.deepEqual([accepted.body.subject, accepted.body.template], ["Order 4711", { id, version: 1 }]);
  const sent = await untilStatus(app, accepted.body.id, "sent");
  assert.deepEqual(sent["template"], { id, version: 1 });
  const [raw = ""] = await caughtFor(app, "filled@example.com");
  assert.match(raw, /^Subject: Order 4711\r$/m);
  assert.match(raw, /Ada &amp; Bob/);
  assert.match(raw, /Ada & Bob/, "the text has the name as it is");
  const own = await mail(id, { to, variables, subject: "Of my own" });
  assert.equal(own.body.subject, "Of my own");
});

test("a mail from a template that can't be filled in is refused, and says why", async () => {
  const { id } = await make();
  await publish(id);
  const refused = async (more: Json, template: string | null = id) => {
    const reply = await mail(template ?? undefined, more);
    assert.equal(reply.status, 422, reply.text);
    return faultsOf(reply).toSorted();
  };
  assert.deepEqual(await refused({}), ["/variables/order required"]);
  assert.deepEqual(await refused({ variables: { order: 1, zzz: 2 }, to: ["nobody"] }), [
    "/to/0 invalid_email",
    "/variables/order invalid_type",
    "/variables/zzz unknown_variable",
  ]);
  assert.deepEqual(await refused({ variables: { order: "1" }, html: "<p>", text: "x" }), [
    "/html conflict",
    "/text conflict",
  ]);
  assert.deepEqual(await refused({ variables: { order: "x".repeat(2_000) } }), ["/variables too_large"]);
  assert.deepEqual(await refused({}, "tpl_01k9zq4t3xe8k8y0v6d3m2n1pq"), ["/template_id not_found"]);
  assert.deepEqual(await refused({}, "tpl_1"), ["/template_id not_found"]);
  assert.deepEqual(await refused({ text: "x", variables: {} }, null), [
    "/subject required",
    "/variables conflict",
  ]);
  const campaign = await make({ html: "<a href='{{ unsubscribe_url }}'>{{ fields }}</a>", subject: "Hi" });
  await publish(campaign.id);
  assert.deepEqual(await refused({ variables: { order: "1" } }, campaign.id), [
    "/template_id campaign_template",
  ]);
  const grows = await make({
    subject: "Hi",
    html: "{% for a in items %}{% for b in items %}{% for c in items %}{{ order }}{% endfor %}{% endfor %}{% endfor %}",
  });
  await publish(grows.id);
  const [fault] = await refused(
    { variables: { order: "x".repeat(100), items: Array(1_000).fill(1) } },
    grows.id,
  );
  assert.match(String(fault), /^\/variables too_/);
  assert.equal((await app.api("DELETE", `/v1/templates/${id}`)).status, 204);
  assert.deepEqual(await refused({ variables: { order: "1" } }), ["/template_id not_found"]);
});

test("a batch is made from templates too, one bad mail stopping no other", async () => {
  const { id } = await make();
  await publish(id);
  const to = ["batch@example.com"];
  const from = "shop@acme.example";
  const emails = [{ order: "1" }, {}, { order: "3" }].map((variables) => ({
    from,
    to,
    template_id: id,
    variables,
  }));
  const { body } = await post("/v1/emails/batch", { emails });
  assert.deepEqual(
    body.results.map(({ status }: Json) => status),
    [202, 422, 202],
  );
  assert.equal(body.results[1].error.errors[0].pointer, "/variables/order");
});

test("a template isn't deleted while a mail waits for its time, or a campaign isn't sent", async () => {
  const { id } = await make();
  await publish(id);
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  const waiting = await mail(id, { variables: { order: "1" }, send_at });
  assert.equal(waiting.status, 202, waiting.text);
  const list_id = await makeAudience(app);
  const campaign = await post("/v1/campaigns", {
    name: "From it",
    list_id,
    subject: "News",
    template_id: id,
  });
  assert.equal(campaign.status, 201, campaign.text);
  const remove = () => app.api("DELETE", `/v1/templates/${id}`);
  const both = await remove();
  assert.deepEqual([both.status, both.body.code], [409, "template_in_use"]);
  assert.deepEqual(both.body.used_by, [campaign.body.id, waiting.body.id]);
  assert.equal((await post(`/v1/emails/${waiting.body.id}/cancel`)).status, 200);
  assert.deepEqual((await remove()).body.used_by, [campaign.body.id]);
  const own = await app.api("PATCH", `/v1/campaigns/${campaign.body.id}`, { body: { template_id: null } });
  assert.deepEqual([own.body.template_id, own.body.html], [null, RECEIPT["html"]]);
  assert.equal((await remove()).status, 204);
});

test("a campaign takes the published content as its own, and remembers where it is from", async () => {
  const content = {
    subject: "Of the template",
    html: "<p>Hello {{ first_name }}</p>",
    preview_text: "Look",
    variables: [],
  };
  const { id } = await make(content);
  const list_id = await makeAudience(app);
  const create = (more: Json) =>
    post("/v1/campaigns", { name: unique(), list_id, subject: "News", template_id: id, ...more });
  assert.deepEqual(faultsOf(await create({})), ["/template_id template_not_published"]);
  await publish(id);
  const { body: made } = await create({});
  assert.deepEqual(
    [made.template_id, made.template_version, made.html, made.preview_text, made.subject],
    [id, 1, content.html, "Look", "News"],
  );
  assert.deepEqual(
    made.checks.filter(({ severity }: Json) => severity === "error"),
    [],
  );
  assert.deepEqual(faultsOf(await create({ html: "<p>" })), ["/template_id only_one"]);
  const path = `/v1/campaigns/${made.id}`;
  await patch(id, { html: "<p>Second {{ first_name }}</p>" });
  await publish(id);
  assert.equal(
    (await app.api("GET", path)).body.html,
    content.html,
    "what is published later changes no campaign",
  );
  const edited = await app.api("PATCH", path, { body: { template_id: id, html: "<p>Mine</p>" } });
  assert.deepEqual([edited.body.html, edited.body.template_version], ["<p>Mine</p>", 1]);
  const anew = await app.api("PATCH", path, { body: { template_id: id } });
  assert.deepEqual([anew.body.html, anew.body.template_version], ["<p>Second {{ first_name }}</p>", 2]);
  const plain = await make({ subject: "Hi", html: null, text: "Hello", preview_text: null, variables: [] });
  await publish(plain.id);
  assert.deepEqual(faultsOf(await create({ template_id: plain.id })), ["/template_id template_without_html"]);
});

test("another account's template is nowhere to be found, and scopes say who may do what", async () => {
  const { id } = await make();
  await publish(id);
  const { key } = await app.addAccount();
  for (const [method, path] of [
    ["GET", ""],
    ["PATCH", ""],
    ["DELETE", ""],
    ["POST", "/publish"],
    ["POST", "/duplicate"],
    ["POST", "/render"],
    ["GET", "/versions"],
    ["GET", "/versions/1"],
    ["POST", "/versions/1/restore"],
  ] as const) {
    const body = method === "PATCH" ? { body: { name: "Mine" } } : {};
    assert.equal((await app.api(method, `/v1/templates/${id}${path}`, { key, ...body })).status, 404, path);
  }
  const foreign = await post(
    "/v1/emails",
    { from: "a@b.example", to: ["c@d.example"], template_id: id },
    { key },
  );
  assert.deepEqual(faultsOf(foreign), ["/template_id not_found"]);
  const reader = await app.addKey(["templates:read"]);
  assert.equal((await post(`/v1/templates/${id}/render`, {}, { key: reader })).status, 200);
  assert.equal((await post(`/v1/templates/${id}/publish`, undefined, { key: reader })).status, 403);
  const { browser } = await addPerson(app, "member@example.com", "marketer");
  assert.equal((await browser.send("PATCH", `/v1/templates/${id}`, { subject: "By a member" })).status, 200);
});

test("rendering names what isn't declared, and looks the mail over where it is asked to", async () => {
  const html =
    '<p><img src="https://example.com/a.png">{{ oder }} <a href="{{ unsubscribe_url }}">off</a></p>';
  const { id } = await make({ html });
  const plain = (await post(`/v1/templates/${id}/render`, {})).body;
  assert.deepEqual(
    plain.undeclared.map(({ name, is_of_campaigns, part, line }: Json) => [
      name,
      is_of_campaigns,
      part,
      line,
    ]),
    [
      ["oder", false, "html", 1],
      ["unsubscribe_url", true, "html", 1],
    ],
  );
  assert.deepEqual(plain.checks, []);
  const { checks } = (await post(`/v1/templates/${id}/render`, { checks: true })).body;
  const found = checks.map(({ code, severity }: Json) => `${severity} ${code}`);
  assert.equal(found[0], "error unresolved_variable");
  assert.ok(found.includes("info campaign_template") && found.some((one: string) => /alt/.test(one)), found);
  assert.ok(!found.some((one: string) => /missing_from|unsubscribe|postal/.test(one)), found);
});

test("a list says what was made from each template", async () => {
  const { id, name } = await make({ html: "<p>Hello</p>", variables: [], subject: "x", preview_text: null });
  await publish(id);
  const list_id = await makeAudience(app);
  const { body: campaign } = await post("/v1/campaigns", {
    name: "One",
    list_id,
    subject: "x",
    template_id: id,
  });
  const usesOf = async () => {
    const { body } = await app.api("GET", `/v1/templates?q=${encodeURIComponent(String(name))}&limit=200`);
    return body.data.find((one: Json) => one["id"] === id).used_by;
  };
  assert.deepEqual(await usesOf(), { campaigns: 1, unsent_campaigns: 1 });
  assert.equal((await app.api("DELETE", `/v1/templates/${id}`)).status, 409);
  assert.equal((await app.api("DELETE", `/v1/campaigns/${campaign.id}`)).status, 204);
  assert.deepEqual(await usesOf(), { campaigns: 0, unsent_campaigns: 0 });
});
