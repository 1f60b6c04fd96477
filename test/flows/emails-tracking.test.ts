/** What is seen of a transactional mail after it was accepted: its content, its timeline while it grows, opens and clicks. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import PostalMime from "postal-mime";
import { storeInbound } from "../../src/inbound/intake/store-inbound.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { caughtFor, postEmail, readEmail, sendEmail, untilStatus } from "../support/emails.ts";
import { messagesOf, openStream } from "../support/event-stream.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const HTML = `<style>p { color: red }</style><p>Order {{ number }} <a href='https://shop.example/o?a=1&amp;b=2'>one</a>
  <a href="mailto:us@shop.example">us</a> <a href="https://shop.example/two" data-track="off">two</a></p>`;

let app: TestApp;
before(async () => {
  app = await createApp({ served: { opens: true, clicks: true, unsubscribe: true } });
});
after(() => app.stop());

const contentOf = (id: unknown) => app.api("GET", `/v1/emails/${id}/content`);
const typesOf = (email: Json) => (email["timeline"] as Json[]).map(({ type }) => type);

/** Sends a tracked mail to each, and returns the links and the pixel of each copy. */
async function sendTracked(to: readonly string[], tracking: Json = { opens: true, clicks: true }) {
  const { id } = await sendEmail(app, { to, html: HTML, text: "See https://shop.example/two", tracking });
  await untilStatus(app, id, "sent");
  const copies = await Promise.all(
    to.map(async (address) => {
      const mail = await PostalMime.parse((await caughtFor(app, address))[0] ?? "");
      const html = mail.html ?? "";
      const links = [...html.matchAll(/href=["']([^"']*)["']/g)].map(([, url = ""]) => url);
      return { html, text: mail.text ?? "", links, pixel: /src="([^"]*\/o\/[^"]*)"/.exec(html)?.[1] ?? "" };
    }),
  );
  return { id: String(id), copies };
}

/** Nobody clicks within seconds, and hits are counted once none has come for a while. */
async function countHits(id: string): Promise<void> {
  const mail = uuidOf("msg", id).slice(0, -2);
  await app.db.execute(sql`
    update deliveries set changed_at = changed_at - interval '1 hour' where contact_id::text like ${`${mail}%`}`);
  await app.db.execute(sql`
    update hits set at = at - interval '1 minute' where contact_id::text like ${`${mail}%`}`);
}

function get(url: string) {
  return fetch(url, { redirect: "manual", headers: { "user-agent": BROWSER } });
}

describe("the content of a transactional mail", () => {
  test("is shown as it was made, without attachments, and is gone with its time", async () => {
    const attachments = [{ filename: "a.txt", content: Buffer.from("secret words").toString("base64") }];
    const more = { html: HTML, headers: { "X-Order": "4711" }, attachments, cc: ["bob@content.example"] };
    const { id } = await sendEmail(app, { to: ["ada@content.example"], ...more });
    await untilStatus(app, id, "sent");
    const shown = await contentOf(id);
    assert.equal(shown.status, 200, shown.text);
    assert.deepEqual(
      [shown.body.html, shown.body.text, shown.body.subject],
      [HTML, "Thank you.", "Your receipt"],
    );
    const headers = new Map<string, string>(
      shown.body.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    assert.deepEqual([headers.get("X-Order"), headers.get("Cc")], ["4711", "bob@content.example"]);
    const [sent = ""] = await caughtFor(app, "ada@content.example");
    assert.equal(headers.get("Message-ID"), /^Message-ID: (.*)$/m.exec(sent)?.[1]?.trim());
    assert.ok(!shown.body.raw.includes("a.txt") && sent.includes("a.txt"));
    assert.equal((await PostalMime.parse(shown.body.raw)).html?.trim(), HTML);
    await app.db.execute(sql`
      delete from email_contents c using emails e where e.id = ${uuidOf("msg", String(id))} and c.id = e.content_id`);
    const gone = await contentOf(id);
    assert.deepEqual([gone.status, gone.body.code], [410, "email_content_gone"]);
    assert.equal((await readEmail(app, id))["status"], "sent", "the ledger stays");
  });

  test("of a mail for later has no Message-ID yet; nobody else's is found", async () => {
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await sendEmail(app, { send_at: sendAt });
    const shown = await contentOf(id);
    assert.ok(!shown.body.headers.some(({ name }: { name: string }) => name === "Message-ID"));
    assert.equal((await app.api("POST", `/v1/emails/${id}/cancel`)).status, 200);
    assert.equal((await contentOf(`msg_${"0".repeat(26)}`)).status, 404);
  });

  test("a mail whose row has left the ledger isn't called queued", async () => {
    const { id } = await sendEmail(app);
    await untilStatus(app, id, "sent");
    const uuid = uuidOf("msg", String(id));
    const old = "0192f000-0000-7000-8000-000000000000";
    await app.db.execute(sql`update emails set wave_id = ${old} where id = ${uuid}`);
    const [recipient] = (await readEmail(app, id))["recipients"] as Json[];
    assert.deepEqual([recipient?.["status"], recipient?.["reason"]], ["unknown", "no_longer_kept"]);
  });
});

describe("what comes back about a transactional mail", () => {
  const tools = {
    secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
    clock: systemClock,
  };
  const accountId = () => uuidOf("acc", app.accountId);
  let stored = 0;

  /** Stores what a provider tells of a mail, which names it by its Message-ID alone, and returns what is made of it. */
  async function note({
    messageId,
    address,
    kind,
  }: {
    messageId: string;
    address: string;
    kind: "bounce" | "complaint";
  }) {
    const mail = { messageId: "0100", commonHeaders: { messageId } };
    const about = { feedbackId: `feedback-${++stored}`, timestamp: new Date().toISOString() };
    const bouncedRecipients = [{ emailAddress: address, status: "5.1.1" }];
    const told =
      kind === "bounce"
        ? {
            notificationType: "Bounce",
            bounce: { ...about, bounceType: "Permanent", bounceSubType: "NoEmail", bouncedRecipients },
          }
        : {
            notificationType: "Complaint",
            complaint: { ...about, complainedRecipients: [{ emailAddress: address }] },
          };
    const raw = JSON.stringify({ Type: "Notification", Message: JSON.stringify({ ...told, mail }) });
    const way = {
      channel: "webhook" as const,
      provider: "ses" as const,
      envelopeFrom: null,
      addressed: null,
    };
    const item = { accountId: accountId(), channelId: newId(systemClock), ...way, raw: Buffer.from(raw) };
    const [id = ""] = await app.db.transaction((tx) => storeInbound(tx, tools, [item]));
    const path = `/v1/inbound/${toPublicId("inb", id)}`;
    await until(async () => (await app.api("GET", path)).body.state === "read");
    return (await app.api("GET", path)).body.reports[0].outcome;
  }

  test("stands behind what was sent, once for its recipient, and suppresses", async () => {
    const [ada, bob] = ["ada@returned.example", "bob@returned.example"];
    const { id } = await sendEmail(app, { to: [ada, bob] });
    await untilStatus(app, id, "sent");
    const [raw = ""] = await caughtFor(app, ada);
    const messageId = /^Message-ID: (.*)$/m.exec(raw)?.[1]?.trim() ?? "";
    assert.equal(await note({ messageId, address: "who@else.example", kind: "bounce" }), "unmatched");
    assert.equal(await note({ messageId: "<a@b.example>", address: ada, kind: "bounce" }), "unmatched");
    assert.equal(await note({ messageId, address: ada.toUpperCase(), kind: "bounce" }), "suppressed");
    assert.equal(await note({ messageId, address: ada, kind: "bounce" }), "duplicate");
    assert.equal(await note({ messageId, address: bob, kind: "complaint" }), "suppressed");
    const email = await readEmail(app, id);
    const entries = (email["timeline"] as Json[]).map(({ type, email: to, reason }) => [type, to, reason]);
    assert.deepEqual(entries.slice(-2), [
      ["bounced", ada, "hard_bounce"],
      ["complained", bob, null],
    ]);
    assert.deepEqual(entries.map(([type]) => type).slice(0, 3), ["queued", "sent", "sent"]);
    const refused = await postEmail(app, { to: [ada, bob] });
    assert.equal(refused.body.code, "recipients_suppressed");
    const found = await app.api("GET", "/v1/emails?status=complained");
    assert.deepEqual(
      found.body.data.map((one: Json) => one["id"]),
      [id],
    );
  });
});

describe("a tracked transactional mail", () => {
  test("has a pixel and links of its own in each copy, which lead on, and its timeline tells of them", async () => {
    const { id, copies } = await sendTracked(["ada@tracked.example", "bob@tracked.example"]);
    const [ada, bob] = copies;
    assert.ok(ada && bob && ada.pixel !== bob.pixel && ada.links[0] !== bob.links[0]);
    assert.deepEqual(ada.links.slice(1), ["mailto:us@shop.example", "https://shop.example/two"]);
    assert.ok(ada.html.includes("{{ number }}") && ada.html.includes("p { color: red }"));
    assert.ok(ada.text.includes("https://shop.example/two"), "the text is as it was given");
    const { url, events } = await watch(id);
    assert.equal((await get(ada.pixel)).status, 200);
    const led = await get(ada.links[0] ?? "");
    assert.deepEqual([led.status, led.headers.get("location")], [302, "https://shop.example/o?a=1&b=2"]);
    await countHits(id);
    await until(async () => typesOf(await readEmail(app, id)).includes("clicked"));
    const email = await readEmail(app, id);
    assert.deepEqual([email["opens"], email["clicks"]], [1, 1]);
    const seen = (email["timeline"] as Json[]).slice(-2);
    assert.deepEqual(
      seen.map(({ type, email: to, url: link, reason }) => [type, to, link, reason]),
      [
        ["opened", "ada@tracked.example", null, null],
        ["clicked", "ada@tracked.example", "https://shop.example/o?a=1&b=2", null],
      ],
    );
    await until(() => events().some((one) => typesOf(one).includes("clicked")));
    assert.ok(url.includes("/events"));
  });

  /** Watches a mail by its stream. */
  async function watch(id: string) {
    const url = `${app.baseUrl}/v1/emails/${id}/events`;
    const stream = await openStream(url, { authorization: `Bearer ${app.key}` });
    assert.equal(stream.status, 200);
    const events = () => messagesOf(stream).map(({ data }) => data as Json);
    await until(() => events().length > 0);
    return { url, events, close: () => stream.close() };
  }

  test("can't be made to lead elsewhere, nor be viewed or left like one of a list", async () => {
    const { copies } = await sendTracked(["eve@tracked.example"]);
    const link = copies[0]?.links[0] ?? "";
    const parts = link.split("/");
    const other = Buffer.from("https://evil.example/").toString("base64url");
    for (const forged of [
      [...parts.slice(0, -1), other],
      [...parts.slice(0, -2), "A".repeat(22), ...parts.slice(-1)],
      [...parts.slice(0, -3), "7", ...parts.slice(-2)],
      parts.slice(0, -2),
    ])
      assert.equal((await get(forged.join("/"))).status, 404, forged.join("/"));
    const token = parts[4];
    for (const path of ["v", "u", "p"]) {
      const { status } = await get(`${parts.slice(0, 3).join("/")}/${path}/${token}`);
      assert.ok(status < 500, `${path} ${status}`);
    }
  });

  test("counts nothing where the account doesn't track everybody, nor of who was erased", async () => {
    for (const tracking of ["off", "aggregate", "consented"]) {
      const patched = await app.api("PATCH", "/v1/account", { body: { tracking } });
      assert.equal(patched.status, 200, patched.text);
      const { id, copies } = await sendTracked([`${tracking}@tracked.example`]);
      assert.deepEqual([copies[0]?.pixel, copies[0]?.links[0]], ["", "https://shop.example/o?a=1&amp;b=2"]);
      const email = await readEmail(app, id);
      assert.deepEqual(email["tracking"], { opens: false, clicks: false });
      assert.deepEqual([email["opens"], email["clicks"]], [null, null]);
    }
    await app.api("PATCH", "/v1/account", { body: { tracking: "individual" } });
    const { id, copies } = await sendTracked(["gone@tracked.example"]);
    await get(copies[0]?.pixel ?? "");
    await countHits(id);
    await until(async () => typesOf(await readEmail(app, id)).includes("opened"));
    const subscriber = await addSubscriber(app, await makeList(app), "gone@tracked.example");
    const erased = await app.api("POST", `/v1/subscribers/${subscriber["id"]}/forget`);
    assert.ok(erased.status < 300, erased.text);
    const mail = uuidOf("msg", id).slice(0, -2);
    const countKept = () =>
      app.db.one<{ kept: number }>(
        sql`select count(*) as kept from message_engagements where contact_id::text like ${`${mail}%`}`,
      );
    await until(async () => (await countKept()).kept === 0);
    await get(copies[0]?.pixel ?? "");
    await countHits(id);
    await until(async () => {
      const { left } = await app.db.one<{ left: number }>(sql`select count(*) as left from hits`);
      return left === 0;
    });
    assert.equal((await countKept()).kept, 0);
  });
});
