import assert from "node:assert/strict";
import { test } from "node:test";
import { MAILBOX_PROVIDERS, providerOfDomain, providerOfServers } from "./mailbox-providers.ts";

test("a domain of a provider is known by itself", () => {
  assert.equal(providerOfDomain("gmail.com")?.key, "google");
  assert.equal(providerOfDomain("hotmail.co.uk")?.key, "microsoft");
  assert.equal(providerOfDomain("yahoo.co.jp")?.key, "yahoo_japan");
  assert.equal(providerOfDomain("example.org"), undefined);
});

test("a customer's domain is known by its servers, the longest ending first", () => {
  assert.equal(providerOfServers(["aspmx.l.google.com", "alt1.aspmx.l.google.com"])?.key, "google");
  assert.equal(providerOfServers(["example-org.mail.protection.outlook.com"])?.key, "microsoft365");
  assert.equal(providerOfServers(["outlook-com.olc.protection.outlook.com"])?.key, "microsoft");
  assert.equal(providerOfServers(["mx.example.org", "mxa-00.gslb.pphosted.com"])?.key, "proofpoint");
});

test("a name that only ends in the same letters isn't a provider's", () => {
  for (const host of ["notgoogle.com", "google.com.evil.example", "", "com", "."])
    assert.equal(providerOfServers([host]), undefined, host);
});

test("no domain, server or key stands in the table twice, and all are names in lower case", () => {
  const all = MAILBOX_PROVIDERS.flatMap(({ key, domains, mx }) => [
    [`key ${key}`],
    domains.map((one) => `domain ${one}`),
    mx.map((one) => `mx ${one}`),
  ]).flat();
  assert.deepEqual(all.length, new Set(all).size);
  for (const one of all) assert.match(one, /^(?:key [a-z0-9_]+|(?:domain|mx) [a-z0-9-]+(?:\.[a-z0-9-]+)+)$/);
});
