import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { billOf, lateLines, type MailLine, mailLines, readRate, writeRate } from "./lines.ts";

const PLAN = { price: 2_900, included_mails: 10_000, overage_per_1000: 95, at_limit: "overage" } as const;
const NONE = { amount: 0, mails: 0 };
const charges = fc.record({
  price: fc.nat(1_000_000),
  included_mails: fc.option(fc.nat(5_000)),
  overage_per_1000: fc.option(fc.nat(100_000)),
  at_limit: fc.constantFrom("stop", "overage"),
  spending_cap: fc.option(fc.nat(100_000)),
});
const mails = fc.nat(1_000_000);

/** Adds up what lines have in common. */
function sum(lines: readonly MailLine[]) {
  const total = { mails: 0, included: 0, credited: 0, charged: 0, amount: 0 };
  for (const line of lines)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += line[name];
  return total;
}

describe("the lines of mails", () => {
  test("add up to the line of the whole, however the mails are split", () => {
    fc.assert(
      fc.property(charges, fc.array(mails, { maxLength: 30 }), fc.nat(5_000), (plan, parts, credited) => {
        const whole = parts.reduce((all, part) => all + part, 0);
        const split = parts.map((part, at) => ({ stream: `s${at}`, mails: part }));
        const one = mailLines(plan, [{ stream: "all", mails: whole }], credited);
        assert.deepEqual(sum(mailLines(plan, split, credited)), sum(one));
      }),
      { numRuns: 500 },
    );
  });

  test("stay the same where another of them is split in two", () => {
    fc.assert(
      fc.property(charges, mails, mails, mails, (plan, first, second, third) => {
        const together = mailLines(plan, [
          { stream: "a", mails: first + second },
          { stream: "b", mails: third },
        ]);
        const apart = mailLines(plan, [
          { stream: "a", mails: first },
          { stream: "a", mails: second },
          { stream: "b", mails: third },
        ]);
        assert.deepEqual(apart.at(-1), together.at(-1));
        assert.deepEqual(sum(apart.slice(0, 2)), sum(together.slice(0, 1)));
      }),
    );
  });

  test("have every mail once: included, credited or charged; and none costs less than nothing", () => {
    fc.assert(
      fc.property(charges, fc.array(mails, { maxLength: 10 }), fc.nat(5_000), (plan, parts, credited) => {
        const lines = mailLines(
          plan,
          parts.map((part) => ({ stream: "campaign", mails: part })),
          credited,
        );
        for (const line of lines) {
          assert.equal(line.included + line.credited + line.charged, line.mails);
          assert.ok(line.amount >= 0);
        }
        assert.ok(sum(lines).included <= (plan.included_mails ?? Number.POSITIVE_INFINITY));
        assert.ok(sum(lines).credited <= credited);
      }),
    );
  });

  test("charge by the mail beyond what is included", () => {
    const lines = mailLines(PLAN, [
      { stream: "campaign", mails: 9_000 },
      { stream: "transactional", mails: 2_500 },
    ]);
    assert.deepEqual(
      lines.map(({ included, charged, amount }) => [included, charged, amount]),
      [
        [9_000, 0, 0],
        [1_000, 1_500, 143],
      ],
    );
  });
});

describe("mails that are known late", () => {
  test("cost together with what was stated as much as all of them would have cost", () => {
    const cap = fc.option(fc.nat(50_000));
    fc.assert(
      fc.property(
        charges,
        cap,
        mails,
        fc.array(mails, { maxLength: 4 }),
        fc.nat(5_000),
        (plan, most, first, later, left) => {
          const capped = { ...plan, spending_cap: most };
          const stated = mailLines(capped, [{ stream: "campaign", mails: first }], left);
          let [known, credited] = [first, sum(stated).credited];
          const lines = [...stated];
          for (const more of later) {
            const before = { charges: capped, mails: known, credited };
            const added = lateLines(before, [{ stream: "campaign", mails: more }], left - credited);
            lines.push(...added);
            known += more;
            credited += sum(added).credited;
          }
          assert.deepEqual(sum(lines), sum(mailLines(capped, [{ stream: "campaign", mails: known }], left)));
          assert.ok(sum(lines).amount <= (most ?? Number.POSITIVE_INFINITY));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("take no credit that was given only after their period was closed without enough", () => {
    const stated = { charges: PLAN, mails: 12_000, credited: 0 };
    const [line] = lateLines(stated, [{ stream: "campaign", mails: 1_000 }], 5_000);
    assert.deepEqual([line?.credited, line?.charged, line?.amount], [0, 1_000, 95]);
  });
});

describe("a bill", () => {
  test("has the price, the mails, credits and tax, in this order", () => {
    const used = [{ stream: "campaign", mails: 12_000 }];
    const bill = billOf(PLAN, used, { amount: 500, mails: 1_000 }, { label: "VAT", rate: 190_000 });
    assert.deepEqual(
      bill.lines.map(({ kind, amount }) => [kind, amount]),
      [
        ["base", 2_900],
        ["mails", 95],
        ["credit", -500],
        ["tax", 474],
      ],
    );
    assert.deepEqual([bill.subtotal, bill.tax, bill.total], [2_995, 474, 2_969]);
    assert.deepEqual(bill.spent, { amount: 500, mails: 1_000 });
  });

  test("is never below nothing, and leaves the credits that it doesn't need", () => {
    const bill = billOf(PLAN, [{ stream: "campaign", mails: 5 }], { amount: 9_000, mails: 70 }, null);
    assert.deepEqual([bill.total, bill.spent], [0, { amount: 2_900, mails: 0 }]);
  });

  test("whose price is charged elsewhere takes credits of money for mails alone", () => {
    const used = [{ stream: "campaign", mails: 12_000 }];
    const elsewhere = { isPricePaidElsewhere: true };
    const bill = billOf(PLAN, used, { amount: 500, mails: 0 }, null, elsewhere);
    assert.deepEqual([bill.subtotal, bill.total, bill.spent.amount], [3_090, 2_900, 190]);
    const less = billOf(PLAN, used, { amount: 100, mails: 0 }, null, elsewhere);
    assert.deepEqual([less.total, less.spent.amount], [2_990, 100]);
    assert.equal(billOf(PLAN, [], { amount: 500, mails: 0 }, null, elsewhere).spent.amount, 0);
  });

  test("is the sum of its lines", () => {
    const tax = fc.option(fc.record({ label: fc.constant("VAT"), rate: fc.nat(1_000_000) }));
    const credits = fc.record({ amount: fc.nat(2_000_000), mails: fc.nat(5_000) });
    fc.assert(
      fc.property(charges, fc.array(mails, { maxLength: 5 }), credits, tax, (plan, parts, owned, rate) => {
        const used = parts.map((part) => ({ stream: "campaign", mails: part }));
        const { lines, total } = billOf(plan, used, owned, rate);
        assert.equal(
          lines.reduce((all, { amount }) => all + amount, 0),
          total,
        );
        assert.ok(total >= 0);
      }),
    );
  });

  test("charges nothing beyond what is included where sending stops there, whatever a thousand would cost", () => {
    const plan = { ...PLAN, at_limit: "stop" } as const;
    assert.equal(billOf(plan, [{ stream: "campaign", mails: 14_000 }], NONE, null).total, 2_900);
  });

  test("without a limit charges the price alone", () => {
    const plan = { price: 900, included_mails: null, overage_per_1000: null, at_limit: "stop" } as const;
    assert.equal(billOf(plan, [{ stream: "campaign", mails: 10_000_000 }], NONE, null).total, 900);
  });
});

test("a rate is in percent, with four decimals at most", () => {
  const read: readonly [string, number | null][] = [
    ["19", 190_000],
    ["8.875", 88_750],
    ["0", 0],
    ["100", 1_000_000],
    ["100.0001", null],
    ["-1", null],
    ["7.12345", null],
    ["", null],
    ["NaN", null],
  ];
  for (const [text, rate] of read) {
    const found = readRate(text);
    if (rate === null) assert.equal(typeof found, "object", text);
    else {
      assert.equal(found, rate);
      assert.equal(writeRate(rate), text);
    }
  }
});
