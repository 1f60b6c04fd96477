/** These tests follow the links of mail that was really sent, and other addresses, under the tracking hosts of several accounts. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { addDomain } from "../support/domains.ts";
import { makeForm } from "../support/forms.ts";
import { type RawReply, sendRaw } from "../support/raw-http.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const OWN = "mail.postrider.example";
const MINE = "links.mine.example";
const THEIRS = "links.theirs.example";

let app: TestApp;
let other: { accountId: string; key: string };
/** The paths of a mail that the first account sent. */
let paths: { click: string; open: string; unsubscribe: string; preferences: string; view: string };
let formId: string;
before(async () => {
  app = await createApp({
    served: { opens: true, clicks: true, unsubscribe: true },
    settings: { PUBLIC_URL: `https://${OWN}`, TRUST_PROXY: "1" },
  });
  other = await app.addAccount();
  await addDomain(app.db, uuidOf("acc", app.accountId), { name: "mine.example", tracking_host: MINE });
  await addDomain(app.db, other.accountId, { name: "theirs.example", tracking_host: THEIRS });
  paths = await sendMail();
  const list = await makeList(app);
  formId = (await makeForm(app, list)).id;
});
after(() => app.stop());

async function sendMail(): Promise<typeof paths> {
  const listId = await makeList(app);
  await addSubscriber(app, listId, "ada@example.com");
  const html = '<p><a href="https://example.com/one">one</a> <a href="{{ unsubscribe_url }}">leave</a></p>';
  const { id } = await makeCampaign(app, listId, { html });
  const sent = await act(app, id, "send");
  assert.equal(sent.status, 202, sent.text);
  await until(async () => (await readCampaign(app, id))["status"] === "sent");
  const { raw } = await app.db.one<{ raw: Buffer }>(
    sql`select raw from sandbox_messages where owner_id = ${uuidOf("cmp", id)}`,
  );
  const text = raw.toString("latin1").replaceAll("=\r\n", "").replaceAll("=3D", "=");
  const pathOf = (kind: string) => new RegExp(`https://${OWN}(/${kind}/[\\w/-]+)`).exec(text)?.[1] ?? "";
  const unsubscribe = pathOf("u");
  const token = unsubscribe.slice(3);
  return {
    click: pathOf("c"),
    open: pathOf("o"),
    unsubscribe,
    preferences: `/p/${token}`,
    view: `/v/${token}`,
  };
}

const visit = (host: string, path: string, { method = "GET", headers = "" } = {}): Promise<RawReply> =>
  sendRaw(app.baseUrl, `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${headers}\r\n`);
const statusOf = async (host: string, path: string, more = {}) => (await visit(host, path, more)).status;

describe("what mail leads to", () => {
  it("is answered with 404 under another account's, and nothing is recorded or carried out", async () => {
    for (const host of [THEIRS, `${THEIRS}.`, `${THEIRS.toUpperCase()}:8443`]) {
      for (const path of Object.values(paths)) {
        const reply = await visit(host, path);
        assert.equal(reply.status, 404, `${host} ${path}`);
        assert.match(reply.headers["content-type"] ?? "", /^text\/html/);
        assert.equal(reply.headers["location"], undefined);
      }
      const headers = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 26\r\n";
      const body = "\r\nList-Unsubscribe=One-Click";
      const raw = `POST ${paths.unsubscribe} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${headers}${body}`;
      assert.equal((await sendRaw(app.baseUrl, raw)).status, 404);
    }
    // A request that the framework answers, because it has a body, is under the same rule.
    assert.equal(await statusOf(THEIRS, paths.click, { headers: "content-length: 0\r\n" }), 404);
    const people = await app.db.many(sql`select status from subscribers where email = 'ada@example.com'`);
    assert.deepEqual(people, [{ status: "active" }]);
    // Nobody has followed a link before this test.
    const kept = await app.db.one(sql`
      select (select count(*) from hit_groups) as waiting, (select count(*) from counted_hits) as counted`);
    assert.deepEqual(kept, { waiting: 0, counted: 0 });
  });

  it("is answered under PUBLIC_URL and under the account's own tracking host", async () => {
    for (const host of [OWN, MINE, `${MINE}:443`, MINE.toUpperCase(), "127.0.0.1", "unheard.example"]) {
      const click = await visit(host, paths.click);
      assert.deepEqual([click.status, click.headers["location"]], [302, "https://example.com/one"], host);
      for (const path of [paths.open, paths.unsubscribe, paths.preferences, paths.view, "/u/test"])
        assert.equal(await statusOf(host, path), 200, `${host} ${path}`);
    }
  });

  it("is told by the proxy's word for the host, where a proxy is trusted", async () => {
    const forwarded = (host: string) => ({ headers: `x-forwarded-host: ${host}\r\n` });
    for (const path of [paths.click, paths.unsubscribe]) {
      assert.equal(await statusOf("backend", path, forwarded(THEIRS)), 404);
      assert.notEqual(await statusOf("backend", path, forwarded(MINE)), 404);
    }
  });
});

describe("a tracking host", () => {
  it("has nothing but what mail leads to: no dashboard, no API, no forms, no archive", async () => {
    for (const path of [
      "/",
      "/login",
      "/docs",
      "/openapi.json",
      `/f/${formId}`,
      "/tls-ask?domain=x.example",
      "/a/x",
    ])
      assert.equal(await statusOf(MINE, path), 404, path);
    const headers = `authorization: Bearer ${app.key}\r\n`;
    assert.equal(await statusOf(MINE, "/v1/account", { headers }), 404);
    assert.equal(await statusOf(OWN, "/v1/account", { headers }), 200);
    assert.equal(await statusOf(OWN, `/f/${formId}`), 200);
    assert.equal(await statusOf(OWN, "/openapi.json"), 200);
    assert.equal(await statusOf(MINE, "/healthz"), 200);
  });

  it("shows its account's own images and nobody else's", async () => {
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const form = new FormData();
    form.set("file", new Blob([pixel], { type: "image/png" }), "logo.png");
    const uploaded = await fetch(`${app.baseUrl}/v1/files`, {
      method: "POST",
      headers: { authorization: `Bearer ${app.key}` },
      body: form,
    });
    const { id } = (await uploaded.json()) as { id: string };
    assert.deepEqual([await statusOf(MINE, `/files/${id}`), await statusOf(OWN, `/files/${id}`)], [200, 200]);
    assert.equal(await statusOf(THEIRS, `/files/${id}`), 404);
  });

  it("isn't anybody's who has never proved its domain, and stays its owner's when the proof is gone", async () => {
    const mine = uuidOf("acc", app.accountId);
    const host = "links.claimed.example";
    const claim = { name: "claimed.example", tracking_host: host };
    await addDomain(app.db, other.accountId, { ...claim, status: "unverified" });
    // This account names the same host, and proves nothing.
    const id = await addDomain(app.db, mine, { ...claim, status: "pending" });
    assert.equal(await statusOf(host, paths.click), 404);
    await app.db.execute(sql`update domains set status = 'verified', verified_at = now() where id = ${id}`);
    await until(async () => (await statusOf(host, paths.click)) === 302);
    const theirToken = paths.unsubscribe;
    assert.equal(await statusOf(host, theirToken), 200);
  });
});
