import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyText, liquidTemplates } from "../../test/support/liquid.ts";
import { compileSource } from "./compile.ts";
import { bare, faultsOf, joinMail, recipientWith, renderMail, tryCompile } from "./support.fixture.ts";

const tracked = { ...bare, tracking: { opens: false, clicks: true } };
const footer = { postalAddress: "1 High Street\nTown {{ x }} <b>", unsubscribeLabel: null };
const zoe = recipientWith({ city: "Köln", shop: "https://shop.example/?a=1&b=2" });

describe("links", () => {
  test("become numbers, each place its own, and no other byte is touched", async () => {
    const html =
      "<P CLASS=x ><A\tHREF='https://a.example/?b=1&amp;c=2' >a</A>\r\n<a href=https://b.example>b</a>&nbsp;<BR/>" +
      '<a href="https://a.example/?b=1&c=2">again</a> < unclosed <i>';
    const compiled = await compileSource({ ...tracked, html, text: "" });
    assert.deepEqual(
      compiled.links.map(({ url, group }) => [url, group]),
      [
        ["https://a.example/?b=1&c=2", undefined],
        ["https://b.example", undefined],
        ["https://a.example/?b=1&c=2", 0],
      ],
    );
    assert.equal(
      joinMail(compiled, zoe).html,
      "<P CLASS=x ><A\tHREF='https://mail.example/c?m=1&amp;n=0' >a</A>\r\n" +
        '<a href="https://mail.example/c?m=1&amp;n=1">b</a>&nbsp;<BR/>' +
        '<a href="https://mail.example/c?m=1&amp;n=2">again</a> < unclosed <i>',
    );
  });

  const untouched: readonly string[] = [
    '<a href="mailto:a@example.org">a</a>',
    '<a href="tel:+4912">a</a>',
    '<a href="#top">a</a>',
    '<a href="/relative">a</a>',
    '<a href="https://">a</a>',
    '<a href="https://a.example" data-track="off">a</a>',
    '<a clicktracking=off href="https://a.example">a</a>',
    '<link href="https://a.example/x.css">',
    '<img src="https://a.example/x.png">',
    '<!-- <a href="https://a.example">a</a> -->',
    '{% comment %}<a href="https://a.example">a</a>{% endcomment %}',
  ];
  for (const html of untouched) {
    test(`stay as they are: ${html}`, async () => {
      const compiled = await compileSource({ ...tracked, html, text: "" });
      assert.deepEqual(compiled.links, []);
      assert.equal(joinMail(compiled, zoe).html, html.replace(/\{% comment.*/, ""));
    });
  }

  test("in Outlook's markup and inside conditions are numbered too", async () => {
    const html =
      '<!--[if mso]><v:roundrect href="https://a.example"></v:roundrect><![endif]-->' +
      '{% if first_name %}<a href="https://b.example">b</a>{% endif %}';
    const { html: joined } = await renderMail({ ...tracked, html, text: "" }, zoe);
    assert.match(joined, /v:roundrect href="https:\/\/mail\.example\/c\?m=1&amp;n=0"/);
    assert.match(joined, /<a href="https:\/\/mail\.example\/c\?m=1&amp;n=1">/);
  });

  test("in the author's own text are numbered, without the full stop behind them", async () => {
    const text =
      "See https://a.example/b, or (https://c.example). {{ view_url }} https://d.example/{{ email }}";
    const mail = await renderMail({ ...tracked, text }, zoe);
    assert.equal(
      mail.text,
      "See https://mail.example/c?m=1&n=0, or (https://mail.example/c?m=1&n=1). https://mail.example/v/1 " +
        "https://d.example/zoe+news@example.org",
    );
  });
});

describe("the text part", () => {
  const guarding: readonly string[] = [
    "<p>Hello</p><!-- {% if fields.staff %} --><p>secret</p><!-- {% endif %} -->",
    "<p {% if fields.staff %}>secret</p><p {% endif %}>",
    "{% if fields.staff %}<html><body>secret</body></html>{% endif %}",
    "<!--[if mso]>{% if fields.staff %}<![endif]-->secret<!--[if mso]>{% endif %}<![endif]-->",
  ];
  for (const html of guarding) {
    test(`is refused where a condition would be lost: ${html}`, async () => {
      const [fault] = await faultsOf({ html });
      assert.deepEqual([fault?.code, fault?.part], ["liquid_syntax", "text"]);
      assert.match(fault?.detail ?? "", /everybody would read.*Give a text part/);
      assert.deepEqual(await faultsOf({ html, text: "Hello" }), []);
    });
  }

  const whole: readonly string[] = [
    "<!-- {% if fields.staff %}secret{% endif %} -->read",
    "<!--[if mso]>{% if fields.staff %}<i>secret</i>{% endif %}<![endif]-->read",
    "<head><title>{% if fields.staff %}secret{% endif %}</title></head><body>read</body>",
    '<p style="{% if fields.staff %}color:red{% endif %}">read</p>',
    "{% if fields.staff %}<p>secret</p>{% endif %}read",
    "{% assign x = 1 %}<html><body>{% if x == 1 %}read{% endif %}</body></html>",
  ];
  for (const html of whole) {
    test(`is made where nothing but a condition's own words is lost with it: ${html}`, async () => {
      assert.equal((await renderMail({ html }, zoe)).text.trim(), "read");
    });
  }

  const tables: readonly [html: string, text: string][] = [
    ["<table><tr><th>Name<th>Price<tr><td>Tea<td>3</table>", "Name | Price\nTea | 3"],
    ["<table><tbody><tr>\n<td>Total</td>\n<td><b>5</b></td>\n</tr></tbody></table>", "Total | 5"],
    [
      "<table><tr><td>a</td></tr>{% for n in (1..2) %}<tr><td>{{ n }}</td><td>x</td></tr>{% endfor %}</table>after",
      "a\n1 | x\n2 | x\nafter",
    ],
    ['<table role="presentation"><tr><td>left</td><td>right</td></tr></table>', "left right"],
    [
      "<table><tr><td><p>left</p></td><td><table><tr><td>in</td></tr></table></td></tr></table>",
      "left\n\nin",
    ],
  ];
  for (const [html, text] of tables) {
    test(`has a line for each row of ${html}`, async () => {
      assert.equal((await renderMail({ html }, zoe)).text.trim().replaceAll(/\n{3,}/g, "\n\n"), text);
    });
  }

  test("begins with what there is to read", async () => {
    assert.equal((await renderMail({ html: "<div>&nbsp;</div><p>a</p>" }, zoe)).text, "a");
  });

  test("is made from the HTML with its Liquid and its links", async () => {
    const html =
      "<style>p{color:red}</style><h1>Hello {{ first_name | escape }}</h1>" +
      "{% if fields.city %}<p>In {{ fields.city }}</p>{% else %}<p>Nowhere</p>{% endif %}<ul><li>One<li>Two</ul>" +
      '<p><a href="https://a.example/?b=1&amp;c=2">Shop &amp; more</a></p><img src="x.png" alt="A picture">';
    const { text } = await renderMail({ ...tracked, html }, zoe);
    assert.equal(
      text.replaceAll(/\n{2,}/g, "\n"),
      "Hello Zoë\nIn Köln\n- One\n- Two\nShop & more [https://mail.example/c?m=1&n=0]\nA picture",
    );
  });

  test("leaves braces that aren't Liquid as they are", async () => {
    const { text } = await renderMail(
      { html: "<p>&#123;&#123; x }} {% raw %}{{ y }}{% endraw %} {<b>{{ email }}" },
      zoe,
    );
    assert.equal(text, "{{ x }} {{ y }} {zoe+news@example.org");
  });

  test("knows what was assigned in front of the body", async () => {
    const html =
      "{% assign a = first_name | upcase %}<html><head>{% assign b = 2 %}</head><body>{{ a }}{{ b }}</body></html>";
    assert.equal((await renderMail({ html }, zoe)).text, "ZOË2");
  });

  test("is made of tags whose names every object has", async () => {
    const html =
      "<p>a <CONSTRUCTOR class=x>b</constructor ><constructor/> <constructors>c</constructors></p>";
    assert.equal((await renderMail({ html }, zoe)).text, "a b c");
  });

  test("isn't made where the author gave one", async () => {
    assert.equal((await renderMail({ html: "<p>a</p>", text: "b" }, zoe)).text, "b");
  });
});

describe("what the author left out", () => {
  test("a footer with the address and the way out is added before the body ends", async () => {
    const mail = await renderMail({ html: "<html><body><p>a</p></body></html>", footer }, zoe);
    assert.match(
      mail.html,
      /<p>a<\/p><div [^>]*>1 High Street<br>Town &#123;&#123; x }} &lt;b&gt;<br><a href="https:\/\/mail\.example\/u\?m=1&amp;t=2"[^>]*>Unsubscribe<\/a><\/div><\/body><\/html>$/,
    );
    assert.match(
      mail.text,
      /^a\n\n-- \n1 High Street\nTown \{\{ x }} <b>\nUnsubscribe: https:\/\/mail\.example\/u\?m=1&t=2\n$/,
    );
  });

  const OUT = '<a href="{{ unsubscribe_url }}">out</a>';
  const shown: readonly [html: string, isAdded: boolean][] = [
    ['<a href="{{ unsubscribe_url }}">out</a>', false],
    [`{% if a %}${OUT}{% else %}${OUT}{% endif %}`, false],
    [`{% if a %}${OUT}{% endif %}`, true],
    [`{% for a in b %}${OUT}{% endfor %}`, true],
    [`{% case a %}{% when 1 %}${OUT}{% endcase %}`, true],
    [`<!-- ${OUT} -->`, true],
    [`{% comment %}${OUT}{% endcomment %}`, true],
    [`{% raw %}${OUT}{% endraw %}`, true],
    ["{{ unsubscribe_url }}", true],
    ['<a href="{{ fields.unsubscribe_url }}">out</a>', true],
    ['<a href="{{ fields.x | default: "unsubscribe_url" }}">out</a>', true],
  ];
  for (const [html, isAdded] of shown) {
    test(`the way out is ${isAdded ? "added to" : "there in"} ${html}`, async () => {
      const mail = await renderMail({ html, text: "", footer: { ...footer, postalAddress: null } }, zoe);
      assert.equal(mail.html.includes(">Unsubscribe</a>"), isAdded);
    });
  }

  test("the preview text stands hidden at the top, the pixel at the end", async () => {
    const source = { html: "<body bgcolor=x><p>a</p>", text: "", preheader: "Tom & {{ first_name }}" };
    const { html } = await renderMail({ ...source, tracking: { opens: true, clicks: false } }, zoe);
    assert.match(
      html,
      /^<body bgcolor=x><div style="display:none[^>]*>Tom &amp; Zoë(?:&#847;&zwnj;&nbsp;)+<\/div><p>a<\/p>/,
    );
    const headed = { ...source, html: "<!doctype html><html><head></head><p>a" };
    assert.match(
      (await renderMail(headed, zoe)).html,
      /^<!doctype html><html><head><\/head><div style="display:none/,
    );
    assert.match(
      (await renderMail({ ...source, html: "<!doctype html><p>a" }, zoe)).html,
      /^<!doctype html><div/,
    );
    assert.match(html, /<img src="https:\/\/mail\.example\/o\?m=1&amp;t=2" width="1"[^>]*>$/);
  });
});

describe("style sheets", () => {
  test("are inlined into the author's tags, and stay for media queries", async () => {
    const sheet = "<style>p{color:red}.b{margin:0}@media (max-width:9px){p{color:blue}}</style>";
    const html = `${sheet}<P>a<p class='b' style='color:green'>b<p style="top:{{ fields.x }}">c<br/>`;
    const mail = await renderMail({ html, text: "" }, recipientWith({ x: "1px" }));
    assert.equal(
      mail.html,
      `${sheet}<P style="color: red;">a<p class='b' style='margin: 0; color: green;'>b<p style="color: red; top:1px">c<br/>`,
    );
  });

  test("that depend on Liquid aren't inlined", async () => {
    const html = "<style>{% if a %}p{color:red}{% endif %}</style><style>p{top:0}</style><p>a";
    const mail = await renderMail({ html, text: "" }, zoe);
    assert.equal(mail.html, '<style></style><style>p{top:0}</style><p style="top: 0;">a');
  });
});

test("the names that a content reads are listed, with where", async () => {
  const compiled = await compileSource({
    ...bare,
    subject: "{{ first_name }}",
    text: "{% assign a = fields.city %}{{ a }}\n{% for t in subscriber.tags %}{{ t }}{% endfor %}{{ list[email].x }}",
  });
  assert.deepEqual(
    compiled.variables.map(({ name, part, line, column }) => [name, part, line, column]),
    [
      ["first_name", "subject", 1, 4],
      ["fields.city", "text", 1, 15],
      ["subscriber.tags", "text", 2, 13],
      ["email", "text", 2, 58],
      ["list", "text", 2, 53],
    ],
  );
});

test("MJML is compiled, with Liquid in it", async () => {
  const mjml =
    "<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ first_name }}{% if 1 < 2 %}!{% endif %}</mj-text>" +
    '<mj-button href="https://a.example/?b=1">Go</mj-button><mj-include path="/etc/passwd" /></mj-column></mj-section></mj-body></mjml>';
  const mail = await renderMail({ ...tracked, mjml }, zoe);
  assert.match(mail.html, /Hi Zoë!/);
  assert.match(mail.html, /href="https:\/\/mail\.example\/c\?m=1&amp;n=0"/);
  assert.doesNotMatch(mail.html, /root:|fonts\.googleapis/);
  assert.match(mail.text, /Hi Zoë!\n+Go \[https:\/\/mail\.example\/c\?m=1&n=0\]/);
});

test("the fast path and LiquidJS make the same mail", async () => {
  const placed = (liquid: string) =>
    `<p title="${liquid}">${liquid}</p><a href="https://a.example/?q=${liquid}">a</a><a href="${liquid}">b</a>`;
  await fc.assert(
    fc.asyncProperty(liquidTemplates, anyText, async (liquid, city) => {
      const html = placed(liquid.replaceAll(/[<>"]/g, "'"));
      const source = { ...tracked, html, text: "" };
      const fast = await tryCompile(source);
      if (!("key" in fast)) return;
      // A `break` outside a loop makes LiquidJS render the part as a whole.
      const slow = await compileSource({ ...source, html: `${html}{% break %}` });
      assert.deepEqual([slow.html?.length, slow.isBounded], [1, false]);
      const recipient = recipientWith({ city });
      assert.deepEqual(
        attempt(() => joinMail(fast, recipient)),
        attempt(() => joinMail(slow, recipient)),
      );
    }),
    { numRuns: 30 },
  );
});

function attempt<T>(make: () => T): T | "failed" {
  try {
    return make();
  } catch {
    return "failed";
  }
}

test("whatever the HTML, compiling gives a content or faults", async () => {
  const fragments =
    "<style>|p{color:red}|p:hover,{|@media (|}|/*|</style>|{{ first_name }}|{{ email | upcase }}|{% if email %}|{% endif %}" +
    "|{% raw %}|{% endraw %}|<a href=|https://a.example/|'|\"|>|<|<!--|-->|[if mso]>|<![endif]|</|<table><tr>|<p|class=b|" +
    "style='|title=|&amp;|&#|;|<script>|</script>|<body>|</body>|<!doctype html>|漢|\r\n|\t| |=|/>|<svg>|<![CDATA[|]]>";
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...fragments.split("|")), { maxLength: 30 }), async (parts) => {
      const source = { ...tracked, html: parts.join(""), footer, preheader: "a" };
      const compiled = await tryCompile(source);
      if ("key" in compiled) assert.ok(joinMail(compiled, zoe).html.includes("Unsubscribe"));
    }),
    { numRuns: 50 },
  );
});

describe("what can't be compiled is told with its place", () => {
  const cases: readonly [
    source: Parameters<typeof faultsOf>[0],
    fault: readonly unknown[],
    detail: RegExp,
  ][] = [
    [{ html: "a\n  {{ first_name" }, ["liquid_syntax", "html", 2, 3], /isn't closed/],
    [{ html: "a\r\nb{% if a %}" }, ["liquid_syntax", "html", 2, 2], /isn't closed/],
    [{ html: "{{ a | shout }}" }, ["liquid_syntax", "html", 1, 1], /no filter named shout/],
    [{ html: "{% include 'x' %}" }, ["liquid_syntax", "html", 1, 1], /no tag named include/],
    [{ html: "{% render 'x' %}" }, ["liquid_syntax", "html", 1, 1], /no tag named render/],
    [{ html: "{% _link 0 %}" }, ["liquid_syntax", "html", 1, 1], /no tag named _link/],
    [{ html: "{{ a | _html }}" }, ["liquid_syntax", "html", 1, 1], /no filter named _html/],
    [{ subject: "{{ a", text: "" }, ["liquid_syntax", "subject", 1, 1], /isn't closed/],
    [{ subject: "a\r\nBcc: b", text: "" }, ["control_character", "subject", 1, 2], /line break/],
    [{ html: "a\0" }, ["control_character", "html", 1, 2], /control character/],
    [{ text: "a\n\uDC00" }, ["broken_unicode", "text", 2, 1], /half a character/],
    [{ html: "x".repeat(1_000_001) }, ["too_large", "html", null, null], /1,000,000/],
    [
      { html: `<style>p{font-family:'${"x".repeat(40_000)}'}</style>${"<p>".repeat(130)}`, text: "" },
      ["too_large", null, null, null],
      /5,000,000/,
    ],
    [{}, ["empty", null, null, null], /no content/],
    [{ mjml: "<mjml><mj-body><mj-foo/></mj-body></mjml>" }, ["invalid_mjml", "mjml", 1, 1], /mj-foo/],
    [
      { mjml: "<mjml><mj-body>\n{% if a %}<mj-section></mj-section>{% endif %}</mj-body></mjml>" },
      ["invalid_mjml", "mjml", 2, 1],
      /mj-raw/,
    ],
    [
      { html: '<a title="{% if a %}">a{% endif %}' },
      ["liquid_syntax", "text", null, null],
      /Give a text part/,
    ],
    [{ mjml: "<mjml>\n{{ x" }, ["liquid_syntax", "mjml", 2, 1], /isn't closed/],
  ];
  for (const [source, [code, part, line, column], detail] of cases) {
    test(`${JSON.stringify(source).slice(0, 60)}`, async () => {
      const [fault] = await faultsOf(source);
      assert.ok(fault);
      assert.deepEqual([fault.code, fault.part, fault.line, fault.column], [code, part, line, column]);
      assert.match(fault.detail, detail);
    });
  }

  test("every part at once", async () => {
    const faults = await faultsOf({ subject: "{{ a", html: "{{ b", text: "{{ c" });
    assert.deepEqual(
      faults.map(({ part }) => part),
      ["subject", "html", "text"],
    );
  });
});
