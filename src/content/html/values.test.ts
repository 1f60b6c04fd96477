import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../../test/support/liquid.ts";
import { compileSource } from "../compile.ts";
import { bare, faultsOf, joinMail, recipientWith, renderMail } from "../support.fixture.ts";

const hostile = `<b>&"'\r\n`;

describe("a value is escaped for the place it stands in", () => {
  const cases: readonly [name: string, html: string, value: unknown, expected: string][] = [
    ["text", "<p>{{ fields.x }}</p>", hostile, "<p>&lt;b&gt;&amp;&#34;&#39;\r\n</p>"],
    ["a title", "<title>{{ fields.x }}</title>", "</title>", "<title>&lt;/title&gt;</title>"],
    ["a comment", "<!-- {{ fields.x }} -->", "--><script>", "<!-- --&gt;&lt;script&gt; -->"],
    [
      "a double-quoted attribute",
      '<p title="{{ fields.x }}">',
      '" onclick="x',
      '<p title="&#34; onclick=&#34;x">',
    ],
    [
      "a single-quoted attribute",
      "<p title='{{ fields.x }}'>",
      "' onclick='x",
      "<p title='&#39; onclick=&#39;x'>",
    ],
    ["a style attribute", '<p style="color:{{ fields.x }}">', "#ff0000", '<p style="color:#ff0000">'],
    [
      "a style attribute that is attacked",
      '<p style="color:{{ fields.x }}">',
      "red;background:url(x)",
      '<p style="color:">',
    ],
    [
      "a whole address",
      '<a href="{{ fields.x }}">',
      "https://a.example/?b=1&c=2",
      '<a href="https://a.example/?b=1&amp;c=2">',
    ],
    ["a relative address", '<a href="{{ fields.x }}">', "/path?a:b", '<a href="/path?a:b">'],
    ["an address that runs code", '<a href="{{ fields.x }}">', "javascript:alert(1)", '<a href="#">'],
    ["an address that hides it", '<a href=" {{ fields.x }}">', "\0 jAva\tscript:alert(1)", '<a href=" #">'],
    ["an image", '<img src="{{ fields.x }}">', "data:text/html,x", '<img src="#">'],
    [
      "a path",
      '<a href="https://a.example/{{ fields.x }}/c">',
      'b/ü ?"',
      '<a href="https://a.example/b/%C3%BC%20%3F%22/c">',
    ],
    [
      "a query",
      '<a href="https://a.example/?q={{ fields.x }}">',
      "a&b=c d/ü",
      '<a href="https://a.example/?q=a%26b%3Dc%20d%2F%C3%BC">',
    ],
    [
      "an address behind a static scheme",
      '<a href="mailto:{{ fields.x }}?subject={{ fields.x }}">',
      "a@b.example",
      '<a href="mailto:a@b.example?subject=a%40b.example">',
    ],
    [
      "each branch of an address",
      '<a href="{% if fields.y %}https://a.example/?q={% else %}{{ fields.x }}{% endif %}">',
      "javascript:x",
      '<a href="#">',
    ],
    [
      "a lone surrogate in a query",
      '<a href="https://a.example/?q={{ fields.x }}">',
      "\uD800",
      '<a href="https://a.example/?q=%EF%BF%BD">',
    ],
    ["echo", '<a href="{% echo fields.x %}">', "javascript:x", '<a href="#">'],
    ["cycle", "{% cycle fields.x, 'b' %}", "<b>", "&lt;b&gt;"],
    ["echo in a liquid tag", "{% liquid\necho fields.x\n%}", "<b>", "&lt;b&gt;"],
    [
      "Outlook's own markup",
      '<!--[if mso]><v:rect href="{{ fields.x }}"><![endif]-->',
      "javascript:x",
      '<!--[if mso]><v:rect href="#"><![endif]-->',
    ],
    ["a number", "<p>{{ fields.x }}</p>", 12.5, "<p>12.5</p>"],
    ["nothing", "<p>{{ fields.x }}{{ missing.x.y }}</p>", null, "<p></p>"],
  ];
  for (const [name, html, value, expected] of cases) {
    test(name, async () => {
      assert.equal((await renderMail({ html, text: "" }, recipientWith({ x: value }))).html, expected);
    });
  }
});

describe("what the author escaped isn't escaped twice", () => {
  const cases: readonly [html: string, expected: string][] = [
    ["{{ fields.x | escape }}", "a&amp;b\nc"],
    ["{{ fields.x | escape_once }}", "a&amp;b\nc"],
    ["{{ fields.x | newline_to_br }}", "a&amp;b<br />\nc"],
    ["{{ fields.x | escape | newline_to_br }}", "a&amp;b<br />\nc"],
    ["{{ fields.x | raw }}", "a&b\nc"],
    ["{{- fields.x | raw -}}", "a&b\nc"],
    ['<p title="{{ fields.x | escape }}">', '<p title="a&amp;b\nc">'],
    ['<p title="{{ fields.x | raw }}">', '<p title="a&amp;b\nc">'],
    [
      '<a href="https://a.example/?q={{ fields.x | url_encode }}">',
      '<a href="https://a.example/?q=a%26b%0Ac">',
    ],
    ['<a href="https://a.example/?q={{ fields.x | escape }}">', '<a href="https://a.example/?q=a%26b%0Ac">'],
    ['<a href="{{ fields.u | escape }}">', '<a href="https://a.example/?b&amp;c">'],
    ['<a href="{{ fields.u | raw }}">', '<a href="https://a.example/?b&amp;c">'],
  ];
  for (const [html, expected] of cases) {
    test(html, async () => {
      const recipient = recipientWith({ x: "a&b\nc", u: "https://a.example/?b&c" });
      assert.equal((await renderMail({ html, text: "" }, recipient)).html, expected);
    });
  }
});

describe("a value is refused where no escaping is safe", () => {
  const cases: readonly [html: string, column: number][] = [
    ["<script>{{ first_name }}</script>", 9],
    ["<style>p{color:{{ fields.x }}}</style>", 16],
    ['<p onclick="{{ fields.x }}">', 13],
    ['<iframe srcdoc="{{ fields.x }}">', 17],
    ["<p {{ fields.x }}>", 4],
    ["<p title={{ fields.x }}>", 10],
    ["<a href={{ fields.x }}>", 9],
    ["<a href='{% cycle fields.x %}'>", 10],
    ["{{ fields.x ) }}", 1],
  ];
  for (const [html, column] of cases) {
    test(html, async () => {
      const [fault] = await faultsOf({ html, text: "" });
      assert.deepEqual([fault?.part, fault?.line, fault?.column], ["html", 1, column]);
      assert.match(fault?.detail ?? "", /\.$/);
    });
  }

  test("and every such place is named at once", async () => {
    const faults = await faultsOf({ html: "<script>{{ a }}</script>\n<p {{ b }}>", text: "" });
    assert.deepEqual(
      faults.map(({ line, column }) => [line, column]),
      [
        [1, 9],
        [2, 4],
      ],
    );
  });

  test("but tags that print nothing may stand in a style sheet", async () => {
    const html = "<style>{% if fields.x %}p{color:red}{% endif %}</style><p>a</p>";
    assert.equal((await renderMail({ html, text: "" }, recipientWith({}))).html, "<style></style><p>a</p>");
  });
});

test("whatever a subscriber typed, it stays text", async () => {
  const html = '<p title="{{ fields.x }}">{{ fields.x }}</p><a href="{{ fields.x }}">a</a>';
  const compiled = await compileSource({ ...bare, html, text: "" });
  await fc.assert(
    fc.asyncProperty(anyText, async (x) => {
      const mail = joinMail(compiled, recipientWith({ x }));
      assert.match(mail.html, /^<p title="[^"<>]*">[^<>]*<\/p><a href="[^"<>]*">a<\/a>$/);
      assert.doesNotMatch(mail.html, /href="\s*(?!https?:|mailto:)[a-z]+:/i);
    }),
    { numRuns: 200 },
  );
});

test("a subject stays one line", async () => {
  const recipient = recipientWith({ x: "a\r\nBcc: b@example.org\u2028c\0" });
  const { subject } = await renderMail({ subject: "Hi {{ fields.x }}", text: "" }, recipient);
  assert.equal(subject, "Hi a Bcc: b@example.org c ");
});
