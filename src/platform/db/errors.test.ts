import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DbError, isUniqueViolation, toDbError } from "./errors.ts";

function driverError(code: string, message = "driver's words", constraint?: string): Error {
  return Object.assign(new Error(message), { code, detail: "Key (email)=(someone@example.com)", constraint });
}

describe("a driver's error", () => {
  const byState: [string, string][] = [
    ["23505", "unique"],
    ["23503", "foreign_key"],
    ["40001", "conflict"],
    ["40P01", "conflict"],
    ["53100", "full"],
    ["53300", "unavailable"],
    ["53200", "unavailable"],
    ["57014", "busy"],
    ["55P03", "busy"],
    ["57P01", "unavailable"],
    ["57P02", "unavailable"],
    ["57P03", "unavailable"],
    ["08006", "unavailable"],
    ["08P01", "unavailable"],
    ["25006", "unavailable"],
    ["25P03", "unavailable"],
    ["42P01", "other"],
    ["22P02", "other"],
    ["23514", "other"],
    ["ECONNREFUSED", "unavailable"],
    ["ECONNRESET", "unavailable"],
    ["EPIPE", "unavailable"],
    ["ETIMEDOUT", "unavailable"],
    ["ENOTFOUND", "unavailable"],
    ["EAI_AGAIN", "unavailable"],
    ["ENOENT", "unavailable"],
  ];
  for (const [code, kind] of byState) {
    it(`of ${code} is of the kind ${kind}`, () => {
      const known = toDbError(driverError(code));
      assert.ok(known instanceof DbError);
      assert.deepEqual([known.kind, known.sqlState], [kind, code]);
    });
  }

  // These messages of pg and pg-pool come without a code.
  const lost = [
    "Connection terminated unexpectedly",
    "Connection terminated due to connection timeout",
    "Client has encountered a connection error and is not queryable",
    "Client was closed and is not queryable",
    "timeout exceeded when trying to connect",
    "timeout expired",
    "Query read timeout",
    "Cannot use a pool after calling end on the pool",
  ];
  for (const message of lost) {
    it(`that says “${message}” is of the kind unavailable`, () => {
      const known = toDbError(new Error(message));
      assert.ok(known instanceof DbError);
      assert.equal(known.kind, "unavailable");
    });
  }

  it("of every address of a host at once is of the kind unavailable", () => {
    const known = toDbError(new AggregateError([driverError("ECONNREFUSED")]));
    assert.equal((known as DbError).kind, "unavailable");
  });

  it("loses its detail, which quotes a row", () => {
    const known = toDbError(driverError("23505", "duplicate key", "lists_by_name"));
    assert.doesNotMatch(JSON.stringify({ ...known, message: known.message }), /someone/);
    assert.ok(isUniqueViolation(known, "lists_by_name"));
    assert.ok(!isUniqueViolation(known, "other"));
  });

  it("that is a bug of ours passes unchanged", () => {
    for (const bug of [new TypeError("x is not a function"), driverError("ERR_INVALID_ARG_TYPE")]) {
      assert.equal(toDbError(bug), bug);
    }
    const known = new DbError("busy", "x");
    assert.equal(toDbError(known), known);
  });
});
