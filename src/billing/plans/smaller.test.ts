import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { dearest, isSmaller } from "./smaller.ts";
import type { Terms } from "./terms.ts";

const STOP: Terms = {
  ...{ name: "Growth", price: 2_900, currency: "EUR", interval: "month", included_mails: 1_000 },
  ...{ overage_per_1000: null, at_limit: "stop", transactional_reserve: 0, daily_mails: 100 },
  ...{ contacts: 500, members: 3, features: ["webhooks"] },
};
const CHARGED: Terms = { ...STOP, at_limit: "overage", overage_per_1000: 95 };

describe("terms", () => {
  const CASES: readonly [what: string, held: Terms, next: Partial<Terms>, smaller: boolean][] = [
    ["are as large as themselves", STOP, {}, false],
    ["are no smaller under another name", STOP, { name: "Starter" }, false],
    ["are smaller at a lower price", STOP, { price: 2_899 }, true],
    ["are smaller at a lower price with more mails", STOP, { price: 2_899, included_mails: null }, true],
    ["are larger at a higher price", STOP, { price: 2_901 }, false],
    ["are smaller at a higher price with fewer mails", STOP, { price: 9_900, included_mails: 999 }, true],
    ["are larger with more mails", STOP, { included_mails: 1_001 }, false],
    ["are larger without a limit of mails", STOP, { included_mails: null }, false],
    ["are smaller with a limit where none was", { ...STOP, included_mails: null }, STOP, true],
    [
      "are as large with no limit as with none",
      { ...STOP, included_mails: null },
      { included_mails: null },
      false,
    ],
    ["are larger where mails beyond are charged", STOP, CHARGED, false],
    ["are smaller where sending stops that was charged", CHARGED, STOP, true],
    [
      "are smaller where sending stops, at a higher price and with more mails, too",
      CHARGED,
      { ...STOP, price: 9_900, included_mails: 50_000 },
      true,
    ],
    [
      "are larger where nothing stops any more",
      CHARGED,
      { ...STOP, price: 9_900, included_mails: null },
      false,
    ],
    ["are smaller where mails beyond are cheaper", CHARGED, { overage_per_1000: 94 }, true],
    ["are larger where mails beyond are dearer", CHARGED, { overage_per_1000: 96 }, false],
    [
      "are larger at a higher price where mails beyond are cheaper, as in any list of plans",
      CHARGED,
      { price: 9_900, included_mails: 50_000, overage_per_1000: 50 },
      false,
    ],
    ["are smaller with fewer mails a day", STOP, { daily_mails: 99 }, true],
    ["are smaller with fewer contacts", STOP, { contacts: 0 }, true],
    ["are smaller with fewer members", STOP, { members: 2 }, true],
    ["are smaller without a feature", STOP, { features: ["automations"] }, true],
    ["are larger with one more", STOP, { features: ["automations", "webhooks"] }, false],
    ["are larger with more contacts", STOP, { contacts: null }, false],
    [
      "are larger at a higher price, whatever else is less",
      STOP,
      { price: 3_000, members: 1, features: ["none"] },
      false,
    ],
    [
      "are larger with more mails, whatever else is less",
      STOP,
      { included_mails: 2_000, daily_mails: 5 },
      false,
    ],
    ["are as large with another reserve", STOP, { transactional_reserve: 10 }, false],
    [
      "are smaller with shorter periods",
      { ...STOP, interval: "year" },
      { interval: "month", price: 9_900 },
      true,
    ],
    ["begin at once with longer periods", STOP, { interval: "year", price: 1 }, false],
    ["begin at once in another currency", STOP, { currency: "JPY", price: 1 }, false],
  ];
  for (const [what, held, next, smaller] of CASES)
    test(what, () => assert.equal(isSmaller({ ...held, ...next }, held), smaller));

  test("that held one after the other are charged by the dearest", () => {
    const pricesOf = (...prices: readonly [number, ...number[]]) => {
      const [first, ...rest] = prices.map((price) => ({ terms: { ...STOP, price } }));
      return dearest([first as { terms: Terms }, ...rest]).terms.price;
    };
    assert.equal(pricesOf(1), 1);
    assert.equal(pricesOf(1, 5, 2), 5);
    assert.equal(pricesOf(5, 1, 3), 5);
    assert.equal(pricesOf(1, 3, 2, 4), 4);
    const same = [
      { terms: STOP, nth: 1 },
      { terms: STOP, nth: 2 },
    ] as const;
    assert.equal(dearest<(typeof same)[number]>([...same]).nth, 2, "of the same terms what was said last");
  });
});
