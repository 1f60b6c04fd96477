import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Liquid } from "liquidjs";
import { hostileTemplates, liquidTemplates } from "../../../test/support/liquid.ts";
import { compileSource } from "../compile.ts";
import { HERE, prepareContent, renderValues } from "../render.ts";
import { bare, recipientWith } from "../support.fixture.ts";
import { worstCost } from "./bounds.ts";
import { createContext, htmlEngine, limitOf, parseLiquid, plainEngine, renderNodes } from "./engine.ts";
import { compileNodes } from "./fast-render.ts";

/** For one subscriber this makes 24 captures, each twice as long as the one before, and 900 searches through the last. */
const boom =
  '{% if first_name == "boom" %}{% assign a = "xxxxxxxx" %}' +
  "{% capture a %}{{ a }}{{ a }}{% endcapture %}".repeat(24) +
  '{% if a contains "y" %}y{% endif %}'.repeat(900) +
  "{% endif %}";

/**
 * Searches a text of one letter for a needle with another letter in its middle, so that V8 compares half of the
 * needle at every position.
 */
const quadratic = (letters: number, use: string) =>
  `{% assign a = "${"a".repeat(letters)}" %}{% assign n = a | append: "b" | append: a %}` +
  `{% assign h = a | append: a | append: a | append: a %}${use}`;
const searches: readonly string[] = [
  "{% if h contains n %}!{% endif %}",
  "{{ h | split: n | size }}",
  "{{ h | remove: n | size }}",
  "{{ h | remove_first: n | size }}",
  "{{ h | remove_last: n | size }}",
  "{{ h | replace: n, 'x' | size }}",
  "{{ h | replace_first: n, 'x' | size }}",
  "{{ h | replace_last: n, 'x' | size }}",
];
const lists = (use: string) =>
  `{% assign a = "${"ab".repeat(20_000)}" %}{% assign l = a | split: "" %}{% assign m = a | split: "" %}${use}`;
const overLists: readonly string[] = [
  `{% if ${Array.from({ length: 40 }, () => "l == m").join(" or ")} %}x{% endif %}`,
  `{% if ${Array.from({ length: 40 }, () => 'l contains "z"').join(" or ")} %}x{% endif %}`,
  `{% case l %}{% when ${Array.from({ length: 40 }, () => "m").join(", ")} %}x{% endcase %}`,
];

const isBounded = async (html: string) => (await compileSource({ ...bare, html, text: "" })).isBounded;

describe("a thread that sends for everybody renders", () => {
  const mails: readonly string[] = [
    "<p>Hello</p>",
    'Hello {{ first_name | default: "there" }}, {{ fields.city | upcase }} {{ email }}',
    "<p>{{ fields.x | escape }}</p>".repeat(100),
    '{% if fields.plan == "gold" or fields.plan == "silver" and first_name %}a{% elsif fields.x %}b{% endif %}'.repeat(
      20,
    ),
    "{% assign city = fields.city | strip | capitalize %}{% capture line %}{{ first_name }} of {{ city }}{% endcapture %}{{ line }}",
    '{% if subscriber.tags contains "vip" %}a{% endif %}',
    '{{ email | split: "@" | last }} {{ fields.since | date: "%d %B %Y" }}',
    '{{ fields.x | replace: "a", "bb" | truncate: 40 }} {{ fields.n | times: 3 | plus: 1 }}',
    `{% if first_name %}${"<p>A paragraph of a long mail.</p>".repeat(2_000)}{% endif %}`,
    '{% if fields.x contains "gold" %}a{% endif %}{% if subscriber.tags contains "vip" %}b{% endif %}'.repeat(
      40,
    ),
    "{% if subscriber.tags contains fields.plan or fields.x contains fields.y %}a{% endif %}",
    '{% assign parts = fields.x | split: "," %}{% if parts contains "a" %}{{ parts | join: ", " }}{% endif %}',
  ];
  for (const html of mails) test(html.slice(0, 60), async () => assert.equal(await isBounded(html), true));
});

describe("only a thread that can be killed renders", () => {
  const mails: readonly string[] = [
    boom,
    "{% for i in (1..3) %}x{% endfor %}",
    '{% assign a = "x" %}' + "{% assign a = a | append: a %}".repeat(30) + "{{ a }}",
    '{% assign a = fields.x | replace: "", fields.x %}{% assign a = a | replace: "", fields.x %}{{ a }}',
    '{% assign a = fields.x | split: "" %}' + "{% assign a = a | push: a %}".repeat(24) + "{{ a }}",
    "{{ fields.x | json | json | json | json | json }}",
    '{{ fields.since | date: "%99999999d" }}',
    "{{ fields.since | date: fields.format }}",
    `{{ fields.since | date: "${"%B".repeat(1_000)}" }}`,
    '{% if fields.x contains "y" %}y{% endif %}'.repeat(3_000),
    "{{ subscriber | json }}",
    ...searches.map((use) => quadratic(4_000, use)),
    ...overLists.map(lists),
    `{% if first_name %}${"<p>A paragraph of a mail that is too long.</p>".repeat(4_000)}{% endif %}`,
  ];
  for (const html of mails) {
    test(html.slice(0, 30) + html.slice(-40), async () => assert.equal(await isBounded(html), false));
  }
});

test("a content that was frozen before there was a bound isn't bounded", async () => {
  const { isBounded: _, ...old } = await compileSource({ ...bare, html: boom, text: "" });
  assert.ok(!(old as { isBounded?: boolean }).isBounded);
});

test("the second line: what has no bound, and is rendered here all the same, is stopped early", async () => {
  const prepared = prepareContent(await compileSource({ ...bare, html: boom, text: "" }));
  const startedMs = performance.now();
  const rendered = renderValues(prepared, recipientWith({}, "boom"), HERE);
  const tookMs = performance.now() - startedMs;
  assert.equal(!rendered.ok && rendered.fault.code, "too_much_memory");
  assert.ok(tookMs < 1_000, `${tookMs} ms; it is about one`);
  assert.equal(renderValues(prepared, recipientWith({}, "Ada"), HERE).ok, true);
});

describe("the second line: what nothing stops is refused before it is done", () => {
  const rewriting = ["slugify", "uri_escape", "escape", "downcase", "url_encode"].map(
    (filter) => `{% assign a = "${"İ".repeat(2_000)}" %}` + `{% assign b = a | ${filter} %}`.repeat(100),
  );
  const mails = [...searches.map((use) => quadratic(8_000, use)), ...overLists.map(lists), ...rewriting];
  for (const html of mails) {
    test(html.slice(-40), async () => {
      const prepared = prepareContent(await compileSource({ ...bare, html, text: "" }));
      const before = process.threadCpuUsage();
      const rendered = renderValues(prepared, recipientWith({}), HERE);
      const tookMs = process.threadCpuUsage(before).user / 1_000;
      assert.equal(!rendered.ok && rendered.fault.code, "too_slow");
      assert.ok(tookMs < 40, `${tookMs} ms; it is about five, and was 50 and more`);
    });
  }
});

test("the second line: what takes long is stopped by the clock", async () => {
  const branches = "{% if first_name %}{{ first_name }}{% endif %}".repeat(500);
  const prepared = prepareContent(await compileSource({ ...bare, html: branches, text: "" }));
  const rendered = renderValues(prepared, recipientWith({}), { characters: 1e9, ms: 0.001, work: 1e9 });
  assert.equal(!rendered.ok && rendered.fault.code, "too_slow");
});

/** Gives every value its greatest length, in characters that make the filters produce the most. */
const longest = (character: string) => ({
  first_name: character.repeat(400),
  last_name: character.repeat(400),
  email: character.repeat(400),
  n: 3,
  a: character.repeat(2_000),
  fields: {
    x: character.repeat(2_000),
    city: character.repeat(2_000),
    size: 9,
    tags: character.repeat(2_000),
  },
  subscriber: { fields: { city: character.repeat(2_000) }, tags: Array(100).fill(character.repeat(200)) },
  list: { tags: ["x", "y"], name: character.repeat(400) },
});
const data = [longest("x"), longest("&"), longest("\u0390"), longest("\n"), longest("\0"), longest("漢")];
const urls = { linkBase: "https://t.example/c/1?n=", pixelUrl: "https://t.example/o/1" };

/** Returns what a rendering was charged and how long its text became. */
function measure(
  engine: Liquid,
  render: (ctx: ReturnType<typeof createContext>) => string,
  scope: object,
  most: number,
) {
  const ctx = createContext(engine, scope, urls, {
    characters: most,
    ms: 60_000,
    work: Number.POSITIVE_INFINITY,
  });
  const charged = () => (ctx.memoryLimit as unknown as { base: number }).base;
  try {
    const { length } = render(ctx);
    return { length, charged: charged(), limit: undefined };
  } catch (error) {
    return { length: 0, charged: charged(), limit: limitOf(error) };
  }
}

describe("random templates, plain and hostile", () => {
  const templates = fc.oneof(liquidTemplates, hostileTemplates);
  const given = fc.constantFrom(...data);

  test("cost no more than their bound says", () => {
    let bounded = 0;
    fc.assert(
      fc.property(templates, given, fc.constantFrom(plainEngine, htmlEngine), (template, scope, engine) => {
        const parsed = parseLiquid(engine, template);
        if (!parsed.ok) return;
        const worst = worstCost(parsed.nodes);
        const emit = worst <= 10_000_000 ? compileNodes(parsed.nodes, engine) : null;
        if (!emit) return;
        bounded++;
        const { length, charged, limit } = measure(engine, emit, scope, 1e9);
        assert.equal(limit, undefined);
        assert.ok(length <= worst && charged <= worst, `${length}, ${charged} of ${worst}`);
      }),
      { numRuns: 500 },
    );
    assert.ok(bounded > 100, `only ${bounded} of 500 had a bound`);
  });

  test("stay within the limits of either path, in time and in memory", () => {
    const most = 500_000;
    let stopped = 0;
    fc.assert(
      fc.property(templates, given, (template, scope) => {
        const parsed = parseLiquid(plainEngine, template);
        if (!parsed.ok) return;
        const emit = compileNodes(parsed.nodes, plainEngine);
        const renders = [
          emit,
          (ctx: Parameters<typeof renderNodes>[2]) => renderNodes(plainEngine, parsed.nodes, ctx),
        ];
        for (const render of renders) {
          if (!render) continue;
          const startedMs = performance.now();
          const { length, charged, limit } = measure(plainEngine, render, scope, most);
          if (limit) stopped++;
          assert.ok(length <= most && charged <= most);
          // Each takes 20 ms at most; the limit allows for a busy machine.
          assert.ok(performance.now() - startedMs < 3_000);
        }
      }),
      { numRuns: 500 },
    );
    assert.ok(stopped > 50, `only ${stopped} were stopped`);
  });
});
