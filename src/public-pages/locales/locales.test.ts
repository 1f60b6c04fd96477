import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { allPages, sender } from "../../../test/support/public-pages.ts";
import { tooMany } from "../public-pages.ts";
import { english, readLocales, shippedLocales } from "./locales.ts";
import { faultOf, textsOf, type Words } from "./words.ts";

describe("the locales that are shipped", () => {
  for (const [tag, words] of shippedLocales) {
    test(`${tag} has every key of English, and each text has the same places`, () => {
      const texts = textsOf(words);
      for (const key of Object.keys(textsOf(english))) assert.ok(key in texts, `${key} is missing`);
      for (const [key, text] of Object.entries(texts)) assert.equal(faultOf(key, text), undefined, key);
    });

    test(`in ${tag} every page says its language, and leaves no place unfilled`, () => {
      for (const [path, { body, headers }] of allPages(undefined, sender, words)) {
        assert.doesNotMatch(body, /\{\w+\}/, path);
        if (!/html/.test(headers["content-type"] ?? "") || !/<footer/.test(body)) continue;
        assert.ok(body.includes(`<html lang="${words.lang}" dir="ltr">`), path);
      }
    });
  }

  test("nothing but names and signs is left in English", () => {
    const usual = textsOf(english);
    const same = new Set([
      "postrider",
      "archive.rss",
      "archive.atom",
      "archive.feeds",
      "archive.pages",
      "form.labels.email",
    ]);
    for (const tag of ["de", "fr"]) {
      for (const [key, text] of Object.entries(textsOf(shippedLocales.get(tag) as Words))) {
        if (!same.has(key) && /[a-z]{4}/.test(text.replaceAll(/\{\w+\}/g, ""))) {
          if (/^(wait\.minutes\.)/.test(key)) continue;
          assert.notEqual(text, usual[key], `${tag} ${key}`);
        }
      }
    }
  });
});

describe("locales by files", () => {
  const reading = (files: Record<string, unknown>) => {
    const folder = mkdtempSync(join(tmpdir(), "locales-"));
    try {
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
      }
      return readLocales(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test("a language that is written from the right turns the page, and what it lacks is English", () => {
    const words = reading({ "ar.json": { "ask.button": "إلغاء الاشتراك" } }).get("ar") as Words;
    const page = allPages(undefined, sender, words).get("/ask")?.body ?? "";
    assert.match(page, /<html lang="ar" dir="rtl">/);
    assert.match(page, /إلغاء الاشتراك/);
    assert.match(page, /It goes to/);
  });

  test("a language has forms of a plural that English lacks", () => {
    const forms = { one: "{n} sekunda", few: "{n} sekundy", many: "{n} sekund", other: "{n} sekundy" };
    const file = Object.fromEntries(
      Object.entries(forms).map(([form, text]) => [`wait.seconds.${form}`, text]),
    );
    const words = reading({ "pl.json": file }).get("pl") as Words;
    const said = [1, 3, 12].map((n) => tooMany({ words, retryAfterSeconds: n, retryPath: "/" }).body);
    for (const [at, text] of ["1 sekunda", "3 sekundy", "12 sekund"].entries()) {
      assert.ok(said[at]?.includes(`in ${text}.`), text);
    }
  });

  test("a file of a language that is shipped changes what it names", () => {
    const words = reading({ "de.json": { "ask.button": "Raus hier" } }).get("de") as Words;
    assert.deepEqual(
      [words.ask.button, words.lang, words.ask.also],
      ["Raus hier", "de", "Auch von diesen abmelden"],
    );
  });

  test("every fault of every file is named", () => {
    const faulty = () =>
      reading({
        "it.json": { "ask.title": "Annullare?", "ask.nothing": "x", "ask.button": 7, direction: "up" },
        "no language.json": {},
        "nl.json": "{",
        "es.json": { "ask.button": "a\nb", "ask.goesTo": "{address} {list}" },
        "notes.txt": "left alone",
      });
    assert.throws(faulty, (error: Error) => {
      for (const fault of [
        `it.json: "ask.title" must have these places and no others: {list}`,
        `it.json: "ask.nothing" is no key of the English words`,
        `it.json: "ask.button" must be a text that isn't blank`,
        `it.json: "direction" must be "ltr" or "rtl"`,
        "no language.json: must be called by a language tag, such as pt-BR.json",
        "nl.json: can't be read",
        `es.json: "ask.button" must be one line without control characters`,
        `es.json: "ask.goesTo" must have these places and no others: {address}`,
      ]) {
        assert.ok(error.message.includes(fault), `${fault} in ${error.message}`);
      }
      return !error.message.includes("notes.txt");
    });
    assert.throws(() => readLocales("/nowhere/at/all"), /PAGE_LOCALES_DIR \/nowhere\/at\/all can't be read/);
  });

  test("keys that every object has are no keys", () => {
    for (const key of ["constructor", "__proto__", "ask", "lang", "ask.reasons", "wait.seconds", "x.one"]) {
      assert.equal(faultOf(key, "x"), "is no key of the English words", key);
    }
  });
});
