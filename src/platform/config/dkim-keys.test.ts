import assert from "node:assert/strict";
import { test } from "node:test";
import { config } from "./settings.ts";

const ADA = "acc_01k9zq4t3xe8k8y0v6d3m2n1pq";
const EVE = "acc_01k9zq4t3xe8k8y0v6d3m2n1pr";
const { parse } = config.dkimKeys;

test("DKIM_KEYS names the accounts that may use each key: some, all, or else the first", () => {
  const text = `example.org:mail:/a.pem, example.net:two:/b.pem=*,example.com:x:/c.pem=${ADA}+${EVE}`;
  assert.deepEqual(parse(text), [
    { domain: "example.org", selector: "mail", file: "/a.pem", accounts: "first" },
    { domain: "example.net", selector: "two", file: "/b.pem", accounts: "all" },
    { domain: "example.com", selector: "x", file: "/c.pem", accounts: [ADA, EVE] },
  ]);
});

const faults: readonly [string, RegExp][] = [
  ["example.org:mail", /must look like/],
  ["example.org:mail:=*", /must look like/],
  ["example.org:mail:/a.pem=", /names "" behind =/],
  [`example.org:mail:/a.pem=${ADA}+`, /names "" behind =/],
  ["example.org:mail:/a.pem=all", /names "all" behind =.*acc_… with \+ between several, or \* for all/],
  [`example.org:mail:/a.pem=${ADA} ${EVE}`, /no id of an account/],
  [`example.org:mail:/a.pem=*+${ADA}`, /names "\*" behind =/],
];

for (const [text, told] of faults) test(`${text} is refused`, () => assert.throws(() => parse(text), told));
