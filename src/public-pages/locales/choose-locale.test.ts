import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLocale } from "./choose-locale.ts";

const available = ["en", "de", "fr", "pt-BR"];

for (const [accepted, preferred, chosen] of [
  [undefined, null, "en"],
  [undefined, "de-CH", "de"],
  [undefined, "xx", "en"],
  ["de-AT,de;q=0.9,en;q=0.8", null, "de"],
  ["nl, fr;q=0.5, de;q=0.7", null, "de"],
  ["pt", "de", "pt-BR"],
  ["PT-br", null, "pt-BR"],
  ["nl", "fr", "fr"],
  ["*", "fr", "fr"],
  ["*, de;q=0.5", "fr", "fr"],
  ["de;q=0, fr;q=0.1", null, "fr"],
  ["de;q=NaN, fr;q=2, ;;, =", "de", "de"],
  ["d".repeat(100_000), null, "en"],
  ["constructor, __proto__", null, "en"],
] as const) {
  test(`of "${String(accepted).slice(0, 40)}" and ${preferred} it is ${chosen}`, () =>
    assert.equal(chooseLocale(accepted, preferred, available), chosen));
}
