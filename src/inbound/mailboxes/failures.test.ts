import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { conceal, failureOf, isFailing } from "./failures.ts";
import { waitAfterFailure, waitAfterSuccess } from "./pace.ts";

describe("a failure", () => {
  it("is named and told in words", () => {
    const named = (clues: object) => failureOf(Object.assign(new Error("x"), clues)).code;
    assert.equal(named({ code: "ECONNREFUSED" }), "unreachable");
    assert.equal(named({ code: "ENOTFOUND" }), "unresolved");
    assert.equal(named({ code: "CERT_HAS_EXPIRED" }), "certificate");
    assert.equal(named({ code: "ERR_TLS_CERT_ALTNAME_INVALID" }), "certificate");
    assert.equal(named({ code: "DEPTH_ZERO_SELF_SIGNED_CERT", tlsFailed: true }), "certificate");
    assert.equal(named({ code: "ERR_SSL_WRONG_VERSION_NUMBER" }), "tls");
    assert.equal(named({ authenticationFailed: true, responseText: "no" }), "sign_in");
    assert.equal(named({ code: "toString" }), "protocol");
    assert.equal(failureOf(undefined).code, "protocol");
  });

  it("quotes the server in one short line", () => {
    const { text } = failureOf({
      authenticationFailed: true,
      responseText: `a\r\n\u0000\u202eb ${"x".repeat(9_999)}`,
    });
    assert.match(text, /It said: a b x+$/);
    assert.ok(text.length < 500, String(text.length));
  });

  it("doesn't show the password, plain or in base64", () => {
    const said = `hunter2 ${Buffer.from("hunter2").toString("base64")}`;
    assert.equal(conceal({ code: "sign_in", text: said }, "hunter2").text, "*** ***");
  });

  it("is news at once where waiting doesn't mend it, and else the third time", () => {
    assert.ok(isFailing("sign_in", 1));
    assert.ok(isFailing("certificate", 1));
    assert.ok(!isFailing("closed", 2));
    assert.ok(isFailing("closed", 3));
  });

  it("is waited after for longer and longer, an hour at most, and not by all at once", () => {
    assert.equal(waitAfterFailure("closed", 1, 0.5), 30_000);
    assert.equal(waitAfterFailure("closed", 2, 0.5), 60_000);
    assert.equal(waitAfterFailure("sign_in", 1, 0.5), 300_000);
    assert.equal(waitAfterFailure("closed", 1_000_000, 0.5), 3_600_000);
    assert.equal(waitAfterFailure("closed", 1, 0), 24_000);
    assert.ok(waitAfterSuccess(0) < waitAfterSuccess(0.9));
  });
});
