/** What a campaign sent, shown to people of its account in a frame. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, endSource, makeCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";

const POLICY =
  /^sandbox; default-src 'none'; img-src data: 'self' http:\/\/127\.0\.0\.1:\d+; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'$/;

const HTML =
  '<p>Dear {{ first_name | default: "reader" }}</p><a href="https://shop.example/?a=1&amp;b={{ first_name }}">Shop</a>' +
  '<a href="{{ unsubscribe_url }}">Leave</a><script>hacked()</script>';

describe("what a campaign sent", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
  });
  after(() => app.stop());

  async function sentCampaign(html = HTML): Promise<{ id: string; ada: string }> {
    const listId = await makeList(app);
    const { id: ada } = await addSubscriber(app, listId, "ada@example.com", { first_name: "Ada" });
    const { id } = await makeCampaign(app, listId, { html });
    assert.equal((await act(app, id, "send")).status, 202);
    await endSource(app, id, { kind: "done" });
    return { id, ada };
  }
  const show = (id: string, query = "", key?: string) =>
    app.api("GET", `/v1/campaigns/${id}/html${query}`, key ? { key } : {});

  it("is a page under which nothing runs, for nobody in particular", async () => {
    const { id } = await sentCampaign();
    const shown = await show(id);
    assert.equal(shown.status, 200, shown.text);
    assert.match(shown.headers.get("content-security-policy") ?? "", POLICY);
    assert.match(shown.headers.get("content-type") ?? "", /^text\/html; charset=utf-8/);
    assert.match(shown.text, /Dear reader/);
    assert.match(shown.text, /href="https:\/\/shop\.example\/\?a=1&amp;b="/, "links show where they lead");
    assert.match(shown.text, /\/u\/test"/, "nobody is unsubscribed by it");
    assert.doesNotMatch(shown.text, /\/[co]\/[\w-]{60}/, "no address of it counts anything");
  });

  it("can be seen as a subscriber would see it now", async () => {
    const { id, ada } = await sentCampaign();
    const shown = await show(id, `?subscriber_id=${ada}`);
    assert.match(shown.text, /Dear Ada/);
    assert.match(shown.text, /href="https:\/\/shop\.example\/\?a=1&amp;b=Ada"/);
  });

  it("has its text as a page of its own", async () => {
    const { id } = await sentCampaign("<h1>News</h1><p>1 < 2</p>");
    const { text, headers } = await show(id, "?part=text");
    assert.match(headers.get("content-security-policy") ?? "", POLICY);
    assert.match(text, /<pre style="white-space: pre-wrap">News\s+1 &lt; 2/);
    assert.doesNotMatch(text, /<h1>/);
  });

  it("shows pictures of other servers when they are asked for", async () => {
    const { id } = await sentCampaign();
    const policy = (await show(id, "?pictures=all")).headers.get("content-security-policy");
    assert.match(policy ?? "", /^sandbox; default-src 'none'; img-src https: http: data:;/);
  });

  it("has the share of each link where clicks are asked for, by people and at each place", async () => {
    const html =
      '<a href="https://shop.example/a">One</a><a href="https://shop.example/b"><img src="/files/x.png" alt="Two"></a>' +
      '<a href="https://shop.example/a">One again</a><a href="https://shop.example/{{ first_name }}">Own</a>' +
      '<a href="{{ unsubscribe_url }}">Leave</a>';
    const { id } = await sentCampaign(html);
    const [account, source] = [uuidOf("acc", app.accountId), uuidOf("cmp", id)];
    const counts = { "": [5, 4], "link 0": [1, 1], "link 1": [3, 2], "link 2": [1, 1], "url 0": [2, 2] };
    for (const [part, [clicks, people]] of Object.entries(counts))
      await app.db.execute(sql`
        insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                     human_clicks, human_clickers, first_at, last_at)
        values (${account}, ${source}, ${part}, 0, 0, 0, 0, ${clicks}, ${clicks}, ${people}, ${people}, now(), now())`);
    const { text, headers } = await show(id, "?clicks=true");
    assert.match(headers.get("content-security-policy") ?? "", POLICY, "nothing runs in it either");
    const found = [
      ...text.matchAll(/<mark-[0-9a-f]+( faint)?>([^<]*)<[^>]*><a mark-[0-9a-f]+ [^>]*href="([^"]*)"/g),
    ];
    assert.deepEqual(
      found.map(([, faint, share, href]) => [href, share, faint !== undefined]),
      [
        ["https://shop.example/a", "25%", false],
        ["https://shop.example/b", "50%", false],
        ["https://shop.example/a", "25%", false],
        ["https://shop.example/", "0%", true],
      ],
      "the way out isn't a link of its author's",
    );
    assert.doesNotMatch((await show(id)).text, /mark-/);
  });

  it("isn't there before anything was sent, nor for another account", async () => {
    const { id, ada } = await sentCampaign();
    const draft = await makeCampaign(app, await makeList(app));
    const refused = await show(draft["id"]);
    assert.deepEqual([refused.status, refused.body.code], [409, "invalid_state"], refused.text);
    assert.equal(refused.body.current_status, "draft");
    const other = await app.addAccount();
    assert.equal((await show(id, "", other.key)).status, 404);
    const theirList = await app.api("POST", "/v1/lists", { key: other.key, body: { name: "Theirs" } });
    const body = { name: "Theirs", list_id: theirList.body.id, subject: "Theirs", html: "<p>Theirs</p>" };
    const theirs = await app.api("POST", "/v1/campaigns", { key: other.key, body });
    const asMine = await show(theirs.body.id, `?subscriber_id=${ada}`, other.key);
    assert.deepEqual([asMine.status, errorsOf(asMine.body)], [400, ["subscriber_id not_found"]]);
  });
});

function errorsOf(body: Json): string[] {
  return body["errors"].map((one: Json) => `${one["parameter"]} ${one["code"]}`);
}
