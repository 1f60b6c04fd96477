import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../../problems.ts";
import { parseJsonBody } from "./json-body.ts";

function refusal(bytes: Buffer | string): AppError {
  try {
    parseJsonBody(Buffer.from(bytes));
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  return assert.fail("it was accepted");
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("a JSON body", () => {
  it("is what JSON.parse makes of it", () => {
    const storable = fc.json({ stringUnit: "grapheme" }).filter((text) => !/\\u0000|__proto__/.test(text));
    fc.assert(
      fc.property(storable, (text) => assert.deepEqual(parseJsonBody(Buffer.from(text)), JSON.parse(text))),
    );
  });

  it("is undefined when empty, so that an action needs none", () => {
    assert.equal(parseJsonBody(Buffer.alloc(0)), undefined);
  });

  for (const text of ["{", '{"a":}', "nul", "{'a':1}", '{"a":1}x', " ", "NaN", '"\n"']) {
    it(`is refused as malformed when it is ${JSON.stringify(text)}`, () => {
      assert.equal(refusal(text).problem.code, "malformed_json");
    });
  }

  it("is refused with the place where it breaks, as far as the parser says", () => {
    assert.match(refusal('{\n"a": 1,}').message, /position 9 \(line 2 column 8\)/);
  });

  it("is refused without being quoted", () => {
    assert.equal(refusal('{"email": someone@example.com}').message, "the body isn't valid JSON");
  });

  it("is refused when it isn't UTF-8", () => {
    const latin1 = refusal(Buffer.from('{"name":"Zoë"}', "latin1"));
    assert.deepEqual([latin1.problem.code, latin1.message], ["malformed_json", "the body isn't valid UTF-8"]);
    const utf16 = refusal(Buffer.from('{"name":"x"}', "utf16le"));
    assert.equal(utf16.problem.code, "malformed_json");
    assert.equal(refusal(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])).problem.code, "malformed_json");
  });

  it("may be 32 levels deep and no deeper", () => {
    assert.ok(parseJsonBody(Buffer.from(nested(32))));
    assert.match(refusal(nested(33)).message, /32 levels/);
  });

  it("is refused, and doesn't exhaust the stack, at a depth of a million", () => {
    assert.equal(refusal(nested(1_000_000)).problem.code, "malformed_json");
    assert.equal(refusal('{"a":'.repeat(300_000) + "1" + "}".repeat(300_000)).problem.code, "malformed_json");
  });

  it("is refused where it has what PostgreSQL can't store, every place named", () => {
    const { problem, faults } = refusal(
      '{"name": "a\\u0000b", "tags": ["fine", "\\ud800"], "a/b~c": {"x": "\\udc00y"}, "\\u0000": 1}',
    );
    assert.equal(problem.code, "validation_failed");
    const pointers = faults.map((fault) => fault.pointer).toSorted();
    assert.deepEqual(pointers, ["/\0", "/a~1b~0c/x", "/name", "/tags/1"]);
    assert.deepEqual(new Set(faults.map((fault) => fault.code)), new Set(["invalid_character"]));
  });

  it("may have a whole surrogate pair in it", () => {
    assert.deepEqual(parseJsonBody(Buffer.from('["\\ud83d\\ude00", "😀"]')), ["😀", "😀"]);
  });

  it("is refused with __proto__ as a name at any depth", () => {
    const { faults } = refusal('{"a": [{"__proto__": {"admin": true}}], "__proto__": 1}');
    assert.deepEqual(
      new Set(faults.map((fault) => fault.pointer)),
      new Set(["/a/0/__proto__", "/__proto__"]),
    );
  });

  it("is refused in reasonable time when everything in it is wrong", () => {
    const started = performance.now();
    const { faults } = refusal(JSON.stringify(Array(200_000).fill("\0")));
    assert.equal(faults.length, 100);
    assert.ok(performance.now() - started < 2_000);
  });
});
