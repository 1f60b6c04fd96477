import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { liquidTemplates, mergeData } from "../../../test/support/liquid.ts";
import { renderFast, renderSlow } from "./compare.fixture.ts";
import { htmlEngine, plainEngine } from "./engine.ts";

const data = {
  first_name: "Zoë <b>",
  email: "zoe@example.org",
  fields: { city: "São Paulo", size: 9, "a b": 1 },
  list: { tags: ["x", "y"] },
  day: "2026-11-14T09:30:00Z",
};

describe("the fast path gives LiquidJS's bytes", () => {
  for (const engine of [plainEngine, htmlEngine]) {
    test(`on random templates and data, ${engine === htmlEngine ? "in HTML" : "in plain text"}`, () => {
      let compared = 0;
      fc.assert(
        fc.property(liquidTemplates, mergeData, (template, given) => {
          const fast = renderFast(template, given, engine);
          if (!fast) return;
          if (fast.ok) compared++;
          assert.deepEqual(fast, renderSlow(template, given, engine));
        }),
        { numRuns: 300 },
      );
      assert.ok(compared > 100, `only ${compared} of 300 templates were rendered`);
    });
  }

  const cases: readonly [template: string, text: string][] = [
    ["Hello {{ first_name }}!", "Hello Zoë <b>!"],
    ['{{ missing | default: "there" }}', "there"],
    ['{{ fields["a b"] }}{{ fields.size }}', "19"],
    ["{{ list.tags.last }}{{ list.tags[-2] }}{{ list.tags.size }}", "yx2"],
    ["{{ list.tags }}", "xy"],
    ["{{ toString }}{{ constructor.name }}{{ __proto__.x }}", ""],
    ["{% if first_name contains 'Zo' and n != 1 %}a{% elsif n %}b{% else %}c{% endif %}", "a"],
    ["{% unless missing %}a{% else %}b{% endunless %}", "a"],
    ["{% case fields.size %}{% when 8, 9 %}a{% when 9 %}b{% else %}c{% endcase %}", "ab"],
    [
      "{% assign x = first_name | upcase %}{{ x }}{% capture y %}-{{ x | size }}-{% endcapture %}{{ y }}",
      "ZOË <B>-7-",
    ],
    [" {%- if true -%} a {%- endif -%} ", "a"],
    ["{% liquid\n assign x = 1\n echo x | plus: 2 %}", "3"],
    ["{% raw %}{{ x }}{% endraw %}{% comment %}{{ x }}{% endcomment %}", "{{ x }}"],
    ['{{ day | date: "%d.%m.%Y %H:%M" }}', "14.11.2026 09:30"],
    ["{% _plain_link 3 %}", "https://t.example/c/1?a=1&n=3"],
    ["{% _link 3 %}{% _pixel %}", "https://t.example/c/1?a=1&amp;n=3https://t.example/o/1"],
  ];
  for (const [template, text] of cases) {
    test(JSON.stringify(template), () => {
      assert.deepEqual(renderFast(template, data), { ok: true, text });
      assert.deepEqual(renderSlow(template, data), { ok: true, text });
    });
  }
});

describe("the fast path leaves to LiquidJS", () => {
  for (const template of [
    "{% for x in (1..1000000000) %}{% endfor %}",
    "{% tablerow x in list.tags %}{% endtablerow %}",
    "{% increment n %}",
    "{{ list.tags | sort }}",
    "{{ (1..3) }}",
    "{% if true %}{% for x in list.tags %}{{ x }}{% endfor %}{% endif %}",
  ]) {
    test(template, () => assert.equal(renderFast(template, data), null));
  }
});
