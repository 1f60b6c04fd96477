import assert from "node:assert/strict";
import { test } from "node:test";
import { walkMarkup } from "./markup.ts";

/** Returns what was opened (`<p`), closed (`>`) and read (`"text"`), in order. */
function walk(html: string): string {
  const seen: string[] = [];
  walkMarkup(html, {
    onOpen: ({ name, attributes }, isVoid) => {
      const shown = [...attributes].map(([key, { value }]) => ` ${key}=${value}`).join("");
      seen.push(`<${name}${shown}${isVoid ? "/" : ""}`);
    },
    onClose: () => void seen.push(">"),
    onText: (text) => void seen.push(JSON.stringify(text)),
  });
  return seen.join(" ");
}

const cases: readonly (readonly [string, string, string])[] = [
  ["an element", '<P Class="a&amp;b" id=c>x</P>', '<p class=a&b id=c "x" >'],
  ["void elements", "<br><img/>x", '<br/ <img/ "x"'],
  ["a paragraph that isn't closed", "<p>a<p>b</p>", '<p "a" > <p "b" >'],
  ["cells that aren't closed", "<tr><td>a<td>b<tr><td>c", '<tr <td "a" > <td "b" > > <tr <td "c"'],
  ["an end without a beginning", "<b>a</i></b>", '<b "a" >'],
  ["ends in the wrong order", "<b><i>a</b>c", '<b <i "a" > > "c"'],
  ["the first of two attributes", "<p id=a id=b>", "<p id=a"],
  ["comments, with what is in them", "a<!-- <b> -->c", '"a" "c"'],
  ["style sheets as text", "<style>a<b{}</style>x", '<style "a<b{}" > "x"'],
  ["what self-closes in a picture", "<svg><path/><g></g></svg>", "<svg <path/ <g > >"],
];

for (const [what, html, expected] of cases) {
  test(`walks through ${what}`, () => assert.equal(walk(html), expected));
}

test("tells where an element begins", () => {
  const offsets: number[] = [];
  walkMarkup("ab<p>c</p >\n<i>", {
    onOpen: ({ offset }) => void offsets.push(offset),
    onClose() {},
    onText() {},
  });
  assert.deepEqual(offsets, [2, 12]);
});
