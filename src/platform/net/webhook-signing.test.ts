import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { newSecret, signedHeaders, signingKey } from "./webhook-signing.ts";

const ID = "evt_01k9zq4t3xe8k8y0v6d3m2n1pq";
const BODY = Buffer.from(JSON.stringify({ id: ID, data: { name: "Zoë 🦊" } }));

describe("a signature", () => {
  it("is one that Standard Webhooks verifies", () => {
    const secret = newSecret();
    const headers = { ...signedHeaders([signingKey(secret)], ID, new Date(), BODY) };
    assert.deepEqual(new Webhook(secret).verify(BODY.toString(), headers), JSON.parse(BODY.toString()));
  });

  it("is the very one that Standard Webhooks makes", () => {
    const secret = newSecret();
    const at = new Date(1_700_000_000_999);
    const theirs = new Webhook(secret).sign(ID, at, BODY.toString());
    assert.equal(signedHeaders([signingKey(secret)], ID, at, BODY)["webhook-signature"], theirs);
    assert.equal(signedHeaders([signingKey(secret)], ID, at, BODY)["webhook-timestamp"], "1700000000");
  });

  it("is there for each live secret, and verified by either", () => {
    const [one, two, other] = [newSecret(), newSecret(), newSecret()];
    const headers = { ...signedHeaders([one, two].map(signingKey), ID, new Date(), BODY) };
    for (const secret of [one, two]) new Webhook(secret).verify(BODY.toString(), headers);
    assert.throws(() => new Webhook(other).verify(BODY.toString(), headers));
  });

  it("holds for this body, id and time alone", () => {
    const secret = newSecret();
    const headers = { ...signedHeaders([signingKey(secret)], ID, new Date(), BODY) };
    const verify = (text: string, more = {}) => new Webhook(secret).verify(text, { ...headers, ...more });
    verify(BODY.toString());
    assert.throws(() => verify(`${BODY} `));
    assert.throws(() => verify(BODY.toString(), { "webhook-id": "evt_other" }));
    const earlier = String(Number(headers["webhook-timestamp"]) - 1);
    assert.throws(() => verify(BODY.toString(), { "webhook-timestamp": earlier }));
  });

  it("is made with 32 random bytes", () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    assert.equal(new Set(secrets).size, 100);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_/);
      assert.equal(Buffer.from(secret.slice(6), "base64").length, 32);
    }
  });
});
