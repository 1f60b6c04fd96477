import assert from "node:assert/strict";
import { test } from "node:test";
import { outlineOf } from "./outline.ts";

test("an outline names each block by its words, those in columns too, and one of a kind that isn't known yet", () => {
  const words = (text: string) => [{ type: "text" as const, text }];
  const document = {
    version: 1 as const,
    blocks: [
      {
        id: "a",
        type: "heading" as const,
        level: 1,
        content: [...words("Dear "), { type: "variable" as const, name: "first_name", fallback: "reader" }],
      },
      {
        id: "b",
        type: "columns" as const,
        columns: [{ blocks: [{ id: "c", type: "quote" as const, content: words("Said") }] }, { blocks: [] }],
      },
      { id: "d", type: "video", label: "Later" } as never,
    ],
  };
  assert.deepEqual(
    outlineOf(document).map(({ id, type, words: said, isInColumn }) => [id, type, said, isInColumn]),
    [
      ["a", "heading", "Dear {reader}", false],
      ["b", "columns", "", false],
      ["c", "quote", "Said", true],
      ["d", "video", "Later", false],
    ],
  );
});
