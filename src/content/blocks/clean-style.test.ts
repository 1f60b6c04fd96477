import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanStyle } from "./clean-style.ts";

const CASES: readonly [style: string, cleaned: string][] = [
  ["color:red; padding: 0 4px", "color:red;padding: 0 4px"],
  ["font-family:'Times New Roman', serif", "font-family:'Times New Roman', serif"],
  [
    "background:url(https://a.example/x.png?a=1;b=2) no-repeat",
    "background:url(https://a.example/x.png?a=1;b=2) no-repeat",
  ],
  ["background:url('http://a.example/x.png')", "background:url('http://a.example/x.png')"],
  ["background:url(javascript:alert(1));color:red", "color:red"],
  ['background:url( "JavaScript:alert(1)" )', ""],
  ["background:url(data:text/html,x)", ""],
  ["background:url(//a.example/x.png)", ""],
  ["background:u\\72l(javascript:alert(1))", ""],
  ["background:u/**/rl(javascript:x)", ""],
  ["background:url(java\\\nscript:x)", ""],
  ["width:expression(alert(1));color:red", "color:red"],
  ["width:exp/* x */ression(alert(1))", ""],
  ["-moz-binding:url(https://a.example/x.xml#y)", ""],
  ["behavior:url(https://a.example/x.htc)", ""],
  ["position:fixed;top:0;color:red", "top:0;color:red"],
  ["POSITION : absolute", ""],
  ["background-image:image-set('javascript:x' 1x)", ""],
  ["color:red;background:url(javascript:alert(1)", "color:red"],
  [";;;", ""],
  ['a:"\f;position:fixed;"', ""],
  ['a:"\n;b:";position:fixed;"', 'b:";position:fixed;"'],
  ['content:"a\\\nb;c";color:red', 'content:"a\\\nb;c";color:red'],
];

for (const [style, cleaned] of CASES) {
  test(`a style of ${JSON.stringify(style)} becomes ${JSON.stringify(cleaned)}`, () => {
    const made = cleanStyle(style);
    assert.equal(made, cleaned);
    assert.equal(cleanStyle(made), made);
  });
}

/** Outputs are written as {0} and tags as [1]; those that are whole together follow each other. */
const WITH_LIQUID: readonly [style: string, cleaned: string][] = [
  ["color:{0};padding:0", "color:{0};padding:0"],
  ["font-family:'{0}', serif", "font-family:'{0}', serif"],
  ["[1]color:red[2]", "[1]color:red[2]"],
  ["[1]color:red;[2]padding:0", "[1]color:red;[2]padding:0"],
  ["color:[1]red[3]blue[2];padding:0", "color:[1]red[3]blue[2];padding:0"],
  ["background:url(https://a.example/{0}.png)", "background:url(https://a.example/{0}.png)"],
  ["{0}:fixed;color:red", "color:red"],
  ["position[1][2]:fixed", ""],
  ["posi[1][2]tion:fixed", ""],
  ["[1]position:fixed[2]", ""],
  ["posi[1];[2]tion:fixed", "[2]tion:fixed"],
  ["[1]x:[2]position:fixed", ""],
  ["[1]x:[2]posi[1];[2]tion:fixed", "[2]tion:fixed"],
  ['a:"x[1]"[2];b:";position:fixed;"', 'b:";position:fixed;"'],
  ["[1]/*[2];position:fixed;[1]*/[2]color:red", ""],
  ["width:{0}(alert(1))", ""],
  ["width:exp[1][2]ression(alert(1))", ""],
  ["background:url({0})", ""],
  ["background:\\{0}x", ""],
];

for (const [style, cleaned] of WITH_LIQUID) {
  test(`a style of ${JSON.stringify(style)}, with Liquid, becomes ${JSON.stringify(cleaned)}`, () => {
    const toMarkers = (text: string) => text.replaceAll(/[{[](\d)[}\]]/g, "\uE0F0$1\uE0F1");
    const made = cleanStyle(toMarkers(style), {
      isTag: (index) => index > 0,
      areWhole: (indexes) => indexes[0] === 1 && indexes.at(-1) === 2,
    });
    assert.equal(made, toMarkers(cleaned));
  });
}

test("a style of any length is read in one go", () => {
  // With a pattern that goes back and forth these would take hours.
  for (const part of ["(", "a:url(", '"', "\\", "/*", "()", "\uE0F01\uE0F1", "a\uE0F01\uE0F1 "])
    cleanStyle(part.repeat(50_000));
  assert.equal(cleanStyle("a:b;".repeat(50_000)).length, 4 * 50_000 - 1);
});
