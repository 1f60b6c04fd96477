import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type BrandColours, brandColours, contrast } from "./brand-colours.ts";
import { sheets } from "./style.ts";

describe("the colour of an account", () => {
  const anyColour = fc
    .integer({ min: 0, max: 0xffffff })
    .map((number) => `#${number.toString(16).padStart(6, "0")}`);

  test("whichever it is, words, edges and marks can be read in both themes", () => {
    const usual = [
      "#000",
      "#fff",
      "#777777",
      "#808080",
      "#ffd400",
      "#ff0000",
      "#00ff00",
      "#0000ff",
      "#1f3a5f",
    ];
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...usual), anyColour), (colour) => {
        const made = brandColours(colour, sheets);
        assert.ok(made);
        for (const theme of ["light", "dark"] as const) {
          const { ground, onGround, edge, mark, onMark }: BrandColours = made[theme];
          assert.ok(contrast(ground, onGround) >= 4.5, `${colour}: ${onGround} on ${ground}`);
          assert.ok(contrast(edge, sheets[theme]) >= 3, `${colour}: edge ${edge}`);
          assert.ok(contrast(mark, sheets[theme]) >= 4.5, `${colour}: mark ${mark}`);
          assert.ok(contrast(mark, onMark) >= 4.5, `${colour}: ${onMark} on ${mark}`);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("it stays as it was chosen where white or dark words can stand on it", () => {
    assert.equal(brandColours("#1f3a5f", sheets)?.light.ground, "#1f3a5f");
    assert.equal(brandColours("#ffd400", sheets)?.light.ground, "#ffd400");
  });

  test("in the dark it is a tint of the same hue, as in the drawings", () => {
    const tint = brandColours("#1f3a5f", sheets)?.dark.ground ?? "";
    assert.ok(contrast(tint, "#a9c0e6") < 1.3, tint);
  });

  test("what is no colour is none", () => {
    for (const colour of [null, "", "red", "#12", "#1234", "#12345g", "#1f3a5f;}", " #1f3a5f", "url(x)"]) {
      assert.equal(brandColours(colour, sheets), null, String(colour));
    }
  });
});
