import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../platform/clock.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { type Rule, readRules } from "./rules.ts";
import { showRule } from "./segments.ts";
import { describeRule } from "./sentence.ts";

const campaignId = newId(systemClock);
const campaign = toPublicId("cmp", campaignId);
const url = "https://example.com/offer?a=1&b=2";
const link = { campaign_id: campaign, url };

function read(input: unknown) {
  const found = readRules(input, [], "/rules");
  assert.ok("rule" in found, JSON.stringify(found));
  return found;
}

const sentences: readonly [string, object][] = [
  ["Was sent the campaign “May”.", { field: "sent", op: "campaign", value: campaign }],
  ["Wasn't sent the campaign “May”.", { field: "sent", op: "not_campaign", value: campaign }],
  ["Has opened the campaign “May”.", { field: "opened", op: "campaign", value: campaign }],
  ["Hasn't clicked the campaign “May”.", { field: "clicked", op: "not_campaign", value: campaign }],
  [`Has clicked the link “${url}” of the campaign “May”.`, { field: "clicked", op: "link", value: link }],
  [
    `Hasn't clicked the link “${url}” of the campaign “May”.`,
    { field: "clicked", op: "not_link", value: link },
  ],
  [
    "Was sent at least 5 campaigns in the last 180 days.",
    { field: "sent", op: "at_least", value: { mails: 5, days: 180 } },
  ],
  [
    "Was sent fewer than 1 campaign in the last day.",
    { field: "sent", op: "fewer_than", value: { mails: 1, days: 1 } },
  ],
  ["Has opened any of the last 5 campaigns.", { field: "opened", op: "any_of_last", value: 5 }],
  ["Has clicked none of the last 50 campaigns.", { field: "clicked", op: "none_of_last", value: 50 }],
  ["Hasn't opened the last campaign.", { field: "opened", op: "none_of_last", value: 1 }],
  ["Hasn't opened in the last 90 days.", { field: "opened", op: "not_in_last_days", value: 90 }],
  [
    "Has clicked in the last day, machines included.",
    { field: "clicked", op: "in_last_days", value: 1, machines: true },
  ],
];

describe("a rule about mail", () => {
  for (const [sentence, input] of sentences) {
    it(`is read back as it was written, and as: ${sentence}`, () => {
      const { rule } = read(input);
      assert.deepEqual(showRule(rule, []), input);
      const names = { fields: [], lists: new Map(), campaigns: new Map([[campaignId, "May"]]) };
      assert.equal(describeRule(rule, names), sentence);
    });
  }

  it("keeps nothing of `machines: false`, which is the default", () => {
    const { rule } = read({ field: "opened", op: "any_of_last", value: 3, machines: false });
    assert.deepEqual(rule, { field: "opened", op: "any_of_last", value: 3 } satisfies Rule);
  });

  it("names the campaigns that it is about, each at its place", () => {
    const { mentions } = read({
      any: [
        { not: { field: "clicked", op: "link", value: link } },
        { field: "sent", op: "campaign", value: campaign },
        { field: "opened", op: "any_of_last", value: 5 },
      ],
    });
    assert.deepEqual(mentions, [
      { campaignId, url, pointer: "/rules/any/0/not/value" },
      { campaignId, url: null, pointer: "/rules/any/1/value" },
    ]);
  });

  it("of a campaign that is gone says so", () => {
    const { rule } = read({ field: "sent", op: "campaign", value: campaign });
    const names = { fields: [], lists: new Map(), campaigns: new Map() };
    assert.equal(describeRule(rule, names), "Was sent the campaign “a deleted campaign”.");
  });
});

const faults: readonly [string, object][] = [
  ["/rules/op invalid_value", { field: "sent", op: "any_of_last", value: 5 }],
  ["/rules/op invalid_value", { field: "opened", op: "link", value: link }],
  ["/rules/op invalid_value", { field: "opened", op: "is_set" }],
  ["/rules/op invalid_value", { field: "opened" }],
  ["/rules/value invalid_value", { field: "opened", op: "any_of_last", value: 0 }],
  ["/rules/value invalid_value", { field: "opened", op: "any_of_last", value: 51 }],
  ["/rules/value invalid_value", { field: "opened", op: "none_of_last", value: "5" }],
  ["/rules/value invalid_value", { field: "clicked", op: "in_last_days", value: 1.5 }],
  ["/rules/value invalid_value", { field: "clicked", op: "not_in_last_days", value: 36_501 }],
  ["/rules/value invalid_value", { field: "sent", op: "campaign", value: "lst_00000000000000000000000000" }],
  ["/rules/value invalid_value", { field: "sent", op: "campaign" }],
  ["/rules/value invalid_type", { field: "clicked", op: "link", value: campaign }],
  ["/rules/value/url invalid_value", { field: "clicked", op: "link", value: { campaign_id: campaign } }],
  [
    "/rules/value/to unknown_field,/rules/value/campaign_id invalid_value",
    { field: "clicked", op: "link", value: { campaign_id: 7, url, to: "x" } },
  ],
  ["/rules/machines unknown_field", { field: "sent", op: "campaign", value: campaign, machines: true }],
  ["/rules/machines unknown_field", { field: "status", op: "is", value: "active", machines: true }],
  ["/rules/machines invalid_type", { field: "opened", op: "any_of_last", value: 5, machines: "yes" }],
  ["/rules/who unknown_field", { field: "opened", op: "any_of_last", value: 5, who: "x" }],
];

describe("a fault of a rule about mail", () => {
  it("is the twenty-first of them", () => {
    const many = Array.from({ length: 21 }, () => ({ field: "opened", op: "any_of_last", value: 5 }));
    assert.ok("rule" in readRules({ any: many.slice(1) }, [], "/rules"));
    const found = readRules({ any: many }, [], "/rules");
    assert.ok("faults" in found);
    assert.deepEqual(
      found.faults.map(({ pointer, code }) => `${pointer} ${code}`),
      ["/rules/any/20 too_many"],
    );
  });

  for (const [expected, input] of faults) {
    it(`is named at its place: ${JSON.stringify(input)}`, () => {
      const found = readRules(input, [], "/rules");
      assert.ok("faults" in found);
      assert.equal(String(found.faults.map(({ pointer, code }) => `${pointer} ${code}`)), expected);
    });
  }
});
