import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import { fill, fillText, html, toText } from "./html.ts";

describe("markup that is escaped by construction", () => {
  test("a value is text wherever it stands, and nothing where it is absent", () => {
    const hostile = `"><script>'&`;
    assert.equal(
      toText(html`<a title="${hostile}">${hostile}${null}${undefined}${false}${0}</a>`),
      `<a title="&#34;&gt;&lt;script&gt;&#39;&amp;">&#34;&gt;&lt;script&gt;&#39;&amp;0</a>`,
    );
  });

  test("markup made here is kept, one piece or many", () => {
    const items = ["a", "<b>"].map((one) => html`<li>${one}</li>`);
    assert.equal(toText(html`<ul>${items}</ul>${html`<p>`}`), "<ul><li>a</li><li>&lt;b&gt;</li></ul><p>");
  });

  test("an object from elsewhere can't pass for markup", () => {
    const forged = JSON.parse(`{"markup":"<script>","html":"<script>","toString":"<script>"}`);
    assert.equal(toText(html`${forged}`).includes("<script>"), false);
  });

  test("whatever the value, a parser sees one element with one attribute and one text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        const [element, ...others] = parseDocument(toText(html`<p title="${value}">${value}</p>`)).children;
        assert.deepEqual(others, []);
        assert.ok(element?.type === "tag");
        assert.deepEqual(element.attribs, { title: value.toWellFormed() });
        assert.deepEqual(
          element.children.map((child) => (child.type === "text" ? child.data : child.type)),
          value === "" ? [] : [value.toWellFormed()],
        );
      }),
    );
  });

  test("a sentence's places are filled once, whatever the values hold", () => {
    const values = { a: "{b} $& <i>", b: html`<b>x</b>` };
    assert.equal(toText(fill("<{a}> & {b}", values)), "&lt;{b} $&amp; &lt;i&gt;&gt; &amp; <b>x</b>");
    assert.equal(fillText("{a} and {b}", { a: "{b} $&", b: 2 }), "{b} $& and 2");
  });
});
