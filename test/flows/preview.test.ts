/** What is typed and not saved: how the API renders it, and how it is shown in a frame. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { makeCampaign, readCampaign } from "../support/campaigns.ts";
import { type Browser, setUpOwner } from "../support/people.ts";
import { addSubscriber, type Json, makeList, settled } from "../support/subscribers.ts";

let app: TestApp;
let browser: Browser;
let listId: string;
let ada: string;
before(async () => {
  app = await createApp();
  browser = await setUpOwner(app);
  listId = await makeList(app, { postal_address: "14 Bondgate, Otley" });
  ({ id: ada } = await addSubscriber(app, listId, "ada@example.com", { first_name: "Ada" }));
});
after(() => app.stop());

const faultsOf = ({ body }: Reply): string[] =>
  body.errors.map(({ pointer, code }: Json) => `${pointer} ${code}`);

describe("a preview of what isn't saved", () => {
  const preview = (id: string, body: Json, key?: string) =>
    app.api("POST", `/v1/campaigns/${id}/preview`, key ? { body, key } : { body });

  it("shows what was typed in the place of what is saved, and keeps nothing of it", async () => {
    const { id } = await makeCampaign(app, listId, { html: "<p>Saved</p>", preview_text: "Saved too" });
    const before = await readCampaign(app, id);
    const typed = {
      subscriber_id: ada,
      subject: "{{ first_name }}, typed",
      preview_text: "For {{ first_name }}",
      from_name: "Typed",
      from_email: "typed@example.com",
      html: null,
      mjml: "<mjml><mj-body><mj-section><mj-column><mj-text>Dear {{ first_name }}</mj-text></mj-column></mj-section></mj-body></mjml>",
    };
    const shown = await preview(id, typed);
    assert.equal(shown.status, 200, shown.text);
    const { subject, preview_text, from, html, text } = shown.body;
    assert.deepEqual([subject, preview_text], ["Ada, typed", "For Ada"]);
    assert.deepEqual(from, { name: "Typed", email: "typed@example.com" });
    assert.match(html, /Dear Ada/);
    assert.match(text, /Dear Ada/);
    assert.deepEqual(await readCampaign(app, id), before);
  });

  it("is what a save would give, whichever of both is asked for", async () => {
    const typed = {
      html: "<style>p{color:#123456}</style><p>Hello {{ first_name }}</p>",
      preview_text: "Look",
    };
    const [{ id: saved }, { id: unsaved }] = [
      await makeCampaign(app, listId, typed),
      await makeCampaign(app, listId),
    ];
    const one = await preview(saved, {});
    const other = await preview(unsaved, typed);
    assert.deepEqual(other.body, { ...one.body, campaign_id: unsaved });
  });

  it("as a sketch has the styles in their sheet, and no text that would have to be made", async () => {
    const { id } = await makeCampaign(app, listId);
    const html = "<style>p{color:#123456}</style><p>Hello</p>";
    const whole = (await preview(id, { html })).body;
    const sketch = (await preview(id, { html, sketch: true })).body;
    assert.match(whole.html, /<p style="color: #123456;?">/);
    assert.match(sketch.html, /<style>p\{color:#123456\}<\/style>/);
    assert.match(sketch.html, /<p>Hello/);
    assert.match(whole.text, /Hello/);
    assert.equal(sketch.text, null);
    assert.match((await preview(id, { html, text: "Mine", sketch: true })).body.text, /^Mine/);
  });

  it("names each fault with its place, by the rules of saving", async () => {
    const { id } = await makeCampaign(app, listId);
    const broken = await preview(id, { html: "<p>\n{{ first_name | nonsense }}</p>" });
    assert.deepEqual([broken.status, broken.body.code], [422, "preflight_failed"], broken.text);
    assert.deepEqual(faultsOf(broken), ["/html liquid_syntax"]);
    assert.deepEqual([broken.body.errors[0].line, broken.body.errors[0].column], [2, 1]);
    const mjml =
      "<mjml><mj-body><mj-section>{% if x %}<mj-column></mj-column>{% endif %}</mj-section></mj-body></mjml>";
    assert.deepEqual(faultsOf(await preview(id, { html: null, mjml })), [
      "/mjml invalid_mjml",
      "/mjml invalid_mjml",
    ]);
    assert.deepEqual(faultsOf(await preview(id, { preview_text: "{{ first_name" })), [
      "/preview_text liquid_syntax",
    ]);
    assert.deepEqual(faultsOf(await preview(id, { subject: " ", from_email: "nobody" })), [
      "/subject required",
    ]);
    assert.deepEqual(faultsOf(await preview(id, { from_email: "nobody" })), ["/from_email invalid_email"]);
    assert.deepEqual(faultsOf(await preview(id, { mjml: "<mjml></mjml>" })), ["/mjml only_one"]);
    assert.deepEqual(faultsOf(await preview(id, { html: "x".repeat(512 * 1_024 + 1) })), ["/html too_long"]);
    assert.equal((await preview(id, { html: "x".repeat(3 * 1_024 * 1_024) })).status, 413);
    assert.deepEqual(faultsOf(await preview(id, { colour: "red" })), ["/colour unknown_field"]);
  });

  it("is neither of another account's campaign nor as another account's subscriber", async () => {
    const other = await app.addAccount();
    const { id } = await makeCampaign(app, listId);
    assert.equal((await preview(id, { html: "<p>x</p>" }, other.key)).status, 404);
    const theirs = await app.api("POST", "/v1/lists", { key: other.key, body: { name: "Theirs" } });
    const body = { name: "Theirs", list_id: theirs.body.id, subject: "Theirs", html: "<p>Theirs</p>" };
    const made = await app.api("POST", "/v1/campaigns", { key: other.key, body });
    const asMine = await preview(made.body.id, { subscriber_id: ada }, other.key);
    assert.deepEqual([asMine.status, faultsOf(asMine)], [422, ["/subscriber_id not_found"]]);
    const toMine = await preview(made.body.id, { list_id: listId }, other.key);
    assert.deepEqual([toMine.status, faultsOf(toMine)], [422, ["/list_id not_found"]]);
  });

  it("renders the preview text for the checks too, and quotes what is typed as a whole", async () => {
    const { id } = await makeCampaign(app, listId, { preview_text: "For {{ first_name }}" });
    const { body } = await app.api("GET", `/v1/campaigns/${id}/checks`);
    const about = body.checks.filter(({ place }: Json) => place?.part === "preheader");
    assert.deepEqual(about, []);
    const broken = await preview(id, { html: "<p>{{ x | One. Two</p>" });
    assert.match(
      broken.body.errors[0].detail,
      /One\. Two.* isn't closed\. \(line 1, column 4\) Add what closes it\.$/s,
    );
  });

  it("leaves no event", async () => {
    const { id } = await makeCampaign(app, listId);
    await settled(app);
    const { body } = await app.api("GET", "/v1/events?limit=1");
    await preview(id, { html: "<p>Typed</p>" });
    await settled(app);
    assert.deepEqual((await app.api("GET", "/v1/events?limit=1")).body.data, body.data);
  });
});

describe("the frame for what isn't saved", () => {
  const OURS = { "sec-fetch-site": "same-origin", "sec-fetch-dest": "iframe", "content-type": "text/plain" };
  const post = (html: string, { query = "", headers = {}, by = browser } = {}) =>
    by.send("POST", `/author-frame${query}`, `html=${html}\r\n`, { ...OURS, ...headers });

  const HOSTILE = [
    "<script>hacked()</script>",
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<form action="https://evil.example/"><button>Go</button></form>',
    '<base href="https://evil.example/">',
    '<meta http-equiv="content-security-policy" content="sandbox allow-scripts">',
    '<iframe srcdoc="<script>hacked()</script>"></iframe>',
    "</html>\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhtml=",
  ];

  it("gives it back as it was typed, under a policy by which nothing runs", async () => {
    for (const html of ["<p>Grüße 🙂</p>\r\n\r\n", ...HOSTILE]) {
      const shown = await post(html);
      assert.equal(shown.status, 200, shown.text);
      assert.equal(shown.text, `<base target="_blank">${html}`);
      const policy = shown.headers.get("content-security-policy") ?? "";
      assert.match(
        policy,
        /^sandbox; default-src 'none'; img-src data: 'self' http:[^;]+; style-src 'unsafe-inline';/,
      );
      assert.match(policy, /form-action 'none'; base-uri 'none'; frame-ancestors 'self'$/);
      assert.equal(shown.headers.get("x-frame-options"), "SAMEORIGIN");
      assert.match(shown.headers.get("content-type") ?? "", /^text\/html; charset=utf-8/);
      assert.equal(shown.headers.get("cache-control"), "no-store");
    }
  });

  it("shows the pictures of other servers when they are asked for", async () => {
    const policy = async (query: string) =>
      (await post("x", { query })).headers.get("content-security-policy");
    assert.match((await policy("?pictures=all")) ?? "", / img-src https: http: data:;/);
    assert.match((await policy("?pictures=x;script-src%20*")) ?? "", / img-src data: 'self' [^;]+;/);
  });

  it("is only for a page of ours, in a frame, and for who is signed in", async () => {
    const refusals: Record<string, Record<string, string>> = {
      "another site": { "sec-fetch-site": "cross-site" },
      "another host of the same site": { "sec-fetch-site": "same-site" },
      "no page": { "sec-fetch-site": "none" },
      "a window of its own": { "sec-fetch-dest": "document" },
      "a script": { "sec-fetch-dest": "empty" },
      "another origin": { origin: "https://evil.example" },
      "no origin": { origin: "null" },
    };
    for (const [what, headers] of Object.entries(refusals))
      assert.equal((await post("<p>x</p>", { headers })).status, 403, what);
    const headers = { ...OURS, origin: app.baseUrl };
    const anybody = await app.api("POST", "/author-frame", { key: null, body: "html=x", headers });
    assert.equal(anybody.status, 401, anybody.text);
    const byKey = await app.api("POST", "/author-frame", { body: "html=x", headers });
    assert.equal(byKey.status, 401, "a key opens the API, and no page");
  });

  it("takes a form and nothing else, and not without end", async () => {
    const as = (type: string) => post("x", { headers: { "content-type": type } });
    for (const type of [
      "application/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ])
      assert.equal((await as(type)).status, 415, type);
    const other = await browser.send("POST", "/author-frame", "text=x", OURS);
    assert.deepEqual([other.status, other.body.code], [400, "malformed_request"]);
    assert.equal((await post("x".repeat(4_000_000))).status, 200);
    assert.equal((await post("x".repeat(10_000_001))).status, 413);
    assert.equal((await browser.send("GET", "/author-frame", undefined, { accept: "*/*" })).status, 404);
  });
});
