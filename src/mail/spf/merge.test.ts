import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeSpf } from "./merge.ts";

const cases: readonly [readonly string[], readonly string[], string][] = [
  [[], ["include:amazonses.com"], "v=spf1 include:amazonses.com ~all"],
  [["v=spf1 mx -all"], ["ip4:192.0.2.1"], "v=spf1 mx ip4:192.0.2.1 -all"],
  [["v=spf1 mx -all", "v=spf1 a mx ~all"], [], "v=spf1 mx a ~all"],
  [["v=spf1 INCLUDE:a.test -all"], ["include:A.test"], "v=spf1 INCLUDE:a.test -all"],
  [["v=spf1 redirect=_spf.a.test"], ["ip4:192.0.2.1"], "v=spf1 ip4:192.0.2.1 redirect=_spf.a.test"],
  [["v=spf1 redirect=_spf.a.test", "v=spf1 mx -all"], [], "v=spf1 include:_spf.a.test mx -all"],
  [["v=spf1 redirect=a.test", "v=spf1 redirect=b.test"], [], "v=spf1 include:a.test include:b.test"],
  [["v=spf1 ipv4:192.0.2.9 mx exp=why.a.test -all"], [], "v=spf1 mx -all exp=why.a.test"],
  [["v=spf1  a   mx"], [], "v=spf1 a mx"],
];
for (const [records, needed, merged] of cases)
  test(`${JSON.stringify(records)} with ${JSON.stringify(needed)} is ${merged}`, () => {
    assert.equal(mergeSpf(records, needed), merged);
  });
