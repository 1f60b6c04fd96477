import assert from "node:assert/strict";
import { test } from "node:test";
import type { BlocksDocument } from "../../../../api/openapi.ts";
import { blockLines } from "./block-lines.ts";

test("a mail of blocks is written as lines, with its words, their looks, and what a newer version made", () => {
  const document = {
    version: 1,
    style: { width: 640 },
    blocks: [
      {
        id: "a",
        type: "heading",
        level: 1,
        content: [
          { type: "text", text: "Dear " },
          {
            type: "variable",
            name: "first_name",
            fallback: "reader",
            bold: true,
            link: "https://a.example/",
          },
        ],
      },
      {
        id: "b",
        type: "columns",
        columns: [{ width: 40, blocks: [{ id: "c", type: "spacer", height: 8 }] }, { blocks: [] }],
      },
      { id: "d", type: "video", chapters: [{ at: 3 }] },
    ],
  } as unknown as BlocksDocument;
  assert.equal(
    blockLines(document),
    `style
  width: 640
heading
  level: 1
  content: Dear {reader} [bold, link https://a.example/]
columns
  columns 1
    width: 40
    blocks 1
      spacer
        height: 8
  columns 2
    blocks: 
video
  chapters 1
    at: 3`,
  );
});
