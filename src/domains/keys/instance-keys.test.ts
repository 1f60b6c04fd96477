import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { it } from "node:test";
import { type DkimKey, loadDkimKey } from "../../mail/dkim/dkim.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { createInstanceKeys, type InstanceKey } from "./instance-keys.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;

function keyOf(domain: string, selector = "mail"): DkimKey {
  const loaded = loadDkimKey({ domain, selector, pem });
  assert.ok(loaded.ok);
  return loaded.key;
}

const [ADA, EVE] = ["0199a0b1-0000-7000-8000-000000000001", "0199a0b1-0000-7000-8000-000000000002"];

/** Answers any statement with the one account that is the first. */
const first = { maybeOne: async () => ({ account_id: ADA }) } as unknown as Queryable;

async function found(keys: readonly InstanceKey[], accountId: string, domain: string): Promise<string[]> {
  const some = await createInstanceKeys(keys)(first, accountId, domain);
  return some.map((key) => `${key.selector} ${key.domain}`);
}

it("a key signs for its domain and for those below it that have no nearer one, and for no others", async () => {
  const all = ["example.org", "mail.example.org", "other.example"].map((domain) => ({
    key: keyOf(domain),
    accounts: "all" as const,
  }));
  assert.deepEqual(await found(all, EVE, "eu.mail.example.org"), ["mail mail.example.org"]);
  assert.deepEqual(await found(all, EVE, "example.org"), ["mail example.org"]);
  assert.deepEqual(await found(all, EVE, "notexample.org"), []);
  assert.deepEqual(await found(all, EVE, "org"), []);
});

it("an account signs with the keys that it may use, and another's key doesn't stand in its way", async () => {
  const keys: readonly InstanceKey[] = [
    { key: keyOf("example.org", "first"), accounts: "first" },
    { key: keyOf("example.org", "named"), accounts: [EVE] },
    { key: keyOf("eu.example.org", "near"), accounts: [ADA] },
  ];
  assert.deepEqual(await found(keys, ADA, "example.org"), ["first example.org"]);
  assert.deepEqual(await found(keys, EVE, "example.org"), ["named example.org"]);
  assert.deepEqual(await found(keys, ADA, "eu.example.org"), ["near eu.example.org"]);
  assert.deepEqual(await found(keys, EVE, "eu.example.org"), ["named example.org"]);
  assert.deepEqual(await found(keys, "0199a0b1-0000-7000-8000-000000000003", "example.org"), []);
});
