import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { browsers } from "./browsers.fixture.ts";
import { aHit, chrome } from "./hit.fixture.ts";
import { judgeHit } from "./machines.ts";
import { mailClients } from "./mail-clients.fixture.ts";
import { readUserAgent } from "./user-agents.ts";

for (const [name, sources] of Object.entries({ mailClients, browsers })) {
  test(`no user agent of ${name} is taken for a machine`, () => {
    const taken = sources
      .flatMap(({ userAgents }) => userAgents)
      .filter((userAgent) => judgeHit(aHit({ kind: "open", userAgent })).machine);
    assert.deepEqual(taken, []);
  });
}

test("what lies beyond the first kilobyte is not looked at", () => {
  assert.equal(readUserAgent(`${chrome}${" ".repeat(2_000)}Googlebot`).kind, "person");
  assert.equal(readUserAgent(" ".repeat(65_536)).kind, "missing");
});

test("whatever is sent is answered, in bounded time", () => {
  const parts = fc.constantFrom(
    ..."Mozilla/5.0 ( ) ; / @ a@b. http: www. . Android 1; zh-cn; AppleWebKit/ (KHTML, like Gecko bot google Gecko/1".split(
      " ",
    ),
    " ",
    "\0",
    "\n",
    "é",
    "\ud800",
    "𝒷𝑜𝓉",
  );
  const strange = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2_000 }),
    fc.array(parts, { maxLength: 400 }).map((all) => all.join("")),
    fc
      .tuple(parts, parts, fc.nat(20_000))
      .map(([one, other, times]) => (one + other).repeat(times).slice(0, 65_536)),
  );
  fc.assert(
    fc.property(
      strange,
      strange,
      fc.constantFrom<"open" | "click">("open", "click"),
      (userAgent, header, kind) => {
        const started = performance.now();
        const judgement = judgeHit(aHit({ kind, userAgent, address: header, headers: { purpose: header } }));
        // It takes 2 ms at most. The rest is for a machine that is busy; an expression that backtracks takes far longer.
        assert.ok(performance.now() - started < 1_000);
        assert.equal(typeof judgement.machine, "boolean");
      },
    ),
    { numRuns: 500 },
  );
});
