import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CampaignDomains, CampaignErrors } from "../../../api/openapi.ts";
import { flowOf, providersOf } from "./providers.ts";

const NONE = { recipients: 0, queued: 0, sent: 0, deferred: 0, failed: 0, unknown: 0, skipped: 0 };
const YAHOO = ["yahoo.com", "aol.com"];
/** As the service has them: Yahoo's domains go together, and all others are by themselves. */
const domainsOf = (some: readonly Record<string, unknown>[], other = NONE) => {
  const data = some.map((one) => ({ ...NONE, ...one }) as typeof NONE & { domain: string });
  const own = data.filter(({ domain }) => YAHOO.includes(domain));
  const sum = (what: keyof typeof NONE) => own.reduce((all, one) => all + one[what], 0);
  const sums = Object.fromEntries(Object.keys(NONE).map((what) => [what, sum(what as "sent")]));
  return {
    data: data.map((one) => ({ ...one, provider: own.includes(one) ? "yahoo" : null })),
    providers: own.length > 0 ? [{ provider: "yahoo", name: "Yahoo", domains: own.length, ...sums }] : [],
    other,
  } as unknown as CampaignDomains;
};
const slow = {
  data: [
    { status: "deferred", domains: [{ domain: "aol.com", count: 3, reply: { text: "421 slow down" } }] },
  ],
} as unknown as CampaignErrors;

describe("mailbox providers", () => {
  test("go together with all their domains, the largest first, and the rest as one", () => {
    const small = Array.from({ length: 9 }, (_, n) => ({
      domain: `d${n}.example`,
      recipients: 9 - n,
      sent: 1,
    }));
    const providers = providersOf(
      domainsOf(
        [
          { domain: "yahoo.com", recipients: 20, sent: 10, queued: 10 },
          { domain: "aol.com", recipients: 15, sent: 5, queued: 10 },
          { domain: "gmail.com", recipients: 30, sent: 30 },
          ...small,
        ],
        { ...NONE, recipients: 7, sent: 7 },
      ),
      undefined,
    );
    assert.deepEqual(
      providers.map(({ name, domains, numbers }) => [name, domains.join(), numbers.recipients]),
      [
        ["Yahoo", "yahoo.com,aol.com", 35],
        ["gmail.com", "gmail.com", 30],
        ["d0.example", "d0.example", 9],
        ["d1.example", "d1.example", 8],
        ["d2.example", "d2.example", 7],
        ["d3.example", "d3.example", 6],
        ["", "", 5 + 4 + 3 + 2 + 1 + 7],
      ],
    );
  });

  test("that ask to try later are slow, with their words; a few mailboxes that do aren't the provider", () => {
    const one = (counts: Record<string, number>) => {
      const [found] = providersOf(domainsOf([{ domain: "aol.com", recipients: 1_000, ...counts }]), slow);
      assert.ok(found);
      return found;
    };
    const slowed = one({ sent: 100, queued: 900, deferred: 60 });
    assert.deepEqual([flowOf(slowed, true), slowed.reply], ["slowed", "421 slow down"]);
    assert.equal(flowOf(one({ sent: 900, queued: 100, deferred: 3 }), true), "flowing");
    assert.equal(flowOf(one({ sent: 100, queued: 900 }), false), "waiting");
    assert.equal(flowOf(one({ sent: 1_000 }), true), "done");
    assert.equal(one({ sent: 1_000 }).reply, undefined);
  });
});
