import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { TypeID } from "typeid-js";
import { createTestClock } from "../../test/support/clock.ts";
import { fromPublicId, newId, toPublicId } from "./ids.ts";

describe("ids", () => {
  it("come back from their public form unchanged", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom("acc", "key", "sub"), (uuid, prefix) => {
        const text = toPublicId(prefix, uuid);
        assert.match(text, new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
        assert.equal(fromPublicId(prefix, text), uuid);
      }),
    );
  });

  it("have the public form that TypeID defines", () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        assert.equal(toPublicId("key", uuid), TypeID.fromUUID("key", uuid).toString());
        assert.equal(toPublicId("key", uuid.toUpperCase()), TypeID.fromUUID("key", uuid).toString());
      }),
    );
  });

  it("are refused without an error, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.equal(fromPublicId("key", text), undefined);
        assert.equal(fromPublicId("key", `key_${text}`.slice(0, 29)), undefined);
      }),
    );
  });

  const good = toPublicId("key", "019a8000-0000-7000-8000-000000000000");
  const malformed: Record<string, string> = {
    "another prefix": good.replace("key", "acc"),
    "no prefix": good.slice(4),
    "upper case": good.toUpperCase(),
    "a character too few": good.slice(0, -1),
    "a character too many": `${good}0`,
    "a line break after it": `${good}\n`,
    "over 128 bits": `key_8${"z".repeat(25)}`,
    "a letter that base 32 leaves out": `key_01${"u".repeat(24)}`,
    "the bare uuid": "019a8000-0000-7000-8000-000000000000",
    nothing: "",
  };
  for (const [what, text] of Object.entries(malformed)) {
    it(`are refused with ${what}`, () => assert.equal(fromPublicId("key", text), undefined));
  }

  it("are of version 7, and carry and sort by the clock's time", () => {
    const clock = createTestClock(new Date("2026-11-14T09:30:00.123Z"));
    const made = [];
    for (let i = 0; i < 50; i++) {
      const id = newId(clock);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(Number.parseInt(id.slice(0, 13).replace("-", ""), 16), clock.now().getTime());
      made.push(id);
      clock.advance(1);
    }
    assert.deepEqual(made.toSorted(), made);
  });

  it("differ within a millisecond", () => {
    const clock = createTestClock();
    assert.equal(new Set(Array.from({ length: 1_000 }, () => newId(clock))).size, 1_000);
  });
});
