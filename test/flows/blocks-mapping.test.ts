/** A mail of blocks in the nodes of the editor and back: nothing is lost, whatever the mail is made of. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { documentFromEditor } from "../../dashboard/src/pages/campaigns/composer/blocks/document/from-editor.ts";
import {
  findExceeded,
  LIMITS,
  type Limit,
} from "../../dashboard/src/pages/campaigns/composer/blocks/document/limits.ts";
import {
  COLOUR,
  LINK,
  LIQUID_TEXT,
  SOURCE,
  VARIABLE,
} from "../../dashboard/src/pages/campaigns/composer/blocks/document/rules.ts";
import { plain } from "../../dashboard/src/pages/campaigns/composer/blocks/document/same-block.ts";
import { documentToEditor } from "../../dashboard/src/pages/campaigns/composer/blocks/document/to-editor.ts";
import { areValid } from "../../dashboard/src/pages/campaigns/composer/blocks/document/valid-attributes.ts";
import { editorSchema } from "../../dashboard/src/pages/campaigns/composer/blocks/editor/schema/editor-schema.ts";
import {
  anyDocument,
  documentOf,
  inColumns,
  oneOfEach,
  words,
} from "../../src/content/blocks/documents.fixture.ts";
import { BlocksDocument } from "../../src/content/blocks/schema.ts";

const schema = editorSchema();

/** Through the editor's own nodes, which refuse what their schema doesn't allow. */
function throughEditor(document: BlocksDocument): BlocksDocument {
  const node = schema.nodeFromJSON(documentToEditor(document));
  node.check();
  return documentFromEditor(node.toJSON()) as BlocksDocument;
}

const typesIn = (document: BlocksDocument) => documentToEditor(document).content?.map(({ type }) => type);

describe("a document in the editor", () => {
  test("comes back with every member of each kind", () => {
    const document = documentOf(...oneOfEach, inColumns);
    assert.deepEqual(throughEditor(document), document);
    assert.ok(!typesIn(document)?.includes("kept"));
  });

  test("comes back whole, whatever it is made of", () => {
    fc.assert(
      fc.property(anyDocument, (made) => {
        const document: BlocksDocument = JSON.parse(JSON.stringify(made));
        assert.deepEqual(throughEditor(document), plain(document));
        assert.ok(!typesIn(document)?.includes("kept"), "each can be edited");
      }),
      { numRuns: 1_000 },
    );
  });

  test("has attributes that may be pasted, whatever it is made of, and others may not", () => {
    const refused = (document: BlocksDocument) => {
      const found: string[] = [];
      schema.nodeFromJSON(documentToEditor(document)).descendants(({ type, attrs, marks }) => {
        for (const one of [{ type, attrs }, ...marks])
          if (!areValid(one.type.name, one.attrs)) found.push(one.type.name);
      });
      return found;
    };
    assert.deepEqual(refused(documentOf(...oneOfEach, inColumns)), []);
    fc.assert(
      fc.property(anyDocument, (made) => assert.deepEqual(refused(JSON.parse(JSON.stringify(made))), [])),
      { numRuns: 500 },
    );
    const odd: readonly (readonly [string, object])[] = [
      ["button", { id: "a", link: "javascript:alert(1)" }],
      ["button", { id: "a", link: "https://a.example/", background: "red;position:fixed" }],
      ["text_block", { id: "a b" }],
      ["text_block", { id: "a", align: "left;background:url(https://a.example/)" }],
      ["heading", { id: "a", level: 9 }],
      ["image", { id: "a", src: "data:image/png;base64,AA==", alt: null }],
      ["image", { id: "a", src: "https://a.example/b.png", alt: null, width: 100_000 }],
      ["social", { id: "a", links: "none" }],
      ["social", { id: "a", links: [{ label: "A", link: "https://a.example/", more: 1 }] }],
      ["divider", { id: "a", only_for: { type: "tag", tag: "{{ x }}", has: true } }],
      ["divider", { id: "a", repeat: { over: "a b" } }],
      ["spacer", { id: "a", height: "24px" }],
      ["variable", { name: "a | raw" }],
      ["colour", { colour: "#000;x:y" }],
      ["link", { href: "data:text/html,a" }],
      ["kept", { id: "a", block: {} }],
      ["constructor", {}],
    ];
    for (const [name, attrs] of odd)
      assert.equal(areValid(name, attrs as never), false, JSON.stringify(attrs));
  });

  test("keeps its language, its direction and its style", () => {
    const document: BlocksDocument = {
      version: 1,
      language: "ar",
      direction: "rtl",
      style: { width: 640, font: "serif" },
      blocks: [],
    };
    assert.deepEqual(throughEditor(document), document);
  });

  test("keeps members that may be left out left out, and empty ones empty", () => {
    const document = documentOf(
      { id: "a", type: "product", title: [] },
      { id: "b", type: "product", title: [], description: [], price: [] },
      { id: "c", type: "quote", content: [], source: [] },
      { id: "d", type: "footer", unsubscribe: "Leave", content: [] },
      { id: "e", type: "text", content: [] },
      { id: "f", type: "text", content: [{ type: "paragraph", content: [] }] },
      { id: "g", type: "image", src: "https://a.example/b.png", alt: null },
      { id: "h", type: "columns", columns: [{ blocks: [] }, { width: 30, blocks: [] }] },
    );
    assert.deepEqual(throughEditor(document), document);
  });

  test("keeps a kind, a member and a value of a newer version as they are, in columns too", () => {
    const newer = [
      { id: "a", type: "video", src: "https://a.example/v.mp4", chapters: [{ at: 3 }] },
      { id: "b", type: "heading", level: 1, content: words("x"), shadow: "soft" },
      { id: "c", type: "text", content: [{ type: "paragraph", content: [{ type: "emoji", name: "sun" }] }] },
      { id: "d", type: "text", content: [{ type: "poem", lines: [] }] },
      { id: "e", type: "heading", level: 1, content: [{ type: "text", text: "x", smallcaps: true }] },
      { id: "f", type: "columns", columns: [{ blocks: [{ id: "g", type: "video" }] }, { blocks: [] }] },
      { id: "h", type: "table", rows: "none" },
      { id: "i", type: "__proto__" },
    ] as unknown as BlocksDocument["blocks"];
    const document = documentOf(...newer);
    assert.deepEqual(throughEditor(document), document);
    assert.deepEqual(typesIn(document), ["kept", "kept", "kept", "kept", "kept", "columns", "kept", "kept"]);
  });

  test("is held to the rules of the service for links, colours and names", () => {
    const patterns = new Set<string>();
    JSON.stringify(BlocksDocument, (key, value) => {
      if (key === "pattern") patterns.add(new RegExp(value).source);
      return value;
    });
    for (const rule of [LINK, SOURCE, COLOUR, VARIABLE, LIQUID_TEXT])
      assert.ok(patterns.has(rule.source), rule.source);
  });

  test("says what is too much just where the service refuses it", () => {
    const most = new Set<number>();
    JSON.stringify(BlocksDocument, (key, value) => {
      if (key === "maxItems" || key === "maxLength") most.add(value);
      return value;
    });
    for (const limit of Object.values(LIMITS)) assert.ok(most.has(limit), String(limit));
    const many = <T>(count: number, make: (at: number) => T) =>
      Array.from({ length: count }, (_, at) => make(at));
    const spacer = (at: number) => ({ id: `s${at}`, type: "spacer" as const, height: 8 });
    const breaks = (count: number) => many(count, () => ({ type: "break" as const }));
    const paragraph = { type: "paragraph" as const, content: [] };
    const made: Readonly<Record<Limit, (count: number) => BlocksDocument["blocks"]>> = {
      blocks: (count) => many(count, spacer),
      inColumn: (count) => [
        { id: "c", type: "columns", columns: [{ blocks: [] }, { blocks: many(count, spacer) }] },
      ],
      pieces: (count) => [{ id: "h", type: "heading", level: 1, content: breaks(count) }],
      paragraphs: (count) => [{ id: "t", type: "text", content: many(count, () => paragraph) }],
      items: (count) => [
        { id: "t", type: "text", content: [{ type: "list", items: many(count, () => ({ content: [] })) }] },
      ],
      rows: (count) => [{ id: "r", type: "table", rows: many(count, () => [[]]) }],
      links: (count) => [
        { id: "l", type: "social", links: many(count, () => ({ label: "A", link: "https://a.example/" })) },
      ],
      html: (count) => [{ id: "x", type: "html", html: "a".repeat(count) }],
    };
    for (const [limit, of] of Object.entries(made) as [
      Limit,
      (count: number) => BlocksDocument["blocks"],
    ][]) {
      const number = LIMITS[limit];
      assert.equal(findExceeded({ blocks: of(number) as never }), undefined, limit);
      const found = findExceeded({ blocks: [...of(number + 1)] as never });
      assert.deepEqual([found?.limit, found?.count], [limit, number + 1]);
    }
    const behind = findExceeded({ blocks: [inColumns, ...made.rows(101)] as never });
    const inside =
      inColumns.type === "columns" ? inColumns.columns.flatMap(({ blocks }) => blocks).length : 0;
    assert.deepEqual(behind, { limit: "rows", count: 101, line: 2 + inside });
  });

  test("cuts a text that is longer than the service takes, and not within a character", () => {
    const long = "🙂".repeat(30_001);
    const [block] = throughEditor(
      documentOf({ id: "a", type: "heading", level: 1, content: words(long) }),
    ).blocks;
    assert.ok(block?.type === "heading");
    const texts = block.content.map((one) => (one.type === "text" ? one.text : ""));
    assert.equal(texts.join(""), long);
    assert.ok(texts.every((text) => text.length <= 20_000 && text.isWellFormed()));
  });
});
