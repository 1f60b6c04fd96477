import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyText } from "../../test/support/liquid.ts";
import { compileSource } from "./compile.ts";
import type { CompiledContent, ContentSource, MergeData } from "./content.ts";
import { scanHtml } from "./html/html.ts";
import { prepareLink } from "./link-rendering.ts";
import { prepareContent, renderValues } from "./render.ts";
import { bare, joinMail, recipientWith } from "./support.fixture.ts";

const OWN = "https://mail.example";
const links = { ...bare.links, ownUrl: OWN };
const utm = { source: "news", medium: "e mail", campaign: null, term: null, content: null };
const zoe = recipientWith({ city: "Köln & Bonn", path: "a/b?c", shop: "https://shop.example/" });

function compile(html: string, more: Partial<ContentSource> = {}): Promise<CompiledContent> {
  const tracking = { opens: false, clicks: true };
  return compileSource({ ...bare, tracking, links, html, text: "", ...more });
}

/** Where the link with a number leads. */
function follow({ links: all }: CompiledContent, number: number, recipient: MergeData): string | undefined {
  const link = all[number];
  if (!link?.liquid) return link?.target ?? link?.url;
  const { compiled, toLocation } = prepareLink(JSON.parse(JSON.stringify(link.liquid)));
  const rendered = renderValues(prepareContent(compiled), recipient);
  return rendered.ok ? toLocation(rendered.values) : undefined;
}

/** Where the first link of a mail leads that isn't tracked. */
async function leadUntracked(html: string, recipient: MergeData, more: Partial<ContentSource> = {}) {
  const compiled = await compile(html, { ...more, tracking: { opens: false, clicks: false } });
  const [tag] = scanHtml(joinMail(compiled, recipient).html).tags;
  const href = tag?.attributes.find(({ name }) => name === "href")?.value.trim() ?? "";
  return URL.parse(href)?.href;
}

const numbered: readonly string[] = [
  "https://a.example/?c={{ fields.city }}",
  "https://a.example/{{ fields.path }}/x?a=1&amp;b={{ first_name }}#{{ fields.city }}",
  "https://a.example/?c={{ fields.city | url_encode }}&amp;d={{ fields.city | escape }}",
  'https://a.example/?c={{ fields.none | default: "all & sundry" }}',
  "https://a.example/?c={{ fields.city | escape | newline_to_br }}",
  "https://a.example/{% if fields.city %}in/{{ fields.city }}{% else %}out{% endif %}",
  "https://a.example/{% case first_name %}{% when 'Zoë' %}z?q=1{% else %}x{% endcase %}",
  "https://a.example?e={{ subscriber.email | downcase }}&amp;l={{ list.name }}&amp;k={{ campaign.name }}",
  " https://A.example:8443/ü?c={{ fields.city }} ",
  "https://a.example/?x={{ fields[first_name] }}",
];

describe("a link with Liquid in its path or query", () => {
  for (const href of numbered) {
    test(`is numbered, and leads where it would have led without that: ${href}`, async () => {
      const html = `<a href='${href.replaceAll("'", '"')}'>a</a>`;
      const compiled = await compile(html);
      assert.equal(joinMail(compiled, zoe).html, "<a href='https://mail.example/c?m=1&amp;n=0'>a</a>");
      assert.deepEqual(compiled.untracked, []);
      const expected = await leadUntracked(html, zoe);
      assert.ok(expected);
      assert.equal(follow(compiled, 0, zoe), expected);
    });
  }

  test("leads on the author's host and is safe, or leads nowhere, whatever a subscriber typed", async () => {
    const html = numbered.map((href) => `<a href='${href.replaceAll("'", '"')}'>a</a>`).join("");
    const compiled = await compile(html);
    const alone = await Promise.all(numbered.map((href) => `<a href='${href.replaceAll("'", '"')}'>a</a>`));
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (city, path) => {
        const recipient = recipientWith({ city, path }, path);
        for (const [number, one] of alone.entries()) {
          const found = follow(compiled, number, recipient);
          assert.equal(found, await leadUntracked(one, recipient));
          assert.match(found ?? "", /^https:\/\/a\.example(?::8443)?\/[!-~]*$/);
        }
      }),
      { numRuns: 20 },
    );
  });

  test("shows the template's defaults where values are gone", async () => {
    const compiled = await compile(
      "<a href=\"https://a.example/{{ fields.city | default: 'all' }}?n={{ first_name }}\">",
    );
    assert.equal(follow(compiled, 0, recipientWith({}, null)), "https://a.example/all?n=");
  });

  test("has the same number in the text part, the author's own or made from the HTML", async () => {
    const href = "https://a.example/{{ fields.path }}?a=1&amp;c={{ fields.city }}";
    const html = `<p><a href="${href}">a</a> <a href="https://a.example/{{ list.id }}">{{ email }}</a></p>`;
    const { text } = joinMail(await compile(html, { text: null }), zoe);
    assert.equal(
      text,
      "a [https://mail.example/c?m=1&n=0] zoe+news@example.org [https://mail.example/c?m=1&n=1]",
    );
    const plain = href.replaceAll("&amp;", "&");
    const own = `See ${plain}. ({{ email }} https://a.example/{{ list.id }}), https://a.example/{{ email }}/ ${plain}x`;
    assert.equal(
      joinMail(await compile(html, { text: own }), zoe).text,
      "See https://mail.example/c?m=1&n=0. (zoe+news@example.org https://mail.example/c?m=1&n=1), " +
        "https://a.example/zoe+news@example.org/ https://a.example/a/b?c?a=1&c=Köln & Bonnx",
    );
  });

  test("stays in a text of the author's own that sets names", async () => {
    const compiled = await compile('<a href="https://a.example/{{ first_name }}">a</a>', {
      text: "{% assign first_name = 'Bob' %}https://a.example/{{ first_name }}",
    });
    assert.equal(joinMail(compiled, zoe).text, "https://a.example/Bob");
  });

  test("stays as it is where a text runs 30,000 of them together", async () => {
    const text = "https://a.example/{{ x }}".repeat(30_000);
    const compiled = await compile("<a href='https://a.example/{{ email }}'>a</a>", { text });
    assert.equal(compiled.links.length, 1);
    assert.equal(joinMail(compiled, zoe).text, "https://a.example/".repeat(30_000));
  });

  test("is numbered in MJML too, and one that can't be is found in what its author wrote", async () => {
    const mjml =
      '<mjml><mj-body><mj-section><mj-column>\n<mj-button href="https://a.example/{{ fields.city }}">a</mj-button>\n' +
      '<mj-button href="{{ fields.shop }}">b</mj-button></mj-column></mj-section></mj-body></mjml>';
    const compiled = await compile("", { html: null, mjml });
    assert.deepEqual(
      compiled.links.map(({ url }) => url),
      ["https://a.example/{{ fields.city }}"],
    );
    assert.equal(follow(compiled, 0, zoe), "https://a.example/K%C3%B6ln%20%26%20Bonn");
    assert.deepEqual(compiled.untracked, [
      { url: "{{ fields.shop }}", why: "its scheme or its host is Liquid", place: { line: 3, column: 18 } },
    ]);
  });

  test("has the same address as another where both are written alike", async () => {
    const a = '<a href="https://a.example/?c={{ email }}">a</a>';
    const { links: all } = await compile(a + a);
    assert.deepEqual(
      all.map(({ url, group, isDynamic }) => [url, group, isDynamic]),
      [
        ["https://a.example/?c={{ email }}", undefined, true],
        ["https://a.example/?c={{ email }}", 0, true],
      ],
    );
  });
});

describe("a link with other Liquid is left alone, and named", () => {
  const cases: readonly [href: string, why: RegExp, around?: [string, string]][] = [
    ["{{ fields.shop }}", /scheme or its host/],
    ["https://{{ fields.host }}/x", /scheme or its host/],
    ["https://a.example{{ fields.path }}", /scheme or its host/],
    ["https://a.example:{{ fields.port }}/", /scheme or its host/],
    ["{% if email %}https://a.example/{% else %}https://b.example/{% endif %}", /scheme or its host/],
    ["https://user@{{ fields.host }}/", /scheme or its host/],
    [
      "https://a.example/{{ item }}",
      /item is known only while/,
      ["{% for item in fields.items %}", "{% endfor %}"],
    ],
    ["https://a.example/{{ first_name }}", /first_name is known only/, ["{% assign first_name = 'x' %}", ""]],
    ["https://a.example/{{ n }}", /n is known only/, ["{% capture n %}x{% endcapture %}", ""]],
    ["https://a.example/{% assign x = email %}{{ x }}", /the tag assign/],
    ["https://a.example/{% increment first_name %}", /the tag increment/],
    ["https://a.example/?t={{ 'now' | date: '%s' }}", /the time/],
    ["https://a.example/?u={{ unsubscribe_url }}&amp;e={{ email }}", /unsubscribe_url is known only/],
  ];
  for (const [href, why, [before, behind] = ["", ""]] of cases) {
    test(`${before}${href}`, async () => {
      const html = `\n${before}<a href="${href}">a</a>${behind}`;
      const compiled = await compile(html);
      assert.deepEqual(compiled.links, []);
      assert.equal(compiled.untracked?.length, 1);
      assert.match(compiled.untracked?.[0]?.why ?? "", why);
      assert.equal(compiled.untracked?.[0]?.place?.line, 2);
      const untracked = await compile(html, { tracking: { opens: false, clicks: false } });
      assert.equal(joinMail(compiled, zoe).html, joinMail(untracked, zoe).html);
    });
  }

  for (const href of [
    "{{ unsubscribe_url }}",
    "{{ preferences_url }}?x=1",
    "{{ view_url }}",
    `${OWN}/x?{{ email }}`,
    `${OWN}/u/1`,
    "HTTPS://Mail.Example?x=1",
    OWN,
  ]) {
    test(`but our own pages aren't named: ${href}`, async () => {
      const compiled = await compile(`<a href="${href}">a</a>`, { links: { ...links, utm } });
      assert.deepEqual([compiled.links, compiled.untracked], [[], []]);
      assert.doesNotMatch(joinMail(compiled, zoe).html, /utm_/);
    });
  }

  test("and so is all Liquid where recipients aren't told apart", async () => {
    const compiled = await compile('<a href="https://a.example/?e={{ email }}">a</a>', {
      links: { ...links, areTokensPersonal: false },
    });
    assert.deepEqual(compiled.links, []);
    assert.match(compiled.untracked?.[0]?.why ?? "", /told apart/);
  });

  test("and what switches tracking off isn't named", async () => {
    const compiled = await compile('<a data-track="off" href="{{ fields.shop }}">a</a>');
    assert.deepEqual(compiled.untracked, []);
  });
});

describe("a dangerous address is never numbered", () => {
  for (const href of [
    "javascript:alert(1)",
    "data:text/html,x",
    "https://user:secret@a.example/",
    "https://a.example/\u202Egpj.exe",
    "https://a.example/&#13;&#10;Set-Cookie:x",
    "https://a.ex\nample/",
  ]) {
    test(JSON.stringify(href), async () => {
      assert.deepEqual((await compile(`<a href="${href}">a</a>`)).links, []);
    });
  }

  test("nor is one followed that Liquid made so", () => {
    const address = (text: string) => prepareLink({ pieces: [text], slots: [], origin: "https://a.example" });
    const cases: readonly [text: string, location: string | undefined][] = [
      ["https://a.example/x", "https://a.example/x"],
      ["https://a.example/x?a=1&amp;b=ü", "https://a.example/x?a=1&b=%C3%BC"],
      ["https://a.example.evil.example/x", undefined],
      ["http://a.example/x", undefined],
      ["https://a.example:444/x", undefined],
      ["https://a.example@evil.example/x", undefined],
      ["https://a.example/\r\nSet-Cookie: x", undefined],
      ["https://a.example/\u202Egpj.exe", undefined],
      ["javascript:alert(1)", undefined],
      ["//evil.example/", undefined],
      ["", undefined],
    ];
    for (const [text, location] of cases) assert.equal(address(text).toLocation([]), location, text);
  });
});

describe("UTM parameters", () => {
  const plain: readonly [href: string, expected: string][] = [
    ["https://a.example", "https://a.example?utm_source=news&utm_medium=e%20mail"],
    ["https://a.example/x?", "https://a.example/x?utm_source=news&utm_medium=e%20mail"],
    ["https://a.example/x?b=1&amp;c", "https://a.example/x?b=1&c&utm_source=news&utm_medium=e%20mail"],
    ["https://a.example/x#top?", "https://a.example/x?utm_source=news&utm_medium=e%20mail#top?"],
    ["https://a.example/?UTM_source=own", "https://a.example/?UTM_source=own&utm_medium=e%20mail"],
    ["https://a.example/?utm_source=&amp;utm_medium=x", "https://a.example/?utm_source=&utm_medium=x"],
  ];
  for (const [href, expected] of plain) {
    test(`are added to ${href}`, async () => {
      const html = `<a href="${href}">a</a>`;
      const compiled = await compile(html, { links: { ...links, utm } });
      assert.equal(compiled.links[0]?.url, href.replaceAll("&amp;", "&"));
      assert.equal(follow(compiled, 0, zoe), expected);
      assert.equal(await leadUntracked(html, zoe, { links: { ...links, utm } }), URL.parse(expected)?.href);
    });
  }

  test("are added to Liquid links alike, counted or not", async () => {
    const html = '<a href="https://a.example/{{ fields.path }}?b={{ fields.city }}#x{{ email }}">a</a>';
    const compiled = await compile(html, { links: { ...links, utm } });
    const found = follow(compiled, 0, zoe);
    assert.match(found ?? "", /\?b=K%C3%B6ln%20%26%20Bonn&utm_source=news&utm_medium=e%20mail#xzoe/);
    assert.equal(await leadUntracked(html, zoe, { links: { ...links, utm } }), found);
    assert.doesNotMatch(compiled.links[0]?.url ?? "", /utm/);
  });

  for (const href of [
    "mailto:a@example.org",
    "tel:+4912",
    "#top",
    "/relative",
    "{{ fields.shop }}",
    "https://a.example/{% if email %}?a=1{% endif %}",
  ]) {
    test(`aren't added to ${href}`, async () => {
      const html = `<a href="${href}">a</a>`;
      const tracking = { opens: false, clicks: false };
      const [withUtm, without] = await Promise.all([
        compile(html, { tracking, links: { ...links, utm } }),
        compile(html, { tracking }),
      ]);
      assert.equal(joinMail(withUtm, zoe).html, joinMail(without, zoe).html);
    });
  }

  test("aren't added where the author switched them off, and links that aren't counted get them", async () => {
    const html =
      '<a data-utm="off" href="https://a.example/1">a</a><a data-track=off href=https://a.example/2>b</a>';
    const compiled = await compile(html, { text: null, links: { ...links, utm } });
    assert.equal(follow(compiled, 0, zoe), "https://a.example/1");
    const mail = joinMail(compiled, zoe);
    assert.match(mail.html, /href="https:\/\/a\.example\/2\?utm_source=news&amp;utm_medium=e%20mail"/);
    assert.match(mail.text, /\[https:\/\/mail\.example\/c\?m=1&n=0\]/);
    assert.match(mail.text, /\[https:\/\/a\.example\/2\?utm_source=news&utm_medium=e%20mail\]/);
  });

  test("are added to the author's own text, whether or not its links are counted", async () => {
    const text = "See https://a.example/x, https://mail.example/y and https://b.example/{{ email }}.";
    const [counted, uncounted] = await Promise.all([
      compileSource({ ...bare, text, tracking: { opens: false, clicks: true }, links: { ...links, utm } }),
      compileSource({ ...bare, text, links: { ...links, utm } }),
    ]);
    assert.equal(follow(counted, 0, zoe), "https://a.example/x?utm_source=news&utm_medium=e%20mail");
    assert.equal(
      joinMail(uncounted, zoe).text,
      "See https://a.example/x?utm_source=news&utm_medium=e%20mail, https://mail.example/y and " +
        "https://b.example/zoe+news@example.org.",
    );
  });
});

describe("the honeypot", () => {
  const honeypot = { links: { ...links, honeypot: true }, text: null };

  test("is a link of its own that nobody sees, hears or reads", async () => {
    const compiled = await compile('<body><a href="https://a.example">a</a></body>', honeypot);
    assert.deepEqual(compiled.links, [
      { index: 0, url: "https://a.example", isDynamic: false },
      { index: 1, url: "", isDynamic: false, isHoneypot: true },
    ]);
    const mail = joinMail(compiled, zoe);
    assert.match(
      mail.html,
      /<a href="https:\/\/mail\.example\/c\?m=1&amp;n=1" style="display:none;[^"]*" tabindex="-1" aria-hidden="true" rel="nofollow"><\/a><\/body>$/,
    );
    assert.doesNotMatch(mail.text, /n=1/);
  });

  test("isn't in mail whose clicks aren't counted", async () => {
    const compiled = await compile("<p>a</p>", { ...honeypot, tracking: { opens: true, clicks: false } });
    assert.deepEqual(compiled.links, []);
    assert.doesNotMatch(joinMail(compiled, zoe).html, /<a /);
  });
});
