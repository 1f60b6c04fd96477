import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadDkimKey, publicKeyRecord } from "../../mail/dkim/dkim.ts";
import { systemClock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { makeKeys, openDomainKey, resealDomainKey } from "./keys.ts";

const OLD = "an old secret key of 32 characters or more";
const NEW = "a new secret key of 32 characters or more!";
const secrets = createSecrets([OLD]);
const domain = { account_id: newId(systemClock), id: newId(systemClock), name: "example.com" };

describe("the keys of a domain", () => {
  it("are sealed for their own row, and what is published belongs to what is sealed", async () => {
    const made = await makeKeys({ secrets, clock: systemClock }, domain, ["rsa", "ed25519"]);
    assert.deepEqual(
      made.map(({ algorithm }) => algorithm),
      ["rsa", "ed25519"],
    );
    for (const key of made) {
      assert.match(key.selector, /^pr[a-z2-7]{10}$/);
      const place = { account_id: domain.account_id, domain_id: domain.id, id: key.id };
      const pem = openDomainKey(secrets, place, key.private_key) ?? "";
      const loaded = loadDkimKey({ domain: domain.name, selector: key.selector, pem });
      assert.ok(loaded.ok);
      assert.equal(publicKeyRecord(loaded.key), key.public_record);
      assert.equal(openDomainKey(secrets, { ...place, domain_id: key.id }, key.private_key), undefined);
      assert.ok(!key.private_key.toString("latin1").includes("PRIVATE KEY"));
    }
    const [rsa, ed] = made;
    assert.ok(rsa && ed && rsa.selector !== ed.selector);
    // 2048 bits.
    assert.equal(rsa.public_record.length, "v=DKIM1; k=rsa; p=".length + 392);
  });

  it("outlast a rotation of SECRET_KEY", async () => {
    const [key] = await makeKeys({ secrets, clock: systemClock }, domain, ["ed25519"]);
    assert.ok(key);
    const place = { account_id: domain.account_id, domain_id: domain.id, id: key.id };
    const anew = resealDomainKey(createSecrets([NEW, OLD]), place, key.private_key);
    assert.ok(anew);
    const pem = openDomainKey(secrets, place, key.private_key);
    assert.equal(openDomainKey(createSecrets([NEW]), place, anew), pem);
    assert.equal(resealDomainKey(createSecrets([NEW]), place, anew), undefined);
  });
});
