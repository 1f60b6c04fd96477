/** The words of public pages: the language that a visitor gets, and the account's own texts in it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { eventsSince, type Json } from "../support/subscribers.ts";

const folder = mkdtempSync(join(tmpdir(), "page-locales-"));
let app: TestApp;
before(async () => {
  writeFileSync(join(folder, "ar.json"), JSON.stringify({ "notFound.title": "لا شيء هنا" }));
  app = await createApp({ settings: { ROLES: "api,public", PAGE_LOCALES_DIR: folder } });
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

const put = (locale: string, texts: Json, key?: string) =>
  app.api("PUT", `/v1/page_words/${locale}`, { body: { texts }, ...(key && { key }) });
async function archive(language?: string): Promise<{ body: string; headers: Headers }> {
  const answer = await fetch(`${app.baseUrl}/archive/letter`, {
    headers: language === undefined ? {} : { "accept-language": language },
  });
  return { body: await answer.text(), headers: answer.headers };
}

test("a visitor's language comes first, then the account's, and caches are told", async () => {
  const list = { name: "The weekly letter", archive_slug: "letter" };
  const made = await app.api("POST", "/v1/lists", { body: list });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const german = await archive("de-AT, en;q=0.5");
  assert.match(german.body, /<html lang="de" dir="ltr">/);
  assert.match(german.body, /Hier ist noch nichts veröffentlicht/);
  assert.match(german.headers.get("vary") ?? "", /accept-language/i);
  assert.match((await archive()).body, /<html lang="en-GB" dir="ltr">/);
  const faulty = await app.api("PATCH", "/v1/account", { body: { locale: "no language" } });
  assert.deepEqual([faulty.status, faulty.body.errors[0].code], [422, "invalid_locale"]);
  const patched = await app.api("PATCH", "/v1/account", { body: { locale: "FR-ca" } });
  assert.deepEqual([patched.status, patched.body.locale], [200, "fr-CA"]);
  assert.match((await archive()).body, /<html lang="fr" dir="ltr">/);
  assert.match((await archive("nl")).body, /<html lang="fr" dir="ltr">/);
  assert.match((await archive("ar")).body, /<html lang="ar" dir="rtl">/);
  const nothing = await fetch(`${app.baseUrl}/u/no-token`, { headers: { "accept-language": "ar" } });
  assert.match(await nothing.text(), /لا شيء هنا/);
});

test("own texts hold for the account's pages in their language, and stand as text", async () => {
  const { cursor } = await eventsSince(app);
  const own = { "archive.empty": "<b>Noch</b> nichts & niemand", "archive.older": "Ältere" };
  const saved = await put("de", own);
  assert.deepEqual(
    [saved.status, saved.body.texts],
    [200, { "archive.empty": own["archive.empty"] }],
    "what is as the standard isn't kept",
  );
  assert.equal(saved.body.standard["archive.empty"], "Hier ist noch nichts veröffentlicht.");
  assert.match((await archive("de")).body, /&lt;b&gt;Noch&lt;\/b&gt; nichts &amp; niemand/);
  assert.doesNotMatch((await archive("en")).body, /Noch/);
  assert.deepEqual((await app.api("GET", "/v1/page_words/de")).body, saved.body);
  const { data } = (await app.api("GET", "/v1/page_words")).body;
  assert.deepEqual(
    data.map((one: Json) => `${one["locale"]} ${one["direction"]} ${one["own_texts"]}`),
    ["en ltr 0", "de ltr 1", "fr ltr 0", "ar rtl 0"],
  );
  const { events } = await eventsSince(app, cursor);
  assert.deepEqual(events.at(-1)?.data.changed, ["page_words"]);
  assert.deepEqual((await put("de", {})).body.texts, {});
  assert.match((await archive("de")).body, /Hier ist noch nichts veröffentlicht/);
});

test("wrong keys, places and characters are refused at their place, and nothing is kept", async () => {
  const refused = await put("de", {
    "archive.title": "No place",
    "archive.lead": "{sender} {list}",
    "no.such/key~": "x",
    "ask.button": "a\r\nb",
    "ask.also": " ",
    "ask.reason": "x".repeat(1_001),
    "ask.optional": "\u202Eevil",
    constructor: "x",
  });
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.errors.map((one: Json) => one["pointer"]).toSorted(), [
    "/texts/archive.lead",
    "/texts/archive.title",
    "/texts/ask.also",
    "/texts/ask.button",
    "/texts/ask.optional",
    "/texts/ask.reason",
    "/texts/constructor",
    "/texts/no.such~1key~0",
  ]);
  assert.deepEqual((await app.api("GET", "/v1/page_words/de")).body.texts, {});
  for (const locale of ["nl", "no%20language", "__proto__", "x".repeat(300)]) {
    assert.equal((await app.api("GET", `/v1/page_words/${locale}`)).status, 404, locale);
    assert.equal((await put(locale, {})).status, 404, locale);
  }
});

test("a neighbour's texts are its own, and the scope is asked for", async () => {
  await put("en", { "archive.empty": "Ours alone" });
  const other = await app.addAccount();
  assert.deepEqual((await app.api("GET", "/v1/page_words/en", { key: other.key })).body.texts, {});
  const { body: key } = await app.api("POST", "/v1/api_keys", {
    body: { name: "reader", scopes: ["account:read"] },
  });
  assert.equal((await put("en", {}, key.key)).status, 403);
});

test("a start fails when a file can't be used, and says why", async () => {
  const faulty = mkdtempSync(join(tmpdir(), "page-locales-"));
  writeFileSync(join(faulty, "it.json"), JSON.stringify({ "ask.title": "Senza posto" }));
  await assert.rejects(
    createApp({ settings: { PAGE_LOCALES_DIR: faulty } }),
    /it\.json: "ask\.title" must have these places and no others: \{list\}/,
  );
  rmSync(faulty, { recursive: true });
});
