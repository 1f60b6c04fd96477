import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSecrets } from "./secrets.ts";

const OLD = "the old secret key, of 32 characters and more";
const NEW = "the new secret key, of 32 characters and more";
const before = createSecrets([OLD]);
const during = createSecrets([NEW, OLD]);
const afterwards = createSecrets([NEW]);

describe("sealed values", () => {
  it("open to what was sealed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
        const sealed = before.seal("idempotency-answer", plain, context);
        assert.equal(before.open("idempotency-answer", sealed, context), plain);
      }),
    );
  });

  it("show nothing of their content and are never the same twice", () => {
    const sealed = before.seal("idempotency-answer", "someone@example.com", "row 1");
    assert.ok(!sealed.includes("someone"));
    assert.ok(!sealed.equals(before.seal("idempotency-answer", "someone@example.com", "row 1")));
  });

  it("don't open in another row, for another purpose or under another key", () => {
    const sealed = before.seal("idempotency-answer", "plain", "row 1");
    assert.equal(before.open("idempotency-answer", sealed, "row 2"), undefined);
    assert.equal(before.open("cursor", sealed, "row 1"), undefined);
    assert.equal(afterwards.open("idempotency-answer", sealed, "row 1"), undefined);
  });

  it("are sealed anew under the current key, once, and then outlast the old one", () => {
    const sealed = before.seal("transport", "plain", "row 1");
    const anew = during.reseal("transport", sealed, "row 1");
    assert.ok(anew);
    assert.equal(afterwards.open("transport", anew, "row 1"), "plain");
    assert.equal(during.reseal("transport", anew, "row 1"), undefined);
    assert.equal(during.reseal("transport", sealed, "row 2"), undefined);
    assert.equal(before.reseal("transport", sealed, "row 1"), undefined);
  });

  it("don't open when any byte is changed", () => {
    const sealed = before.seal("idempotency-answer", "plain", "row 1");
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      assert.equal(before.open("idempotency-answer", changed, "row 1"), undefined, `byte ${i}`);
    }
  });

  it("don't open, and throw nothing, when they are cut short", () => {
    const sealed = before.seal("idempotency-answer", "", "row 1");
    for (let length = 0; length < sealed.length; length++) {
      assert.equal(before.open("idempotency-answer", sealed.subarray(0, length), "row 1"), undefined);
    }
  });

  it("of the old key open while a rotation lasts, and new ones need the new key", () => {
    const old = before.seal("idempotency-answer", "plain", "row 1");
    assert.equal(during.open("idempotency-answer", old, "row 1"), "plain");
    const fresh = during.seal("idempotency-answer", "plain", "row 1");
    assert.equal(before.open("idempotency-answer", fresh, "row 1"), undefined);
    assert.equal(afterwards.open("idempotency-answer", fresh, "row 1"), "plain");
  });
});

describe("macs", () => {
  it("tell apart parts whose joined text is the same", () => {
    const parts = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        assert.ok(!before.verify("cursor", before.mac("cursor", ...a), ...b));
      }),
    );
    const split = before.mac("cursor", "ab", "c");
    assert.ok(!split.equals(before.mac("cursor", "a", "bc")));
    assert.ok(!split.equals(before.mac("cursor", 'ab","c')));
  });

  it("are good for one purpose only", () => {
    const mac = before.mac("cursor", "x");
    assert.ok(before.verify("cursor", mac, "x"));
    assert.ok(!before.verify("idempotency-key", mac, "x"));
  });

  it("are refused when they are cut short", () => {
    const mac = before.mac("cursor", "x");
    for (let length = 0; length < mac.length; length++) {
      assert.ok(!before.verify("cursor", mac.subarray(0, length), "x"));
    }
  });

  it("of the old key are good while a rotation lasts, and are no longer made", () => {
    assert.ok(during.verify("cursor", before.mac("cursor", "x"), "x"));
    assert.ok(during.mac("cursor", "x").equals(afterwards.mac("cursor", "x")));
    assert.ok(!afterwards.verify("cursor", before.mac("cursor", "x"), "x"));
  });

  it("of every key are there to look by, the current one first", () => {
    assert.deepEqual(during.macs("cursor", "x"), [during.mac("cursor", "x"), before.mac("cursor", "x")]);
  });
});

describe("fingerprints", () => {
  it("name each key, the current one first, without showing it", () => {
    assert.deepEqual(during.fingerprints, [...afterwards.fingerprints, ...before.fingerprints]);
    assert.notEqual(before.fingerprints[0], afterwards.fingerprints[0]);
    assert.match(String(before.fingerprints[0]), /^[0-9a-f]{32}$/);
  });
});
