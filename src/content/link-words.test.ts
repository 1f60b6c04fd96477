import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Piece, Slot } from "./compiled.ts";
import { readLinkWords } from "./link-words.ts";

const LINK: Slot = { kind: "link_base", part: "html" };
const NAME: Slot = { kind: "value", part: "html", source: "{{ first_name }}", place: null };

/** Makes the pieces of a mail; `@` is the address that links begin with, and `$` a value. */
function read(html: string): Record<string, string> {
  const pieces: Piece[] = html
    .split(/([@$])/)
    .filter((part) => part !== "")
    .map((part) => (part === "@" ? { slot: 0 } : part === "$" ? { slot: 1 } : part));
  return Object.fromEntries(readLinkWords({ html: pieces, slots: [LINK, NAME] }));
}

describe("the words of a link", () => {
  const cases: readonly (readonly [string, string, Record<string, string>])[] = [
    ["are its text", '<p>Or <a href="@0">read it</a> now</p>', { 0: "read it" }],
    [
      "lose markup and entities",
      "<a class=x href='@3'><b>Tea</b> &amp;\n <i>cake</i></a>",
      { 3: "Tea & cake" },
    ],
    [
      "keep apart what stands in rows",
      '<a href="@0"><h2>Winter</h2><p>tables</p></a>',
      { 0: "Winter tables" },
    ],
    [
      "are a picture's description",
      '<a href="@1"><img src="x>y" alt="Three roofs"></a>',
      { 1: "Three roofs" },
    ],
    ["have a mark for what differs", '<a href="@0">For $</a>', { 0: "For …" }],
    ["are those of each place", '<a href="@0">one</a><a href="@1">two</a>', { 0: "one", 1: "two" }],
    ["leave comments out", '<a href="@0"><!-- <b>no</b> -->yes</a>', { 0: "yes" }],
    ["aren't there without any", '<a href="@0"><img src="x"></a><area href="@1">text', {}],
    [
      "aren't those of a shape",
      '<!--[if mso]><v:rect href="@0">Go</v:rect><![endif]--><a href="@1">Go</a>',
      { 1: "Go" },
    ],
    ["end with the mail", '<a href="@0">never closed', { 0: "never closed" }],
  ];
  for (const [what, html, words] of cases) it(what, () => assert.deepEqual(read(html), words));

  it("are cut where they are long, also among many links that are never closed", () => {
    const words = read(`<a href="@0">${"word ".repeat(100)}</a>${'<a href="@7">x'.repeat(3_000)}`);
    assert.equal(words["0"]?.length, 200);
    assert.match(words["0"] ?? "", /word…$/);
    assert.equal(words["7"], "x");
  });

  it("aren't there where a mail has text alone", () => {
    assert.deepEqual(readLinkWords({ html: null, slots: [] }), new Map());
  });
});
