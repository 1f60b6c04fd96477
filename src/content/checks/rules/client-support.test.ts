import assert from "node:assert/strict";
import { test } from "node:test";
import { loadFeatures } from "./client-support.ts";

const features = await loadFeatures();

/** Each row names a feature, a client that lacks it by caniemail's measurements, and a client that has it. */
const lacking: readonly (readonly [feature: string, by: string, butNotBy: string])[] = [
  ["display:grid", "Outlook (Windows)", "Gmail (web)"],
  ["<video>", "Gmail (web)", "Apple Mail (iOS)"],
  ["<input type=radio>", "Outlook (Windows)", "Gmail (web)"],
  ["[srcset]", "Gmail (web)", "Apple Mail (iOS)"],
  ["[sizes]", "Gmail (web)", "Apple Mail (iOS)"],
  ["(prefers-color-scheme)", "Gmail (iOS)", "Outlook.com"],
  ["(device-pixel-ratio)", "Gmail (web)", "Apple Mail (iOS)"],
  ["@import", "Gmail (web)", "Outlook (Windows)"],
  [":focus-within", "Gmail (web)", "Apple Mail (macOS)"],
  ["gap", "Outlook (Windows)", "Apple Mail (iOS)"],
  ["row-gap", "Outlook (Windows)", "Apple Mail (iOS)"],
  ["calc()", "Outlook (Windows)", "Apple Mail (iOS)"],
  ["oklch()", "Outlook (Windows)", "Apple Mail (iOS)"],
  ["vmin", "Outlook (Windows)", "Apple Mail (iOS)"],
  ["image/webp", "Outlook (Windows)", "Outlook.com"],
  ["data:", "Gmail (web)", "Apple Mail (iOS)"],
  ["<nav>", "Outlook (Windows)", "Apple Mail (iOS)"],
];

for (const [feature, by, butNotBy] of lacking) {
  test(`${feature} is lacking in ${by}, but not in ${butNotBy}`, () => {
    const lackedBy = features.get(feature)?.lackedBy ?? [];
    assert.ok(lackedBy.includes(by) && !lackedBy.includes(butNotBy), lackedBy.join(", "));
  });
}

test("what every client has isn't listed", () => {
  for (const name of ["<table>", "<a>", "<p>", "color", "px", "[width]", "image/png", "background-color"]) {
    assert.equal(features.get(name), undefined, name);
  }
});

test("the newest version counts, even where it is a whole number", () => {
  // iOS 11.4 lacked this property; 12 and later have it.
  assert.ok(!features.get("margin-block-start")?.lackedBy.includes("Apple Mail (iOS)"));
});
