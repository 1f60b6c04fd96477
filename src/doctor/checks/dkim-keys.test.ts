import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeDkimKeys } from "./dkim-keys.ts";

const KEY = { domain: "example.org", selector: "mail", file: "/key.pem" };
const [ADA, EVE] = ["acc_01k9zq4t3xe8k8y0v6d3m2n1pq", "acc_01k9zq4t3xe8k8y0v6d3m2n1pr"];

const cases: readonly [Parameters<typeof judgeDkimKeys>[0], string, RegExp][] = [
  [[], "info", /DKIM_KEYS is absent/],
  [[{ ...KEY, accounts: "first" }], "ok", /^the first account signs with mail of example\.org$/],
  [[{ ...KEY, accounts: "all" }], "ok", /^every account signs/],
  [[{ ...KEY, accounts: [ADA] }], "ok", new RegExp(`^${ADA} signs`)],
  [[{ ...KEY, accounts: [ADA, EVE] }], "warn", new RegExp(`^DKIM_KEYS names ${EVE}, which`)],
];

for (const [keys, status, finding] of cases)
  test(`keys for ${JSON.stringify(keys.map(({ accounts }) => accounts))} are ${status}`, () => {
    const judged = judgeDkimKeys(keys, [ADA]);
    assert.equal(judged.status, status);
    assert.match(judged.finding, finding);
    if (status === "warn") assert.ok(judged.remedy);
  });
