import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../problems.ts";
import { etagOf, isUnchanged, requireMatch } from "./etag.ts";

const CURRENT = etagOf({ name: "Acme" });

describe("an ETag", () => {
  it("is a quoted text that changes with any value", () => {
    assert.match(CURRENT, /^"[\w-]{22}"$/);
    assert.equal(etagOf({ name: "Acme" }), CURRENT);
    assert.notEqual(etagOf({ name: "Acme " }), CURRENT);
    assert.notEqual(etagOf({ name: null }), etagOf({ name: "null" }));
  });
});

describe("If-Match", () => {
  const good = [undefined, "*", " * ", CURRENT, `"other", ${CURRENT}`, `${CURRENT},"other"`];
  for (const header of good) {
    it(`lets ${header ?? "its absence"} pass`, () => requireMatch(header, CURRENT));
  }
  // The strong comparison never matches a weak tag (RFC 9110 §13.1.1).
  const bad = ["", '"other"', CURRENT.slice(1, -1), `W/${CURRENT}`, `${CURRENT}x`, "**"];
  for (const header of bad) {
    it(`refuses ${JSON.stringify(header)} with the present tag`, () => {
      assert.throws(
        () => requireMatch(header, CURRENT),
        (error) =>
          error instanceof AppError &&
          error.problem.code === "precondition_failed" &&
          error.headers["etag"] === CURRENT,
      );
    });
  }
});

describe("If-None-Match", () => {
  const cases: [string | undefined, boolean][] = [
    [undefined, false],
    ["", false],
    ['"other"', false],
    [CURRENT, true],
    ["*", true],
    [`W/${CURRENT}`, true],
    [`"other", W/${CURRENT}`, true],
  ];
  for (const [header, unchanged] of cases) {
    it(`takes ${header} for ${unchanged ? "unchanged" : "changed"}`, () => {
      assert.equal(isUnchanged(header, CURRENT), unchanged);
    });
  }
});
