/** What a campaign sent, shown to people of its account in a frame. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { act, endSource, makeCampaign } from "../support/campaigns.ts";
import { addSubscriber, type Json, makeList } from "../support/subscribers.ts";

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

  it("shows pictures of other servers when they are asked for", async () => {
    const { id } = await sentCampaign();
    const policy = (await show(id, "?pictures=all")).headers.get("content-security-policy");
    assert.match(policy ?? "", /^sandbox; default-src 'none'; img-src https: http: data:;/);
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
