import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { english as words } from "../locales/locales.ts";
import { mailDocument } from "../public-pages.ts";

const given = { words, subject: "What we read", isFramed: true, isIndexable: false };

describe("a mail as a page", () => {
  test("its own response keeps it from running, sending and framing anything", () => {
    const alone = mailDocument({ ...given, html: "", isFramed: false }).headers;
    assert.equal(
      alone["content-security-policy"],
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src https: data: 'self'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    assert.deepEqual(
      [alone["x-frame-options"], alone["cross-origin-opener-policy"]],
      ["DENY", "unsafe-none"],
    );
    const framed = mailDocument({ ...given, html: "" }).headers;
    assert.match(framed["content-security-policy"] ?? "", /frame-ancestors 'self'$/);
    assert.equal(framed["x-frame-options"], "SAMEORIGIN");
    assert.equal(framed["x-robots-tag"], "noindex");
    assert.equal(mailDocument({ ...given, html: "", isIndexable: true }).headers["x-robots-tag"], undefined);
  });

  const added = `<title>What we read</title><base target="_blank">`;
  for (const [html, body] of [
    [
      "<!doctype html><html><head lang=x><title>T</title></head>",
      `<!doctype html><html><head lang=x>${added}<title>T</title></head>`,
    ],
    [
      "<!DOCTYPE html PUBLIC 'x' 'y'>\n<html><!-- <head> --><HEAD>",
      `<!DOCTYPE html PUBLIC 'x' 'y'>\n<html><!-- <head> --><HEAD>${added}`,
    ],
    ["<!doctype html><p>hello</p><head>", `<!doctype html>${added}<p>hello</p><head>`],
    ["<p>hello</p>", `${added}<p>hello</p>`],
    ["", added],
  ] as const) {
    test(`the title and the links' target go to the front of ${JSON.stringify(html)}`, () =>
      assert.equal(mailDocument({ ...given, html }).body, body));
  }

  test("a hostile subject is text, and a mail on its own keeps its links as they are", () => {
    const { body } = mailDocument({
      words,
      html: "<p>",
      subject: "</title><script>",
      isFramed: false,
      isIndexable: false,
    });
    assert.equal(body, "<title>&lt;/title&gt;&lt;script&gt;</title><p>");
  });
});
