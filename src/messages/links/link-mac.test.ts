import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { createMac } from "./link-mac.ts";

describe("the MAC of links", () => {
  it("is the HMAC that Node makes, for keys up to a block and data of any length", () => {
    for (let keyBytes = 0; keyBytes <= 64; keyBytes += 8) {
      for (const dataBytes of [0, 1, 49, 55, 56, 64, 200]) {
        const key = randomBytes(keyBytes);
        const macOf = createMac(key, dataBytes);
        for (let time = 0; time < 3; time++) {
          const data = randomBytes(dataBytes);
          assert.equal(macOf(data), createHmac("sha256", key).update(data).digest("latin1"));
        }
      }
    }
  });

  it("is refused for a key longer than a block, and for data of another length", () => {
    assert.throws(() => createMac(randomBytes(65), 49), TypeError);
    assert.throws(() => createMac(randomBytes(32), 49)(randomBytes(48)), TypeError);
  });
});
