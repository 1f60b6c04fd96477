import assert from "node:assert/strict";
import { test } from "node:test";
import { changedAt, markPlace } from "./shown-place.ts";

/** The start tag that is marked around what was typed, here a bar. */
function marked(html: string): string | undefined {
  const offset = html.indexOf("|");
  const { html: shown, fragment } = markPlace(html.replace("|", ""), offset);
  return fragment === "" ? undefined : new RegExp(`<[^<>]*\\bid="${fragment}"[^<>]*>`).exec(shown)?.[0];
}

test("two texts differ from the first letter that isn't the same, or from the end of the shorter", () => {
  assert.equal(changedAt("<p>One", "<p>Ore"), 4);
  assert.equal(changedAt("<p>One", "<p>One more"), 6);
});

test("the element around a place is marked, or the last one before it", () => {
  assert.equal(marked("<body><p>One</p><p>T|wo</p></body>"), '<p id="postrider-shown">');
  assert.equal(marked('<body><p id="own">T|wo</p></body>'), '<p id="own">');
  assert.equal(marked("<body><td><!--[if mso]><p><![endif]-->T|wo</td></body>"), '<td id="postrider-shown">');
  assert.equal(marked("<body>T|wo</body>"), undefined);
});

test("nothing is marked that would take the focus from where somebody types", () => {
  for (const taking of ['<a href="/">', '<a id="own" href="/">', "<button>", "<summary>", '<b tabindex="0">'])
    assert.equal(marked(`<body><p>See ${taking}t|his</p></body>`), '<p id="postrider-shown">', taking);
});
