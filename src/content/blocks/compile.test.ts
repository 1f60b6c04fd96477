import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createValidation } from "../../platform/http/bodies/validation.ts";
import { checkMessage } from "../checks/checks.ts";
import { mailWith } from "../checks/message.fixture.ts";
import { compileContent } from "../compile-content.ts";
import { bare, faultsOf, joinMail, recipientWith, renderMail } from "../support.fixture.ts";
import { compileBlocks } from "./compile.ts";
import { findWholeFaults } from "./document-faults.ts";
import { anyDocument, documentOf, inColumns, oneOfEach, words } from "./documents.fixture.ts";
import { findGaps } from "./gaps.ts";
import { assertKept } from "./kept.fixture.ts";
import { type Block, BlocksDocument, type Inline } from "./schema.ts";

const zoe = recipientWith({ city: "Köln", list: [{ name: "one" }, { name: "two" }] });
const check = createValidation().body(BlocksDocument);

const FOOTER = { postalAddress: "2 Low Road", unsubscribeLabel: null };
const picture = (alt: string | null): Block => ({
  id: `picture${alt}`,
  type: "image",
  src: "https://e.x/a.png",
  alt,
});

async function mailOf(blocks: BlocksDocument, recipient = zoe) {
  return joinMail(await compileContent({ ...bare, blocks }), recipient);
}

async function render(...blocks: readonly Block[]) {
  const document = documentOf(...blocks);
  assert.deepEqual(check(document), []);
  return await mailOf(document);
}

describe("blocks", () => {
  for (const block of [...oneOfEach, inColumns]) {
    test(`show all that is in one of the kind ${block.type}`, async () => {
      const document = documentOf(block);
      assert.deepEqual(check(document), []);
      assertKept(document, await render(block), zoe);
    });
  }

  test("of every kind pass every check; what it says of clients is only information", async () => {
    const { html, text } = await render(...oneOfEach, inColumns);
    const { unsubscribe } = zoe.urls;
    const found = await checkMessage(
      mailWith({ html, text, unsubscribeUrl: unsubscribe, postalAddress: zoe.postalAddress }),
    );
    assert.deepEqual(
      found
        .filter(({ code, severity }) => code !== "unsupported_feature" || severity !== "info")
        .map(({ code, message }) => `${code}: ${message}`),
      [],
    );
  });

  test("keep words that look like markup or Liquid as words", async () => {
    const said = 'a < b & {{ email }} {% if x %} {{{ </mj-text> <script>"';
    const { text, html } = await render({ id: "b", type: "heading", level: 2, content: words(said) });
    assert.ok(text.toLowerCase().includes(said.toLowerCase()), text);
    assert.ok(!html.includes("<script"), html);
  });

  test("count neighbouring words with one address as one link", async () => {
    const { html } = await render(...oneOfEach.filter(({ id }) => id === "text"));
    assert.equal(html.split("https://shop.acme.dev/?a=1&amp;b=2").length - 1, 1);
  });

  for (const [name, around, isShown] of [
    ["a tag that they have", { type: "tag", tag: "VIP", has: true }, true],
    ["a tag that they lack", { type: "tag", tag: "it's", has: true }, false],
    ["the want of a tag that they lack", { type: "tag", tag: 'a "quoted" one', has: false }, true],
    ["the want of a tag that they have", { type: "tag", tag: "VIP", has: false }, false],
    ["a field with this value", { type: "variable", name: "fields.city", is: "equal", value: "Köln" }, true],
    [
      "a field with another value",
      { type: "variable", name: "fields.city", is: "not_equal", value: "Köln" },
      false,
    ],
    ["a field that is set", { type: "variable", name: "fields.city", is: "set" }, true],
    ["a field that is not set", { type: "variable", name: "fields.street", is: "not_set" }, true],
  ] as const) {
    test(`are ${isShown ? "shown" : "not shown"} to people for ${name}`, async () => {
      const tagged = { ...zoe, subscriber: { ...zoe.subscriber, tags: ["VIP"] } };
      for (const wrap of [leafOf, columnsOf]) {
        const document = documentOf(wrap(around));
        assert.deepEqual(check(document), []);
        const { html, text } = await mailOf(document, tagged);
        assert.equal(html.includes("For some"), isShown);
        assert.equal(/for some/i.test(text), isShown);
      }
    });
  }

  const kinds = recipientWith({ n: 5, half: 0.5, yes: true, no: false, code: "007", empty: "" });
  const compared: readonly [
    field: string,
    is: "equal" | "set",
    value: string | undefined,
    isShown: boolean,
  ][] = [
    ["n", "equal", "5", true],
    ["n", "equal", "5.0", true],
    ["n", "equal", "6", false],
    ["half", "equal", "0.5", true],
    ["yes", "equal", "true", true],
    ["yes", "equal", "false", false],
    ["no", "equal", "False", true],
    ["code", "equal", "007", true],
    ["code", "equal", "7", false],
    ["none", "equal", "false", false],
    ["none", "equal", "", true],
    ["none", "equal", undefined, true],
    ["empty", "equal", "", true],
    ["no", "equal", "", false],
    ["n", "set", undefined, true],
    ["no", "set", undefined, true],
    ["empty", "set", undefined, false],
    ["none", "set", undefined, false],
  ];
  for (const [field, is, value, isShown] of compared) {
    test(`know whether ${field} is ${is} ${value ?? ""} by the kind of the field, and its opposite`, async () => {
      const around = {
        type: "variable",
        name: `fields.${field}`,
        ...(value !== undefined && { value }),
      } as const;
      for (const [one, isWanted] of [
        [is, isShown],
        [`not_${is}`, !isShown],
      ] as const) {
        const document = documentOf(leafOf({ ...around, is: one }));
        assert.deepEqual(check(document), []);
        assert.equal((await mailOf(document, kinds)).html.includes("For some"), isWanted, one);
      }
    });
  }

  test("are repeated for each item of a list", async () => {
    const block: Block = {
      id: "b",
      type: "product",
      title: [{ type: "variable", name: "item.name" }],
      repeat: { over: "fields.list", most: 5 },
    };
    const document = documentOf(block);
    assert.deepEqual(check(document), []);
    const { mjml } = compileBlocks(document);
    assert.match(mjml, /\{% for item in fields\.list limit: 5 %\}.*\{\{ item\.name \}\}.*\{% endfor %\}/);
    assert.deepEqual(await faultsOf({ mjml }), []);
  });

  const hostile: readonly [html: string, kept: string][] = [
    ["<script>x</script><b>kept</b><style>*{}</style>", "kept"],
    ['<form action="https://x.example"><input name="a"><button>kept</button></form>', "kept"],
    ['<iframe src="https://x.example"></iframe><object data="x"></object><svg onload="x"></svg>kept', "kept"],
    ['<a href="javascript:x" onclick="x">kept</a><img src="data:text/html,x" onerror="x">', "kept"],
    ['<p style="background:url(javascript:x);color:red">kept</p>', 'style="color:red"'],
    ['<p style="background:u\\72l(javascript:x)">kept</p>', "kept"],
    ["<table><tr><td><b>kept<div><ul><li>open", "</li></ul></div></b></td></tr></table>"],
    ["</td></tr></table></div></body></html>kept", "kept"],
    ["<mj-raw></mj-text></mj-column>kept", "kept"],
    ["<!-- <b>hidden --> kept <!--[if mso]><script>x</script><![endif]-->", "kept"],
  ];
  for (const [html, kept] of hostile) {
    test(`clean HTML such as ${html}, and keep what is harmless`, async () => {
      const mail = await render(
        { id: "raw", type: "html", html },
        { id: "after", type: "heading", level: 1, content: words("After it") },
      );
      assert.ok(mail.html.includes(kept), mail.html);
      assert.ok(mail.html.includes("After it"));
      const body = mail.html.slice(mail.html.indexOf("<body"));
      assert.doesNotMatch(
        body,
        /<script|<style|<form|<input|<iframe|<object|<svg|\son\w+=|javascript:|data:text/i,
      );
    });
  }

  const guarding: readonly string[] = [
    '<p>Hello</p><!-- {% if subscriber.tags contains "STAFF" %} --><p>secret</p><!-- {% endif %} -->',
    '<table><tr><td {% if fields.city == "x" %}style="color:red"{% endif %}>secret</td></tr></table>',
    "<script>{% if fields.staff %}</script>secret<style>{% endif %}</style>",
    "<noscript>{% if fields.staff %}</noscript>secret<noscript>{% endif %}</noscript>",
  ];
  for (const html of guarding) {
    test(`refuse HTML whose condition would be taken out: ${html}`, async () => {
      await assert.rejects(
        compileContent({ ...bare, blocks: documentOf({ id: "mine", type: "html", html }) }),
        ({ faults: [fault] }) => {
          assert.deepEqual([fault.code, fault.part, fault.line], ["unsafe_place", "blocks", 1]);
          return /everybody would see what it guards\. It is in the block mine\./.test(fault.detail);
        },
      );
    });
  }

  const passing: readonly [html: string, said: RegExp][] = [
    ['{{ "<script>alert(1)</script>" | raw }}', /filter raw/],
    ['{{ "<style>.faint{display:none!important}</style>" | raw }}', /filter raw/],
    ['{% echo "<b>" | raw %}', /filter raw/],
    ['{% if true %}{% liquid echo "<form>" | raw %}{% endif %}', /filter raw/],
    ["{% capture x %}<b>{% endcapture %}{{ x | raw | newline_to_br }}", /filter raw/],
    ['<a href="java{% if true %}{% endif %}script:alert(1)">x</a>', /address/],
    ['<a href="java{% if email == "v@v.v" %}script:alert(1){% endif %}">x</a>', /address/],
    ['<a href="{% if true %}javascript:alert(1){% endif %}">x</a>', /address/],
    ['<a href="java{{ "script:alert(1)" }}">x</a>', /address/],
    ['<a href="{{ "java" }}{{ "script:alert(1)" }}">x</a>', /address/],
    ['<img src="{{ "java" }}script:alert(1)">', /address/],
    ['<p style="position{% if true %}{% endif %}:fixed">x</p>', /taken out/],
    ['<p style="{% if true %}position:fixed{% endif %}">x</p>', /taken out/],
  ];
  for (const [html, said] of passing) {
    test(`refuse Liquid that would get past the cleaner: ${html}`, async () => {
      const document = documentOf({ id: "mine", type: "html", html });
      await assert.rejects(compileContent({ ...bare, blocks: document }), ({ faults: [fault] }) => {
        assert.deepEqual([fault.code, fault.part, fault.line], ["unsafe_place", "blocks", 1]);
        return said.test(fault.detail);
      });
    });
  }

  const passed: readonly [html: string, kept: string][] = [
    ['<a href="https://a.example/{% if first_name %}b{% endif %}">x</a>', 'href="https://a.example/b"'],
    ['<a href="{{ unsubscribe_url }}">x</a>', 'href="https://mail.example/u?m=1&amp;t=2"'],
    [
      '<a href="{{ fields.shop }}/new?n={{ first_name }}">x</a>',
      'href="https://shop.acme.dev/new?n=Zo%C3%AB"',
    ],
    ['<a href="mailto:{{ email }}">x</a>', 'href="mailto:zoe+news@example.org"'],
    ['<p style="{% if first_name %}color:red{% endif %}">x</p>', 'style="color:red"'],
    [
      '<p style="color:{% if email %}red{% else %}blue{% endif %};margin:0">x</p>',
      'style="color:red;margin:0"',
    ],
    ['<a id="top" name="top">x</a><a href="#top">y</a>', '<a id="top" name="top">'],
    ["<p style='a:\"&#12;;position:fixed;\"'>x</p>", "<p>x</p>"],
  ];
  for (const [html, kept] of passed) {
    test(`take harmless Liquid and attributes as they are: ${html}`, async () => {
      const mail = await mailOf(
        documentOf({ id: "b", type: "html", html }),
        recipientWith({ shop: "https://shop.acme.dev" }),
      );
      assert.ok(mail.html.includes(kept), mail.html.slice(mail.html.indexOf("<body")));
    });
  }

  test("leave a link alone whose author wants it neither counted nor marked", async () => {
    const links = {
      ...bare.links,
      utm: { source: "news", medium: null, campaign: null, term: null, content: null },
    };
    const html =
      '<a href="https://ex.org/a" data-track="off" data-utm="off">a</a><a href="https://ex.org/b" clicktracking="off">b</a>';
    const compiled = await compileContent({
      ...bare,
      links,
      tracking: { opens: false, clicks: true },
      blocks: documentOf({ id: "b", type: "html", html }),
    });
    assert.deepEqual(compiled.links, []);
    assert.match(
      joinMail(compiled, zoe).html,
      /href="https:\/\/ex\.org\/a".*href="https:\/\/ex\.org\/b\?utm_source=news"/,
    );
  });

  test("take out a comment with its whole Liquid", async () => {
    const html = "<!-- {% if fields.staff %}secret{% endif %} --><p>kept</p>";
    const mail = await render({ id: "b", type: "html", html });
    assert.ok(mail.html.includes("kept") && !mail.html.includes("secret"), mail.html);
  });

  test("of tables are rows and cells in the text part, which begins with words", async () => {
    const rows = [
      [words("Name"), words("Price")],
      [words("Tea"), words("3")],
    ];
    const { text } = await render(
      { id: "a", type: "table", rows },
      { id: "b", type: "html", html: "<table><tr><td>Total</td><td>5</td></tr></table>" },
    );
    assert.equal(text.trim().replaceAll(/\n+/g, "\n"), "Name | Price\nTea | 3\nTotal | 5");
    assert.equal(text.charAt(0), "N");
  });

  test("keep the line breaks of HTML by hand, where they mean something", async () => {
    const html = "<pre>a\r\nb\n  c</pre>{% liquid\nassign x = 'hey'\necho x\n%}";
    const mail = await render({ id: "b", type: "html", html });
    assert.ok(mail.html.includes("<pre>a\nb\n  c</pre>hey"), mail.html);
    const blocks = documentOf(
      { id: "b", type: "html", html },
      { id: "c", type: "html", html: "\n{{ nobody }}" },
    );
    const { variables } = await compileContent({ ...bare, blocks });
    assert.deepEqual(
      variables.map(({ name, part, line }) => [name, part, line]),
      [["nobody", "blocks", 2]],
    );
  });

  test("say where they begin in the mail, which has no marks, and where a link is that isn't counted", async () => {
    const list = (id: string): Block => ({
      id,
      type: "html",
      html: '{% assign item = "x" %}<a href="https://a.example/{{ item }}">x</a>',
    });
    const some: Block = { ...leafOf({ type: "tag", tag: "VIP", has: false }), id: "some" };
    const blocks = documentOf(...oneOfEach, inColumns, list("one"), list("two"), some);
    const compiled = await compileContent({ ...bare, blocks, footer: FOOTER });
    const { html } = joinMail(compiled, zoe);
    assert.doesNotMatch(JSON.stringify(compiled), /[\uE0F0-\uE0F4]/);
    const { mjml } = compileBlocks(blocks);
    const unmarked = await renderMail({ mjml, blocks, footer: FOOTER }, zoe);
    assert.equal(html, unmarked.html);
    const numbers = compiled.blocks?.map(({ number }) => number);
    assert.deepEqual(numbers, [...Array.from({ length: oneOfEach.length + 6 }, (_, at) => at + 1), 0]);
    assert.deepEqual(
      compiled.untracked?.map(({ place }) => place?.line),
      [oneOfEach.length + 4, oneOfEach.length + 5],
    );
  });

  const named: readonly [content: Inline[], hasAddress: boolean][] = [
    [[{ type: "variable", name: "fields.postal_address" }], true],
    [[{ type: "variable", name: "first_name", fallback: "unsubscribe_url postal_address" }], true],
    [[{ type: "variable", name: "unsubscribe_url" }], true],
    [[{ type: "variable", name: "postal_address" }], false],
  ];
  for (const [content, hasAddress] of named) {
    test(`get the footer that they lack beside ${JSON.stringify(content)}`, async () => {
      const blocks = documentOf({ id: "b", type: "heading", level: 2, content });
      const mail = joinMail(await compileContent({ ...bare, blocks, footer: FOOTER }), zoe);
      assert.ok(mail.html.includes('<a href="https://mail.example/u?m=1&amp;t=2"'), mail.html);
      assert.equal(mail.html.includes("2 Low Road"), hasAddress);
    });
  }

  test("of HTML by hand keep its own colours in the dark, and coloured words of a footer can be read", async () => {
    const content: Inline[] = [{ type: "text", text: "Hello", colour: "#112233" }];
    const { html } = await render(
      { id: "a", type: "html", html: '<p style="background:#fff3cd">Note</p>' },
      { id: "b", type: "footer", content, unsubscribe: "Out" },
    );
    assert.match(html, /<td[^>]* class="own"/);
    assert.doesNotMatch(html, /<td[^>]* class="ink"/);
    assert.match(html, /\.own \[bgcolor\], \.own \[style\*="background"\] \{ color: #211e1a; \}/);
    assert.match(html, /\.ink \.c112233, \.faint \.c112233 \{ color: #\w+ !important; \}/);
  });

  test("of products lead where they should, and keep the words of a button", async () => {
    const bare = await render({ id: "a", type: "product", title: words("Tea"), link: "https://e.x/tea" });
    assert.match(bare.html, /<a href="https:\/\/e\.x\/tea"[^>]*>Tea<\/a>/);
    const labelled = await render({ id: "a", type: "product", title: words("Tea"), label: "Buy" });
    assert.match(labelled.html, />\s*Buy\s*</);
    const all = documentOf(
      { id: "a", type: "product", title: words("Tea"), label: "Buy" },
      picture(null),
      picture(""),
    );
    assert.deepEqual(findGaps(all), [
      { code: "empty_link", number: 1 },
      { code: "missing_alt", number: 2 },
    ]);
  });

  test("show how to unsubscribe whatever colours they are given", async () => {
    for (const [content_background, colour] of [
      ["#777777", "#000000"],
      ["#505050", "#ffffff"],
    ]) {
      const style = { content_background, text_colour: content_background };
      const footer: Block = { id: "b", type: "footer", unsubscribe: "Out" };
      const { html } = await mailOf({ ...documentOf(footer), style } as BlocksDocument);
      assert.match(html, new RegExp(`<a href="[^"]*" style="color:${colour};[^>]*>Out`));
    }
  });

  test("show each line of a postal address", async () => {
    const footer: Block = { id: "b", type: "footer", unsubscribe: "Out" };
    const { html, text } = await mailOf(documentOf(footer), { ...zoe, postalAddress: "1 A & B\nTown" });
    assert.match(html, /1 A &amp; B<br \/>\s*Town/);
    assert.match(text, /1 A & B\nTown/);
  });

  test("refuse the characters that compiling needs for itself, and say in which block they are", async () => {
    for (const said of ["a\uE0F0b", "a\uE0F31\uE0F4"]) {
      for (const block of [
        { id: "mine", type: "heading", level: 1, content: words(said) },
        { id: "mine", type: "html", html: said },
      ] as const) {
        await assert.rejects(compileContent({ ...bare, blocks: documentOf(block) }), /the block mine/);
      }
    }
  });

  test("keep emoji of several characters and text that is read from the right", async () => {
    const said = "👩‍👩‍👧‍👦 🏳️‍🌈 שלום עולם مرحبا بالعالم e\u0301";
    const document = {
      ...documentOf({ id: "b", type: "heading", level: 1, content: words(said) }, ...oneOfEach),
      direction: "rtl",
    } as const;
    assert.deepEqual(check(document), []);
    const { html } = await mailOf(document);
    assert.ok(html.includes(said));
    assert.match(html, /<html[^>]* dir="rtl"/);
    // What has a side of its own is on the other one.
    assert.doesNotMatch(
      html.slice(html.indexOf("<body")),
      /border-left|padding-left: ?1|direction: ?ltr|td align="left"/,
    );
  });

  const unreadable = ["<p>{% if x %}</p>", "Hi {{ first_name", "{% raw %}", "{{ x | nothing }}"];
  for (const html of unreadable) {
    test(`tell of the fault in ${html} in which block it is`, async () => {
      const broken: Block = { id: "mine", type: "html", html };
      const blocks = documentOf(...oneOfEach, broken);
      await assert.rejects(compileContent({ ...bare, blocks }), ({ faults: [fault] }) => {
        assert.deepEqual([fault.part, fault.line], ["blocks", oneOfEach.length + 1]);
        return /the block mine/.test(fault.detail);
      });
    });
  }

  test("tell of a fault that is found in their MJML, too", async () => {
    const blocks = documentOf(...oneOfEach, {
      id: "mine",
      type: "heading",
      level: 1,
      content: words("a\u0001b"),
    });
    await assert.rejects(compileContent({ ...bare, blocks }), ({ faults: [fault] }) => {
      assert.deepEqual(
        [fault.code, fault.part, fault.line],
        ["control_character", "blocks", oneOfEach.length + 1],
      );
      return true;
    });
  });

  test("keep words that only together with their neighbour look like Liquid", async () => {
    const { text } = await render({
      id: "b",
      type: "text",
      content: [
        {
          type: "paragraph",
          content: [
            ...words("a {"),
            { type: "variable", name: "first_name" },
            ...words("{"),
            ...words("% raw %}"),
          ],
        },
      ],
    });
    assert.ok(text.includes("a {Zoë{% raw %}"), text);
  });

  test("that would become more than a million characters are refused", () => {
    const rows = Array.from({ length: 100 }, () => Array.from({ length: 8 }, () => []));
    const tables = Array.from({ length: 30 }, (_, at): Block => ({ id: `b${at}`, type: "table", rows }));
    assert.deepEqual(check(documentOf(...tables)), []);
    assert.throws(() => compileBlocks(documentOf(...tables)), /grew too long/);
  });

  test("share what widths leave, and fit where they leave nothing", () => {
    const columns = (...widths: (number | undefined)[]) =>
      compileBlocks(
        documentOf({
          id: "c",
          type: "columns",
          columns: widths.map((width) => ({ blocks: [], ...(width && { width }) })),
        }),
      )
        .mjml.match(/mj-column width="[^"]+"/g)
        ?.map((found) => Number.parseFloat(found.slice(17)));
    assert.deepEqual(columns(40, undefined), [40, 60]);
    assert.deepEqual(columns(undefined, undefined, undefined), [33.33, 33.33, 33.33]);
    assert.deepEqual(columns(90, 90), [50, 50]);
  });

  test("of any document compile, keep their words and links, and run nothing", async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument, async (document) => {
        assert.deepEqual(check(document), []);
        assertKept(document, await mailOf(document), zoe);
      }),
      { numRuns: 40 },
    );
  });
});

type Around = NonNullable<Block["only_for"]>;
function leafOf(around: Around): Block {
  return { id: "b", type: "heading", level: 1, content: words("For some"), only_for: around };
}
function columnsOf(around: Around): Block {
  const inner = { id: "i", type: "heading", level: 1, content: words("For some") } as const;
  return { id: "b", type: "columns", columns: [{ blocks: [inner] }, { blocks: [] }], only_for: around };
}

describe("the schema of blocks", () => {
  const heading = oneOfEach[0] as Block;
  const link = (address: string) => documentOf({ id: "b", type: "button", label: [], link: address });
  const refused: readonly [name: string, document: unknown, pointer: string, code: string][] = [
    ["an unknown version", { version: 2, blocks: [] }, "/version", "invalid_value"],
    [
      "an unknown kind",
      { version: 1, blocks: [{ id: "b", type: "video" }] },
      "/blocks/0/type",
      "invalid_value",
    ],
    ["no kind", { version: 1, blocks: [{ id: "b" }] }, "/blocks/0/type", "required"],
    [
      "an unknown attribute",
      { version: 1, blocks: [{ ...heading, onclick: "x" }] },
      "/blocks/0/onclick",
      "unknown_field",
    ],
    ["javascript:", link("javascript:alert(1)"), "/blocks/0/link", "invalid_link"],
    ["data:", link("data:text/html,x"), "/blocks/0/link", "invalid_link"],
    ["an address whose host is Liquid", link("https://{{ fields.host }}/"), "/blocks/0/link", "invalid_link"],
    ["an address with Liquid in its host", link("https://a{{ x }}/"), "/blocks/0/link", "invalid_link"],
    [
      "an address that ends its attribute",
      link('https://a.example/"onclick="x'),
      "/blocks/0/link",
      "invalid_link",
    ],
    [
      "columns in columns",
      documentOf({ ...inColumns, columns: [{ blocks: [inColumns] }, { blocks: [] }] } as unknown as Block),
      "/blocks/0/columns/0/blocks/0/type",
      "invalid_value",
    ],
    [
      "a colour that is none",
      { version: 1, style: { background: "red;x" }, blocks: [] },
      "/style/background",
      "invalid_colour",
    ],
    [
      "a fallback that ends its Liquid",
      documentOf({
        id: "b",
        type: "heading",
        level: 1,
        content: [{ type: "variable", name: "email", fallback: "}}" }],
      }),
      "/blocks/0/content/0/fallback",
      "invalid_text",
    ],
    [
      "a name that is Liquid",
      documentOf({ id: "b", type: "heading", level: 1, content: [{ type: "variable", name: "a | b" }] }),
      "/blocks/0/content/0/name",
      "invalid_variable",
    ],
  ];
  for (const [name, document, pointer, code] of refused) {
    test(`refuses ${name}, and says where`, () => {
      const faults = check(document);
      assert.ok(
        faults.some((fault) => fault.pointer === pointer && fault.code === code),
        JSON.stringify(faults),
      );
    });
  }

  for (const unsubscribe of ["", " ", "\u200b"]) {
    test(`refuses ${JSON.stringify(unsubscribe)} as the words of the link to unsubscribe`, () => {
      const [fault] = check(documentOf({ id: "b", type: "footer", unsubscribe }));
      assert.deepEqual([fault?.pointer, fault?.code], ["/blocks/0/unsubscribe", "required"]);
    });
  }

  test("takes no time that grows faster than what it is given", () => {
    // With a pattern that goes back and forth this would take hours.
    assert.notEqual(check(link(`https://${"a".repeat(500_000)}"`)).length, 0);
    assert.notEqual(check(link(`https://a/${"{{ a }}".repeat(100_000)}"`)).length, 0);
  });

  test("refuses five megabytes, whichever way they are made", () => {
    const megabytes = "ä".repeat(2_500_000);
    assert.notEqual(check(documentOf({ id: "b", type: "html", html: megabytes })).length, 0);
    const headings = (count: number, length: number) =>
      Array.from(
        { length: count },
        (_, at): Block => ({
          id: `b${at}`,
          type: "heading",
          level: 1,
          content: words("x".repeat(length)),
        }),
      );
    assert.notEqual(check(documentOf(...headings(5_000, 1_000))).length, 0);
    const within = documentOf(...headings(250, 19_000));
    assert.deepEqual(check(within), []);
    assert.deepEqual(
      findWholeFaults(within).map(({ code }) => code),
      ["too_long"],
    );
  });

  test("refuses a document that is nested a thousand deep", () => {
    let nested: unknown = heading;
    for (let depth = 0; depth < 1_000; depth++)
      nested = { ...inColumns, columns: [{ blocks: [nested] }, { blocks: [] }] };
    assert.notEqual(check({ version: 1, blocks: [nested] }).length, 0);
  });
});
