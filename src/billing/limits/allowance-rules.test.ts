import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mailLines } from "../lines.ts";
import { mailsAllowed, mailsFor } from "./allowance-rules.ts";

const stop = { included_mails: 1_000, at_limit: "stop", overage_per_1000: null } as const;
const overage = { included_mails: 1_000, at_limit: "overage", overage_per_1000: 95 } as const;

describe("how many mails terms allow", () => {
  test("is what is included and credited, where sending stops at it", () => {
    assert.equal(mailsAllowed(stop, 0, null), 1_000);
    assert.equal(mailsAllowed(stop, 250, null), 1_250);
    assert.equal(mailsAllowed({ ...stop, included_mails: 0 }, 0, null), 0);
    assert.equal(mailsAllowed({ ...stop, included_mails: null }, 250, null), null);
  });

  test("has no end where mails beyond are charged, but for a cap", () => {
    assert.equal(mailsAllowed(overage, 0, null), null);
    assert.equal(mailsAllowed(overage, 50, 0), 1_050 + 5);
    assert.equal(mailsAllowed({ ...overage, overage_per_1000: 0 }, 0, 100), null);
  });

  test("is the most whose price isn't above the cap, as bills reckon it", () => {
    for (const perThousand of [1, 2, 3, 7, 95, 999, 1_000, 1_001, 123_457])
      for (const cap of [0, 1, 2, 99, 100, 10_000, 123_456_789]) {
        const terms = { ...overage, price: 0, overage_per_1000: perThousand };
        const priceOf = (mails: number) =>
          mailLines(terms, [{ stream: "all", mails: 1_000 + mails }])[0]?.amount;
        const most = mailsFor(perThousand, cap);
        assert.ok((priceOf(most) ?? Number.NaN) <= cap, `${perThousand} ${cap} ${most}`);
        assert.ok((priceOf(most + 1) ?? Number.NaN) > cap, `${perThousand} ${cap} ${most}`);
      }
  });
});
