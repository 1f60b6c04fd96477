import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../platform/problems.ts";
import { createPasswords, isOutdated, passwordFault } from "./passwords.ts";

const passwords = createPasswords();

describe("a password", () => {
  for (const [password, code, what] of [
    ["ten chars!", undefined, "of 10 characters is accepted"],
    ["nine char", "too_short", "of 9 is too short"],
    ["密码密码密码密码密码", undefined, "may be of any script"],
    ["😀".repeat(9), "too_short", "is counted in characters, not in UTF-16 units"],
    ["e\u0301".repeat(9), "too_short", "is counted after composition"],
    ["\ufb01".repeat(5), undefined, "is counted after compatibility mapping"],
    ["x".repeat(200), undefined, "of 200 characters is accepted"],
    ["x".repeat(201), "too_long", "of 201 is too long"],
    ["\ufdfa".repeat(12), "too_long", "can't hide its length in one sign for many letters"],
    ["Jane@Example.COM", "same_as_email", "must not be the e-mail address"],
    ["Jane@Example.COM!", undefined, "may contain it"],
  ] as const) {
    it(what, () => assert.equal(passwordFault(password, "jane@example.com")?.code, code));
  }

  it("is verified against its own hash only", async () => {
    const hash = await passwords.hash("correct horse battery staple");
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.equal(await passwords.verify("correct horse battery staple", hash), true);
    assert.equal(await passwords.verify("correct horse battery staplf", hash), false);
    assert.equal(await passwords.verify("", hash), false);
    assert.notEqual(await passwords.hash("correct horse battery staple"), hash, "each has a salt of its own");
    assert.equal(isOutdated(hash), false);
  });

  it("is the same from every keyboard", async () => {
    const hash = await passwords.hash("p\u00e4ssw\u00f6rd \ufb01ne");
    assert.equal(await passwords.verify("pa\u0308sswo\u0308rd fine", hash), true);
  });

  it("is verified at the cost that its hash names", async () => {
    // This hash was made by `argon2Sync("argon2id", …)` with 64 KiB and one pass.
    const hash =
      "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$aq42HBL+IPAitHspChw/8mx5JRX2jFDkTmlsBskwH/0";
    assert.equal(await passwords.verify("correct horse battery staple", hash), true);
    assert.equal(isOutdated(hash), true);
  });

  it("of nobody is never right", async () => {
    assert.equal(await passwords.verify("anything at all", null), false);
    assert.equal(await passwords.verify("anything at all", undefined), false);
  });

  it("takes as long to refuse for nobody as for somebody", async () => {
    const hash = await passwords.hash("correct horse battery staple");
    const known: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 7; i++) {
      known.push(await processorTimeOf(() => passwords.verify("a wrong password", hash)));
      unknown.push(await processorTimeOf(() => passwords.verify("a wrong password", undefined)));
    }
    const ratio = median(unknown) / median(known);
    assert.ok(ratio > 0.5 && ratio < 2, `unknown takes ${ratio} of known`);
  });
});

describe("hashing", () => {
  it("refuses what is beyond its queue, and works on", async () => {
    const few = createPasswords({ atOnce: 1, mostWaiting: 2 });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => few.verify("x", null)));
    const refused = results.filter((result) => result.status === "rejected");
    assert.equal(refused.length, 3);
    for (const { reason } of refused) {
      assert.ok(reason instanceof AppError && reason.problem.code === "sign_in_busy");
      assert.equal(reason.headers["retry-after"], "2");
    }
    assert.equal(await few.verify("x", null), false);
  });

  it("goes on after one that fails", async () => {
    const few = createPasswords({ atOnce: 1, mostWaiting: 2 });
    await assert.rejects(few.verify("x", "no hash"), /no argon2id/);
    assert.equal(await few.verify("x", null), false);
  });
});

/** What else runs on the machine doesn't count, as it would by the clock; what hashes in another thread of this process does. */
async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
