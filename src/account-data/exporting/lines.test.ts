import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exported } from "../tables/table.ts";
import { lineWriter, toIso } from "./lines.ts";

describe("a line of the export", () => {
  it("has times as the API has them", () => {
    const cases = [
      ["2026-11-14 09:30:00+00", "2026-11-14T09:30:00.000Z"],
      ["2026-11-14 09:30:00.5+00", "2026-11-14T09:30:00.500Z"],
      ["2026-11-14 09:30:00.012+00", "2026-11-14T09:30:00.012Z"],
    ] as const;
    for (const [text, iso] of cases) assert.equal(toIso(text), iso);
  });

  it("is one line whatever the row holds", () => {
    const id = "019a7f3e-5a1d-7c3f-8e2b-5d6f7a8b9c0d";
    const table = exported("forms", "form", "id:frm name fields topic_ids:top[] created_at updated_by");
    const types = new Map([
      ["fields", "json"],
      ["created_at", "timestamptz"],
    ]);
    const line = lineWriter(
      table,
      types,
      undefined,
    )({
      id,
      name: 'a\n"b"\u2028',
      fields: '[\r\n1,\n"x\\n"]',
      topic_ids: [id],
      created_at: "2026-11-14 09:30:00+00",
      updated_by_kind: "user",
      updated_by_id: id,
    });
    assert.equal(line.indexOf("\n"), line.length - 1);
    const read = JSON.parse(line);
    assert.deepEqual([read.object, read.name, read.fields], ["form", 'a\n"b"\u2028', [1, "x\n"]]);
    assert.match(read.id, /^frm_/);
    assert.match(read.topic_ids[0], /^top_/);
    assert.deepEqual(read.updated_by, { kind: "user", id: read.id.replace("frm_", "usr_") });
  });

  it("is none where finishing the row says so", () => {
    const write = lineWriter(exported("t", "thing", "n"), new Map(), () => undefined);
    assert.equal(write({ n: 1 }), "");
  });
});
