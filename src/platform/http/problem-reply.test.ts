import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DbError, type DbErrorKind } from "../db/errors.ts";
import { AppError, commonProblems, defineProblem, invalid, notFound } from "../problems.ts";
import { renderProblem, toAppError } from "./problem-reply.ts";

function frameworkError(code: string): Error {
  return Object.assign(new Error("inside"), { code });
}

describe("an error becomes a problem", () => {
  const cases: [unknown, number, string, string | undefined][] = [
    [new DbError("unavailable", "inside"), 503, "database_unavailable", "2"],
    [new DbError("busy", "inside"), 503, "database_busy", "2"],
    [new DbError("conflict", "inside"), 503, "database_busy", "2"],
    [new DbError("full", "inside"), 503, "storage_full", "2"],
    [new DbError("unique", "inside"), 500, "internal_error", undefined],
    [new DbError("foreign_key", "inside"), 500, "internal_error", undefined],
    [new DbError("other", "inside"), 500, "internal_error", undefined],
    [frameworkError("FST_ERR_CTP_INVALID_MEDIA_TYPE"), 415, "unsupported_media_type", undefined],
    [frameworkError("FST_ERR_CTP_BODY_TOO_LARGE"), 413, "body_too_large", undefined],
    [frameworkError("FST_ERR_CTP_INVALID_CONTENT_LENGTH"), 400, "malformed_request", undefined],
    [frameworkError("FST_ERR_BAD_URL"), 400, "malformed_request", undefined],
    [frameworkError("FST_ERR_MAX_PARAM_LENGTH"), 404, "not_found", undefined],
    [frameworkError("FST_ERR_SOMETHING_NEW"), 500, "internal_error", undefined],
    [new TypeError("inside"), 500, "internal_error", undefined],
    ["inside", 500, "internal_error", undefined],
    [undefined, 500, "internal_error", undefined],
    [null, 500, "internal_error", undefined],
  ];
  for (const [error, status, code, retryAfter] of cases) {
    const name = error instanceof DbError ? `DbError ${error.kind}` : (error as { code?: string })?.code;
    it(`${status} ${code} from ${name ?? String(error)}, showing nothing of the inside`, () => {
      const known = toAppError(error);
      assert.deepEqual([known.problem.status, known.problem.code], [status, code]);
      assert.equal(known.headers["retry-after"], retryAfter);
      assert.doesNotMatch(known.message, /inside/);
    });
  }

  it("and a refusal of ours stays what it is", () => {
    const refusal = new AppError(notFound, "there is no such thing");
    assert.equal(toAppError(refusal), refusal);
  });

  it("for every kind of database error", () => {
    const kinds: Record<DbErrorKind, true> = {
      unavailable: true,
      busy: true,
      full: true,
      unique: true,
      foreign_key: true,
      conflict: true,
      other: true,
    };
    const tested: string[] = cases.map(([error]) => (error instanceof DbError ? error.kind : ""));
    assert.deepEqual(
      Object.keys(kinds).filter((kind) => !tested.includes(kind)),
      [],
    );
  });
});

describe("a rendered problem", () => {
  const teapot = defineProblem(418, "teapot", "A teapot", "It can't brew.");

  it("has the members of RFC 9457 and ours", () => {
    const reply = renderProblem(new AppError(teapot, "short and stout"), "https://mail.example", "req_1");
    assert.equal(reply.status, 418);
    assert.equal(reply.headers["content-type"], "application/problem+json; charset=utf-8");
    assert.deepEqual(JSON.parse(reply.body), {
      type: "https://mail.example/docs/errors/teapot",
      title: "A teapot",
      status: 418,
      detail: "short and stout",
      code: "teapot",
      request_id: "req_1",
    });
  });

  it("has further members and headers where the refusal brings them", () => {
    const error = new AppError(teapot, "x", {
      members: { spout: true },
      headers: { "retry-after": "5" },
      faults: [{ pointer: "/lid", code: "required", detail: "is required" }],
    });
    const reply = renderProblem(error, "", "");
    const body = JSON.parse(reply.body);
    assert.equal(body.spout, true);
    assert.deepEqual(body.errors, [{ pointer: "/lid", code: "required", detail: "is required" }]);
    assert.equal(reply.headers["retry-after"], "5");
  });

  it("counts its faults", () => {
    const fault = { pointer: "/a", code: "required", detail: "is required" };
    assert.match(invalid(fault).message, /^one field is wrong/);
    assert.match(invalid(fault, fault).message, /^2 fields are wrong/);
  });
});

describe("the catalogue of problems", () => {
  it("has each code once, in snake case, with an error's status and a sentence", () => {
    const codes = commonProblems.map((problem) => problem.code);
    assert.equal(new Set(codes).size, codes.length);
    for (const { code, status, title, meaning } of commonProblems) {
      assert.match(code, /^[a-z]+(_[a-z]+)*$/);
      assert.ok(status >= 400 && status < 600, code);
      assert.ok(title.length > 0 && /\.$/.test(meaning), code);
    }
  });
});
