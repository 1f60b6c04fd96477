import assert from "node:assert/strict";
import { test } from "node:test";
import { LETTER_LOCALES, letters } from "./words.ts";
import { writeAddressChanged, writeLinkLetter } from "./write-letter.ts";

const placesIn = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

for (const locale of LETTER_LOCALES) {
  test(`the letters in ${locale} have the places of the English ones, and mask addresses`, () => {
    for (const kind of ["data", "delete", "address", "new_address", "address_changed"] as const) {
      const [ours, english] = [letters[locale][kind], letters.en[kind]];
      assert.deepEqual(placesIn(ours.text), placesIn(english.text), kind);
      assert.deepEqual(placesIn(ours.subject), placesIn(english.subject), kind);
      const told = { locale, senderName: "Fernhill\r\nBooks", from: "old@a.example", to: "new@b.example" };
      const letter =
        kind === "address_changed"
          ? writeAddressChanged(told)
          : writeLinkLetter(kind, told, "https://news.example.com/p/link/x");
      const all = [letter.subject, ...letter.paragraphs, ...letter.notes].join("\n");
      assert.doesNotMatch(all, /\{|\}|old@|new@/, kind);
      assert.doesNotMatch(letter.subject, /[\r\n]/);
    }
  });
}
