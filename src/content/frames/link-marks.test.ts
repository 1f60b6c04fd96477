import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { markLinks } from "./link-marks.ts";

const BASE = "https://0f.invalid/";
const marks = (html: string) =>
  markLinks(html, BASE, (number) => (number < 5 ? { text: `${number}%`, isFaint: number === 0 } : undefined));

/** Without the style, and with the name of the element, which nobody knows beforehand, as "m". */
const plain = (html: string) =>
  marks(html)
    .replace(/<style>.*?<\/style>/s, "")
    .replaceAll(/mark-[0-9a-f]{16}/g, "m");

/** What is given, and what it becomes. */
const cases: readonly [string, string, string][] = [
  ["a link", `<a href="${BASE}1">x</a>`, `<m>1%</m><a m href="${BASE}1">x</a>`],
  ["a link that nobody used", `<a href="${BASE}0">x</a>`, `<m faint>0%</m><a m href="${BASE}0">x</a>`],
  ["a picture", `<a class=b href=${BASE}2><img></a>`, `<m>2%</m><a m class=b href=${BASE}2><img></a>`],
  ["one with more behind it", `<A HREF='${BASE}3#x'>x</A>`, `<m>3%</m><A m HREF='${BASE}3#x'>x</A>`],
  ["one twice", `<a href="${BASE}4">x</a>`.repeat(2), `<m>4%</m><a m href="${BASE}4">x</a>`.repeat(2)],
  [
    "others",
    `<a href="${BASE}9">x</a><a href="#">y</a><a>z</a>`,
    `<a href="${BASE}9">x</a><a href="#">y</a><a>z</a>`,
  ],
  [
    "what is in a comment",
    `<!--[if mso]><a href="${BASE}1">x</a><![endif]-->`,
    `<!--[if mso]><a href="${BASE}1">x</a><![endif]-->`,
  ],
  ["an area of a picture", `<area href="${BASE}1">`, `<area href="${BASE}1">`],
  ["what isn't closed", `<a href="${BASE}1`, `<a href="${BASE}1`],
];

describe("marks at links", () => {
  for (const [name, given, made] of cases) {
    it(`of ${name}`, () => assert.equal(plain(given), made));
  }

  it("have their rules before the author's, behind the doctype", () => {
    const html = `<!doctype html><html><head><style>a * { display: none !important }</style></head>`;
    assert.match(marks(html), /^<!doctype html><html><head><style>@layer mark-/);
  });

  it("have another name each time", () => {
    const nameOf = () => /mark-[0-9a-f]+/.exec(marks(""))?.[0];
    assert.notEqual(nameOf(), nameOf());
  });
});
