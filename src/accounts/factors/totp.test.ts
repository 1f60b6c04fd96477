import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Secret, TOTP, URI } from "otpauth";
import { codeAt, SECRET_BYTES, stepAt, stepOfCode, toBase32, totpUri } from "./totp.ts";

const oracleOf = (secret: Buffer) =>
  new TOTP({ algorithm: "SHA1", digits: 6, period: 30, secret: Secret.fromBase32(toBase32(secret)) });

describe("a time-based code", () => {
  it("is that of RFC 6238, appendix B, to six digits", () => {
    const secret = Buffer.from("12345678901234567890");
    const table: [seconds: number, code: string][] = [
      [59, "287082"],
      [1_111_111_109, "081804"],
      [1_111_111_111, "050471"],
      [1_234_567_890, "005924"],
      [2_000_000_000, "279037"],
      [20_000_000_000, "353130"],
    ];
    for (const [seconds, code] of table) {
      assert.equal(codeAt(secret, stepAt(new Date(seconds * 1_000))), code);
    }
  });

  it("is what another implementation makes and takes, of any secret at any time", () => {
    const bytes = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES });
    const times = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(bytes, times, (some, seconds) => {
        const secret = Buffer.from(some);
        const now = new Date(seconds * 1_000);
        const oracle = oracleOf(secret);
        const code = codeAt(secret, stepAt(now));
        assert.equal(code, oracle.generate({ timestamp: now.getTime() }));
        assert.equal(oracle.validate({ token: code, timestamp: now.getTime(), window: 0 }), 0);
        assert.notEqual(stepOfCode(secret, code, now), undefined);
      }),
    );
  });

  it("is taken one step early or late, and not two", () => {
    const secret = randomBytes(SECRET_BYTES);
    const now = new Date("2026-11-17T12:00:00Z");
    const step = stepAt(now);
    const codes = [-2, -1, 0, 1, 2].map((shift) => codeAt(secret, step + shift));
    assert.equal(new Set(codes).size, 5, "five codes that differ, or the draw was unlucky");
    assert.deepEqual(
      codes.map((code) => stepOfCode(secret, code, now)),
      [undefined, step - 1, step, step + 1, undefined],
    );
  });

  it("has six digits of ASCII, and nothing around them", () => {
    const secret = Buffer.from("12345678901234567890");
    const now = new Date(59_000);
    assert.equal(stepOfCode(secret, "287082", now), 1);
    const wrong = [
      "94287082",
      "0287082",
      "28708",
      "",
      " 287082",
      "287082\n",
      "٢٨٧٠٨٢",
      "２８７０８２",
      "287082\0",
      "+28708",
    ];
    for (const code of wrong) assert.equal(stepOfCode(secret, code, now), undefined, JSON.stringify(code));
  });
});

describe("a secret", () => {
  it("is written as another implementation writes it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 40 }), (bytes) => {
        const text = toBase32(Buffer.from(bytes));
        assert.equal(text, new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32);
      }),
    );
  });

  it("stands in an address that another implementation reads", () => {
    const secret = randomBytes(SECRET_BYTES);
    const read = URI.parse(totpUri(secret, { issuer: "Post & Co rider", email: "jane+news@example.com" }));
    assert.ok(read instanceof TOTP);
    assert.deepEqual(
      [read.secret.base32, read.issuer, read.label, read.digits, read.period, read.algorithm],
      [toBase32(secret), "Post & Co rider", "jane+news@example.com", 6, 30, "SHA1"],
    );
  });
});
