import assert from "node:assert/strict";
import { test } from "node:test";
import { readCss } from "./css.ts";

function read(css: string): string[] {
  const seen: string[] = [];
  readCss(css, 100, {
    onDeclaration: (property, value, offset) => void seen.push(`${offset - 100} ${property}=${value}`),
    onPrelude: (prelude, offset) => void seen.push(`${offset - 100} ${prelude}`),
  });
  return seen;
}

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ["the value of a style attribute", "COLOR: red; margin:0", ["0 color=red", "12 margin=0"]],
  ["rules within an at-rule", "@media (x){a:hover{b:c}}", ["0 @media (x)", "11 a:hover", "19 b=c"]],
  ["an at-rule without a block", "@import 'a;b';c{}", ["0 @import 'a;b'", "14 c"]],
  ["a semicolon in a url", "a:url(data:x;base64,AA);b:c", ["0 a=url(data:x;base64,AA)", "24 b=c"]],
  ["a semicolon in quotation marks", 'a:";}";b:c', ['0 a=";}"', "7 b=c"]],
  ["comments, which count as blanks", "/*x:y;*/a:b/*}*/;c:d", ["8 a=b", "17 c=d"]],
  ["a quotation mark that isn't closed", "a:'b\n;c:d", ["0 a='b", "6 c=d"]],
  ["nothing", " ;;}{ ", []],
];

for (const [what, css, expected] of cases) {
  test(`reads ${what}`, () => assert.deepEqual(read(css), expected));
}
