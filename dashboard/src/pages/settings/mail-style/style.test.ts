import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, pixelsOf, styleOf, typedOf } from "./style.ts";

test("a style is typed and read back as it was", () => {
  const style = {
    width: 640,
    heading_font: "serif",
    button_background: "#1f3a5f",
    button_radius: 0,
  } as const;
  assert.deepEqual(styleOf(typedOf(style)), style);
});

test("nothing typed is no style at all", () => {
  assert.equal(styleOf(typedOf(null)), null);
  assert.equal(styleOf({ ...typedOf(null), width: "  " }), null);
});

test("a number that is none is sent as it was typed, so that the service says what is wrong", () => {
  assert.deepEqual(styleOf({ ...typedOf(null), width: "wide" }), { width: "wide" });
  assert.deepEqual(styleOf({ ...typedOf(null), width: "6e2" }), { width: "6e2" });
});

test("the sample has the usual looks until what is typed can be shown", () => {
  const typed = { ...typedOf(null), text_colour: "#12345", link_colour: "#ABCDEF", width: "90000" };
  assert.equal(colourOf(typed, "text_colour"), "#211e1a");
  assert.equal(colourOf(typed, "link_colour"), "#ABCDEF");
  assert.equal(colourOf({ ...typed, text_colour: "#123456" }, "heading_colour"), "#123456");
  assert.equal(pixelsOf(typed, "width", 600, 720), 600);
  assert.equal(pixelsOf({ ...typed, width: "480" }, "width", 600, 720), 480);
});
