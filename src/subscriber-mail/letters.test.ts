import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { confirmationLetter } from "./confirmation.ts";
import { writeHtml, writeText } from "./layout.ts";
import { letterWordsFor } from "./letters/letters.ts";
import { withWayOut } from "./welcome.ts";

const url = "https://news.example.com/confirm/abc?x=1&y=2";
const brand = { name: "Fernhill", colour: "#ffd400", postalAddress: "1 High Street\nLondon" };

describe("a confirmation mail", () => {
  it("is written in the first language that there are words for", () => {
    const langs = [
      letterWordsFor("fr-CA", "de"),
      letterWordsFor(null, "DE-at"),
      letterWordsFor("xx", undefined),
      letterWordsFor(),
    ].map(({ lang }) => lang);
    assert.deepEqual(langs, ["fr", "de", "en", "en"]);
  });

  for (const locale of ["en", "de", "fr"]) {
    it(`says in ${locale} who asks for what, and has no place left open`, () => {
      const words = letterWordsFor(locale);
      for (const list of ["The letter", ""]) {
        const letter = confirmationLetter(words, { sender: "", list, address: "ada@example.com", url });
        const text = writeText(letter, brand);
        assert.doesNotMatch(letter.subject + text, /[{}]/);
        for (const said of ["ada@example.com", url, "London", list]) assert.ok(text.includes(said), text);
      }
    });
  }

  it("takes what people have written as text, on one line, and makes no link of it", () => {
    const hostile = `"><script>x</script>\r\nBcc: a@b.example https://evil.example \u202Eabc`;
    const about = { sender: hostile, list: hostile, address: "ada@example.com", url };
    const letter = confirmationLetter(letterWordsFor("en"), about);
    assert.doesNotMatch(letter.subject, /[\r\n\u202E]/);
    const html = writeHtml(letter, { ...brand, name: hostile }, letterWordsFor("en"));
    assert.doesNotMatch(html, /<script/);
    assert.doesNotMatch(html.slice(html.indexOf("<body")), /https:\/\/evil/);
    assert.ok(html.includes('href="https://news.example.com/confirm/abc?x=1&amp;y=2"'), html);
  });

  it("has a button that can be read, whatever the account's colour", () => {
    const letter = confirmationLetter(letterWordsFor("en"), { sender: "x", list: "y", address: "z", url });
    const html = writeHtml(letter, brand, letterWordsFor("en"));
    const [, ground, ink] = /background:(#[0-9a-f]{6});color:(#[0-9a-f]{6});text-decoration/.exec(html) ?? [];
    assert.equal(ground, "#ffd400");
    assert.notEqual(ink, "#ffffff", "white on yellow can't be read");
  });
});

describe("the way out of a welcome", () => {
  const leave = "https://news.example.com/leave/abc";
  const texts = { subject: "Hi", html: "<html><body><p>Hi</p></body></html>", text: "Hi" };

  it("is added where the author didn't put it, inside the body", () => {
    const made = withWayOut(texts, "News <1>", leave, "de");
    assert.match(made.html ?? "", /Abmelden<\/a><\/p><\/body><\/html>$/);
    assert.match(made.html ?? "", /News &lt;1&gt;/);
    assert.match(made.text, /Abmelden: https:\/\/news\.example\.com\/leave\/abc\n$/);
    assert.equal(withWayOut({ ...texts, html: null }, "x", leave, null).html, null);
  });

  it("is left as it is where the author did", () => {
    const own = { subject: "Hi", html: `<a href="${leave}">Bye</a>`, text: `Bye: ${leave}` };
    assert.deepEqual(withWayOut(own, "x", leave, null), own);
  });
});
