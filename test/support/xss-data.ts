/** Puts the payloads into every field that a page shows, through the API, many into each. */
import assert from "node:assert/strict";
import { sendTestMessages } from "../../src/delivery/delivery.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import type { TestApp } from "./app.ts";
import { hit, mailedAnHourAgo } from "./hits.ts";
import { SMALL_GIF } from "./routes.ts";
import { type Json, uuidOf } from "./subscribers.ts";
import { until } from "./until.ts";
import { sendHostileMails } from "./xss-mails.ts";
import { ONE_LINE, PAYLOADS, pack } from "./xss-payloads.ts";
import { answerWithPayloads, type XssWebhook } from "./xss-webhooks.ts";

export type XssData = {
  readonly listId: string;
  readonly subscriberId: string;
  readonly segmentId: string;
  /** It was sent into the sandbox. */
  readonly campaignId: string;
  readonly draftId: string;
  readonly mjmlDraftId: string;
  readonly importId: string;
  readonly slug: string;
  /** A transactional mail, which was sent into the sandbox too. */
  readonly emailId: string;
  readonly webhook: XssWebhook;
};

/** What Liquid would take for its own, and links that lead nowhere, can't be sent: they are in the drafts and in a mail of the sandbox. */
const SENDABLE = PAYLOADS.filter((text) => !/\{[{%]|<a href="/.test(text));
const AT_ONCE = 6;
/** A mail of the sandbox to this address has them in its headers, its subject and both its parts. */
export const HOSTILE_TO = "hostile@example.com";

export async function fillWithPayloads(app: TestApp): Promise<XssData> {
  const post = async (path: string, body: Json): Promise<Json> => {
    const reply = await app.api("POST", path, { body });
    assert.ok(reply.status < 300, `${path} ${JSON.stringify(body).slice(0, 300)}: ${reply.text}`);
    return reply.body;
  };
  /** Makes one of each text. */
  const each = async (longest: number, make: (text: string, n: number) => Promise<unknown>) => {
    const texts = [...pack(ONE_LINE, longest).entries()];
    const work = async () => {
      for (let next = texts.shift(); next; next = texts.shift()) await make(next[1], next[0]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  };

  const names = pack(ONE_LINE, 200);
  await patchAccount(app, names);
  const slug = "the-letter";
  const list = { from_name: names[3], postal_address: pack(ONE_LINE, 900)[2], public: true };
  const { id: listId } = await post("/v1/lists", { name: names[0], archive_slug: slug, ...list });
  await each(200, (name) => post("/v1/lists", { name }));
  for (const [n, name] of pack(ONE_LINE, 100).slice(0, 3).entries())
    await post("/v1/fields", { key: `field_${n}`, name, type: "text" });
  for (const name of pack(ONE_LINE, 100).slice(0, 50)) await post("/v1/topics", { name, description: name });
  const subscriberId = await addPeople(app, post, listId);
  await each(100, (name, n) => post("/v1/api_keys", { name, scopes: [SCOPES[n % SCOPES.length]] }));
  await each(100, (name, n) => post("/v1/invitations", { email: `person${n}@people.example`, name }));
  const values = pack(ONE_LINE, 900);
  await each(200, (name, n) => {
    const value = values[n % values.length];
    return post("/v1/segments", { name, rules: { any: [{ field: "first_name", op: "is", value }] } });
  });
  const rules = {
    any: [
      { field: "first_name", op: "one_of", value: names.slice(0, 40) },
      { field: "fields.field_0", op: "contains", value: values[0] },
      { field: "tag", op: "has", value: pack(ONE_LINE, 64)[0] },
    ],
  };
  const { id: segmentId } = await post("/v1/segments", { name: names[1], rules });
  await post("/v1/exports", { segment_id: segmentId });
  await post("/v1/exports", { list_id: listId });
  await addFile(app, names[7] ?? "");
  await each(200, (name, n) =>
    post("/v1/campaigns", { name, list_id: listId, subject: `Subject ${n}`, html: `<p>${n}</p>` }),
  );
  const drafts = await addDrafts(post, listId, segmentId);
  const campaignId = await sendCampaign(app, post, listId);
  await catchMail(app);
  const emailId = await sendHostileMails(app);
  // From now on mail would leave by this server.
  const server = { host: "smtp.example.com", username: names[6], password: "x" };
  await post("/v1/transports", { name: names[5], ...server });
  const importId = await importFile(app, listId, names[8] ?? "");
  const webhook = await answerWithPayloads(app);
  return { listId, subscriberId, segmentId, campaignId, ...drafts, importId, slug, emailId, webhook };
}

const SCOPES = ["subscribers:read", "campaigns:read", "events:read"];

async function patchAccount(app: TestApp, names: readonly string[]): Promise<void> {
  const body = {
    name: pack(ONE_LINE, 100)[4],
    from_name: names[4],
    from_email: "news@letters.example",
    postal_address: pack(ONE_LINE, 900)[3],
  };
  const patched = await app.api("PATCH", "/v1/account", { body });
  assert.equal(patched.status, 200, patched.text);
}

type Post = (path: string, body: Json) => Promise<Json>;

/** Each name, each tag and each value of a field has some; together they have all. Returns the one with most. */
async function addPeople(app: TestApp, post: Post, listId: string): Promise<string> {
  const names = pack(ONE_LINE, 200);
  const tags = pack(ONE_LINE, 64);
  const values = pack(ONE_LINE, 900);
  const subscribers = names.map((name, n) => ({
    email: `reader${n}@example.com`,
    list_id: listId,
    first_name: name,
    last_name: names[names.length - 1 - n],
    tags: tags.slice(n * 4, n * 4 + 4),
    fields: { field_0: values[n % values.length], field_1: values[(n + 1) % values.length] },
    consent: {
      attested: true,
      source: names[(n + 2) % names.length],
      wording: values[(n + 2) % values.length],
    },
  }));
  const { results } = await post("/v1/subscribers/batch", { subscribers });
  const refused = results.filter(({ status }: Json) => status !== 201);
  assert.deepEqual(refused.slice(0, 3), []);
  // Letters that an address may have, too.
  for (const email of ["{{7*7}}@example.com", "'onload='x@example.com", "__proto__@example.com"])
    await post("/v1/subscribers", { email, list_id: listId });
  const { body } = await app.api("GET", "/v1/subscribers/search?email=reader7@example.com");
  await post(`/v1/subscribers/${body.data[0].id}/tags`, { add: tags.slice(0, 80) });
  return body.data[0].id;
}

async function addDrafts(post: Post, listId: string, segmentId: string) {
  const everything = PAYLOADS.join("\n");
  const common = {
    list_id: listId,
    segment_id: segmentId,
    subject: pack(ONE_LINE, 900)[0],
    preview_text: pack(ONE_LINE, 900)[1],
    from_name: pack(ONE_LINE, 200)[9],
    utm: { source: pack(ONE_LINE, 200)[10] ?? null },
    text: everything,
  };
  const html = await post("/v1/campaigns", { name: "A draft in HTML __xss(1)", html: everything, ...common });
  const mjml = `<mjml><mj-body><mj-section><mj-column><mj-raw>${everything}</mj-raw><mj-text>${everything}
    </mj-text></mj-column></mj-section></mj-body></mjml>`;
  const other = await post("/v1/campaigns", { name: "A draft in MJML __xss(1)", mjml, ...common });
  return { draftId: html["id"] as string, mjmlDraftId: other["id"] as string };
}

/** Sends one into the sandbox, lets people open and click it, and puts the payloads into the mouth of the server. */
async function sendCampaign(app: TestApp, post: Post, listId: string): Promise<string> {
  const words = pack(
    SENDABLE.map((text) => text.replaceAll(/[\n\t\u2028\u2029]/g, " ")),
    900,
  );
  const links = SENDABLE.map(
    (text, n) => `<a href="https://example.com/${n}?q=${encodeURIComponent(text.toWellFormed())}">${n}</a>`,
  ).slice(0, 100);
  const { id } = await post("/v1/campaigns", {
    name: pack(ONE_LINE, 200)[2],
    list_id: listId,
    subject: words[0],
    preview_text: words[1],
    from_name: pack(ONE_LINE, 200)[20]?.replaceAll(/\{[{%]/g, ""),
    html: `<html><body><a href="{{ unsubscribe_url }}">Leave</a> ${links.join(" ")} ${SENDABLE.join("\n")}</body></html>`,
    text: SENDABLE.join("\n"),
    archive: true,
  });
  const sent = await app.api("POST", `/v1/campaigns/${id}/send`);
  assert.equal(sent.status, 202, sent.text);
  // Hundreds of invitations and notices leave before it.
  const isSent = async () => (await app.api("GET", `/v1/campaigns/${id}`)).body.status === "sent";
  await until(isSent, 240_000);
  const replies = pack(PAYLOADS, 400);
  await app.db.execute(sql`
    update deliveries d set reply = said.reply, code = 250
    from (select contact_id, (${replies}::text[])[1 + (row_number() over () % ${replies.length}::int)] as reply
          from deliveries where source_id = ${uuidOf("cmp", id)}) as said
    where d.source_id = ${uuidOf("cmp", id)} and d.contact_id = said.contact_id`);
  await mailedAnHourAgo(app, id);
  const { body } = await app.api("GET", `/v1/campaigns/${id}/recipients?limit=5`);
  for (const [n, one] of body.data.entries()) {
    await hit(app, id, one.id);
    await hit(app, id, one.id, { link: n });
  }
  return id;
}

/** Puts a mail into the sandbox that no composer of ours would make. */
async function catchMail(app: TestApp): Promise<void> {
  const base64 = (text: string) =>
    Buffer.from(text.toWellFormed()).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  const word = (text: string) =>
    (
      Buffer.from(text.toWellFormed())
        .toString("base64")
        .match(/.{1,60}/g) ?? []
    )
      .map((part) => `=?utf-8?B?${part}?=`)
      .join("\r\n ");
  const words = pack(ONE_LINE, 900);
  const part = (type: string) =>
    `--x\r\nContent-Type: text/${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${base64(PAYLOADS.join("\n"))}\r\n`;
  const message = [
    `From: ${word(words[0] ?? "")} <news@letters.example>`,
    `Subject: ${word(words[1] ?? "")}`,
    ...words.map((text, n) => `X-Payload-${n}: ${text.replaceAll(/[^ -~]/g, "?")}`),
    "MIME-Version: 1.0",
    "Content-Type: multipart/alternative; boundary=x",
    "",
    `${part("plain")}${part("html")}--x--\r\n`,
  ].join("\r\n");
  const log = createLog({ level: "silent", pretty: false });
  const ctx = {
    accountId: uuidOf("acc", app.accountId),
    actor: { kind: "system", id: null } as const,
    clock: systemClock,
    log,
  };
  await app.db.transaction((tx) =>
    sendTestMessages(
      { sql: tx, ...ctx },
      [{ to: HOSTILE_TO, from: "news@letters.example", message: Buffer.from(message) }],
      { stream: "campaign", hasRelay: false, isSandbox: true },
    ),
  );
}

async function addFile(app: TestApp, name: string): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob([Buffer.from(SMALL_GIF, "latin1")], { type: "image/gif" }), `${name}.gif`);
  const headers = { authorization: `Bearer ${app.key}` };
  const reply = await fetch(`${app.baseUrl}/v1/files`, { method: "POST", headers, body: form });
  assert.ok(reply.status < 300, await reply.text());
}

/** The file has payloads as its name, its headings and its cells, also where an address should be. */
export function hostileFile(): string {
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const [first = "", second = "", ...rest] = pack(ONE_LINE, 300);
  const heading = ["email", first, second].map(quote).join(",");
  return [heading, ...rest.map((text) => [text, text, text].map(quote).join(","))].join("\n");
}

async function importFile(app: TestApp, listId: string, name: string): Promise<string> {
  const form = new FormData();
  form.append("options", JSON.stringify({ list_id: listId }));
  form.append("file", new Blob([hostileFile()]), `${name}.csv`);
  const headers = { authorization: `Bearer ${app.key}` };
  const reply = await fetch(`${app.baseUrl}/v1/imports`, { method: "POST", headers, body: form });
  const { id } = (await reply.json()) as Json;
  assert.equal(reply.status, 202);
  await until(async () => !/pending|running/.test((await app.api("GET", `/v1/imports/${id}`)).body.status));
  return id;
}
